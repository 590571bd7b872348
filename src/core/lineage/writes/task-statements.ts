import type { Task, TaskSql } from '../../pipeline/model/model.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { ownStatements } from '../../sql/slice-guard.ts';
import { type SqlContext, sqlContext } from '../times/sql-context.ts';

/** A statement of a task with the text that its offsets refer to. */
export interface TaskStatement {
  readonly statement: Statement;
  readonly sql: TaskSql;
  readonly sqlIndex: number;
  readonly context: SqlContext;
  /** Of the task, by name. */
  readonly params: Task['params'];
  /** It stands in the body of another statement, so that its text does not stand for itself. */
  readonly inBody: boolean;
}

/**
 * All that a task runs, in order: what stands in other statements and in bodies comes before what it stands in. What
 * joins it to the ledger is left out: it touches no table of the task's.
 */
export function taskStatements(
  task: Task,
  zone: string,
  intervals?: SqlContext['intervals'],
): readonly TaskStatement[] {
  const routines = new Map<string, readonly TaskStatement[]>();
  return task.sql.flatMap((sql, sqlIndex) => {
    const context = sqlContext(sql, zone, intervals);
    const { params } = task;
    const run = (whole: Statement, inBody: boolean): readonly TaskStatement[] => {
      // `WITH d AS (DELETE …) INSERT …` does both, so both are statements of the task.
      const inside = [
        ...whole.modifying.flatMap((statement) => run(statement, inBody)),
        ...whole.body.flatMap((statement) => run(statement, true)),
      ];
      const own: TaskStatement = { statement: whole, sql, sqlIndex, context, params, inBody };
      if (whole.kind === 'create_procedure') {
        // Its body runs where it is called.
        if (whole.routine !== undefined) routines.set(whole.routine.name, inside);
        return [own];
      }
      const called = whole.routine === undefined ? [] : (routines.get(whole.routine.name) ?? []);
      return [...called, ...inside, own];
    };
    return ownStatements(sql.masked.text, sql.reading.statements).flatMap((statement) => run(statement, false));
  });
}

/** Routines that a task calls and does not make itself: what they read and write is not known from here. */
export function calledElsewhere(statements: readonly TaskStatement[]): readonly TaskStatement[] {
  const made = new Set<string>();
  return statements.filter(({ statement: { kind, routine } }) => {
    if (routine === undefined) return false;
    if (kind !== 'create_procedure') return !made.has(routine.name);
    made.add(routine.name);
    return false;
  });
}

/** `TRUNCATE TABLE t PARTITION (…)`, `ALTER TABLE t DROP PARTITION …`: takes away a part of the table, not all of it. */
export function emptiesPartition({ statement, context }: Pick<TaskStatement, 'statement' | 'context'>): boolean {
  const { kind, head, end } = statement;
  if (kind !== 'truncate' && kind !== 'alter_partition') return false;
  const rest = context.text.slice(head.end, end);
  return kind === 'truncate' ? /^\s*partitions?\b/i.test(rest) : /^\s*(drop|truncate|clear)\b/i.test(rest);
}
