import type { TaskFacts, WriteFact } from '../../../lineage/facts/facts.ts';
import { isSameInEveryRun } from '../../../lineage/tasks/run-dependence.ts';
import type { Task, TaskId } from '../../../pipeline/model/model.ts';
import type { QueryBlock } from '../../../sql/model/expression.ts';

/** A task with what it rests on, to ask which rows its runs give. */
export interface RowsOfTask {
  readonly task: Task;
  readonly facts: Pick<TaskFacts, 'reads' | 'writes'>;
  /** Tasks that fill a table anew for each interval, so that it holds the rows of one at a time; none: it keeps them all. */
  readonly refilledBy: (table: string) => readonly TaskId[];
  /** Whether two names mean one table. */
  readonly same: (a: string, b: string) => boolean;
}

/**
 * Why one run of a task gives a part only of the rows that a whole table is to have, in words; `undefined` where every run
 * gives all of them. What the others gave is then no left-over.
 */
export function partOfTable({ task, facts, refilledBy }: Omit<RowsOfTask, 'same'>, table: string): string | undefined {
  if (!isSameInEveryRun(task)) return `each run writes rows of its own to ${table}: its SQL depends on the interval`;
  for (const { table: source, window } of facts.reads) {
    if (window.kind !== 'unbounded') {
      return `each run writes rows of its own to ${table}: which rows of ${source} it reads depends on when it runs`;
    }
    const [filler] = refilledBy(source);
    if (filler !== undefined) {
      return `each run writes rows of its own to ${table}: ${source}, which it reads, is filled anew for each interval by ${filler}`;
    }
  }
  const queries = task.sql.flatMap(({ reading }) => reading.statements.flatMap(({ query }) => query ?? []));
  return queries.some(isLimited) ? `each run writes some rows of ${table} only: its query has a LIMIT` : undefined;
}

const isLimited = (query: QueryBlock): boolean =>
  query.limit !== undefined ||
  query.with.some((part) => isLimited(part.query)) ||
  query.then.some((part) => isLimited(part.query)) ||
  query.from.some((item) => item.kind === 'query' && isLimited(item.query));

/**
 * The table out of which a task takes the rows that it reads, in which it marks them, or that holds the mark behind which
 * it reads: a second run no longer finds them, so that nothing of what the first one wrote is left over.
 */
export const usedUpTable = (write: WriteFact, rows: RowsOfTask): string | undefined =>
  write.takenFrom ??
  write.behindMark ??
  readAndWritten(write, rows, ({ mode, empties }) => empties === true || marking.has(mode));

/**
 * A table that a task reads and adds rows to (a log of what is done): a second run finds those of the first. Not where its rows are the
 * interval's alone, and can be taken away with the others: `isOwn`.
 */
export const addedToTable = (
  write: WriteFact,
  rows: RowsOfTask,
  isOwn: (other: WriteFact) => boolean,
): string | undefined => readAndWritten(write, rows, (other) => adding.has(other.mode) && !isOwn(other));

const readAndWritten = (
  { table }: WriteFact,
  { facts: { reads, writes }, same }: RowsOfTask,
  isAsked: (other: WriteFact) => boolean,
): string | undefined =>
  writes.find(
    (other) => !same(other.table, table) && isAsked(other) && reads.some((read) => same(read.table, other.table)),
  )?.table;

const marking: ReadonlySet<WriteFact['mode']> = new Set(['delete', 'update']);
const adding: ReadonlySet<WriteFact['mode']> = new Set(['append', 'merge']);
