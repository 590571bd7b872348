import type { Condition } from '../../../model/condition.ts';
import type { Task, TaskSql } from '../../../model/model.ts';
import type { TaskBuilder } from '../program/program.ts';

/** A task as one branch of a condition makes it. */
interface Way {
  readonly builder: TaskBuilder;
  readonly task: Task;
}

/** One task of several that branches of a condition make under one id: it does what one of them does. */
export function joinWays(ways: readonly [Way, ...Way[]] | readonly Way[]): Task {
  const [first, ...others] = ways as readonly [Way, ...Way[]];
  const { task } = first;
  if (others.length === 0 || others.every((other) => doesTheSame(other.task, task))) return task;
  return {
    ...task,
    sql: ways.flatMap(({ builder, task: one }) => one.sql.map((sql) => under(sql, builder.conditions))),
    accesses: ways.flatMap(({ builder, task: one }) => one.accesses.map((access) => under(access, builder.conditions))),
    unread: ways.flatMap(({ task: one }) => one.unread),
    executor: { kind: 'airflow', reason: 'what it runs depends on a condition that is not known before it runs' },
  };
}

const under = <T extends Pick<TaskSql, 'conditions'>>(one: T, conditions: readonly Condition[]): T =>
  conditions.length === 0 ? one : { ...one, conditions: [...conditions, ...(one.conditions ?? [])] };

/** The same SQL, sent in the same way, and nothing that is known of one way only. */
const doesTheSame = (a: Task, b: Task): boolean =>
  a.accesses.length === 0 &&
  b.accesses.length === 0 &&
  a.unread.length === b.unread.length &&
  JSON.stringify(a.executor) === JSON.stringify(b.executor) &&
  JSON.stringify(a.sql.map(textOf)) === JSON.stringify(b.sql.map(textOf));

const textOf = ({ source, dialect }: TaskSql): readonly string[] => [source.text, dialect];
