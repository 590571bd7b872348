import type { CalledRoutine, Task, TaskSql } from '../../pipeline/model/model.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { ownStatements } from '../../sql/names/slice-guard.ts';
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
  /** Those of its targets that only a TRUNCATE … CASCADE reaches. */
  readonly cascadesTo?: ReadonlySet<string>;
  /** Routines of the database that it calls, each as it reads for that call, by offsets into `sql`. */
  readonly calls: readonly CalledRoutine[];
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
  const { params } = task;
  const run = (whole: Statement, text: StatementText, inBody: boolean): readonly TaskStatement[] => {
    // `WITH d AS (DELETE …) INSERT …` does both, so both are statements of the task.
    const inside = [
      ...whole.modifying.flatMap((statement) => run(statement, text, inBody)),
      ...whole.body.flatMap((statement) => run(statement, text, true)),
    ];
    const calls = text.sql === task.sql[text.sqlIndex] ? calledIn(whole, text.sqlIndex, task) : [];
    const own: TaskStatement = { statement: whole, ...text, params, inBody, calls };
    if (whole.kind === 'create_procedure') {
      // Its body runs where it is called.
      if (whole.routine !== undefined) routines.set(whole.routine.name, inside);
      return [own];
    }
    const called =
      whole.routine === undefined || calledIn(whole, text.sqlIndex, task).length > 0
        ? []
        : (routines.get(whole.routine.name) ?? []);
    return [...called, ...inside, own];
  };
  return task.sql.flatMap((sql, sqlIndex) => {
    const texts = sharingSession(task, sql);
    const text = { sql, sqlIndex, context: sqlContext(sql, zone, intervals, texts) };
    return ownStatements(sql.masked.text, sql.reading.statements).flatMap((statement) => [
      ...calledIn(statement, sqlIndex, task).flatMap((routine) => {
        const body = { sql: routine.sql, sqlIndex, context: sqlContext(routine.sql, zone, intervals, texts) };
        return routine.sql.reading.statements.flatMap((inner) => run(inner, body, true));
      }),
      ...run(statement, text, false),
    ]);
  });
}

/** All texts that a task runs in the session of one of them, the routines that they call included. */
const sharingSession = ({ sql, routines = [] }: Task, one: TaskSql): readonly TaskSql[] =>
  [...sql, ...routines.map((routine) => routine.sql)].filter(({ session }) => session === one.session);

type StatementText = Pick<TaskStatement, 'sql' | 'sqlIndex' | 'context'>;

/** Routines of the database do their work where a statement calls them. */
export const calledIn = (
  { start, end }: Statement,
  sqlIndex: number,
  { routines = [] }: Task,
): readonly CalledRoutine[] =>
  routines.filter((routine) => routine.sqlIndex === sqlIndex && start <= routine.at && routine.at < end);

/** Routines that a task calls and neither makes itself nor has of a database: what they read and write is not known. */
export function calledElsewhere(
  statements: readonly TaskStatement[],
  { routines = [] }: Task,
): readonly TaskStatement[] {
  const made = new Set(routines.map(({ name }) => name));
  return statements.filter(({ statement: { kind, routine } }) => {
    if (routine === undefined) return false;
    if (kind !== 'create_procedure') return !made.has(routine.name);
    made.add(routine.name);
    return false;
  });
}

/** Postgres: the table that `CREATE TABLE p PARTITION OF t` makes a part of. `text` is what the statement's offsets refer to. */
export const partitionParent = (text: string, { head, end }: Statement): string | undefined =>
  /^\s*partition\s+of\s+([\w.$"]+)/i.exec(text.slice(head.end, end))?.[1]?.replaceAll('"', '').toLowerCase();

/** `TRUNCATE TABLE t PARTITION (…)`, `ALTER TABLE t DROP PARTITION …`: takes away a part of the table, not all of it. */
export function emptiesPartition({ statement, context }: Pick<TaskStatement, 'statement' | 'context'>): boolean {
  const { kind, head, end } = statement;
  if (kind === 'create_table') return partitionParent(context.text, statement) !== undefined;
  if (kind !== 'truncate' && kind !== 'alter_partition') return false;
  const rest = context.text.slice(head.end, end);
  return kind === 'truncate' ? /^\s*partitions?\b/i.test(rest) : /^\s*(drop|truncate|clear)\b/i.test(rest);
}
