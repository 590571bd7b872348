import type { ReadFact, WriteFact } from '../../../lineage/facts/facts.ts';
import { buildsOn } from '../../../lineage/queries/builds-on.ts';
import type { Task } from '../../../pipeline/model/model.ts';
import { oncePer } from '../../../pipeline/workspace/memo.ts';
import { lastNamePart } from '../../../sql/model/name-parts.ts';
import type { Statement } from '../../../sql/model/statement.ts';
import { evaluateTime, exactTime } from '../../../time/expressions/evaluate-time.ts';
import type { DataInterval } from '../../../time/intervals/data-interval.ts';
import type { RowsOfTask } from './part-of-table.ts';

/**
 * Why what a task leaves in a table goes by the rows that it finds there, in words; `undefined` where it fills its slice from
 * elsewhere. There is then no run from an empty slice that would say which rows it is to have.
 */
export function goesByOwnRows(write: WriteFact, rows: RowsOfTask, interval: DataInterval): string | undefined {
  const { table, mode } = write;
  if (mode === 'delete' || write.empties === true) return `it only takes rows away from ${table}`;
  if (mode === 'update') return `it only changes rows of ${table} that are there`;
  if (mode === 'create') return `it fills ${table} only where there is no such table yet`;
  const own = rows.facts.reads.filter((read) => rows.same(read.table, table));
  if (own.length > 0 && own.every((read) => isElsewhere(read, write, interval))) return undefined;
  const builds = own.some(({ through }) => through !== undefined) || buildsOnItself(rows, table);
  return builds ? `it makes rows of ${table} out of those that it finds there` : undefined;
}

/** Whether the rows that it reads are of other intervals, by the column that cuts the slice. */
function isElsewhere({ window }: ReadFact, { slice }: WriteFact, interval: DataInterval): boolean {
  if (window.kind !== 'range' || slice.kind !== 'range' || window.column !== slice.column) return false;
  const ends = window.hi.map((bound) => evaluateTime(bound, interval, 'upper'));
  const starts = window.lo.map((bound) => evaluateTime(bound, interval, 'lower'));
  const isBefore = ends.length > 0 && Math.max(...ends) <= exactTime(slice.lo, interval);
  return isBefore || (starts.length > 0 && Math.min(...starts) >= exactTime(slice.hi, interval));
}

interface Placed {
  readonly statement: Statement;
  readonly text: string;
  readonly inBody: boolean;
}

/** All statements of a task, those in others and in bodies included. */
const placedStatements = oncePer(({ sql, routines = [] }: Task): readonly Placed[] => {
  const placed = (statement: Statement, text: string, inBody: boolean): readonly Placed[] => [
    ...statement.modifying.flatMap((one) => placed(one, text, inBody)),
    ...statement.body.flatMap((one) => placed(one, text, true)),
    { statement, text, inBody },
  ];
  return [
    ...sql.map((one) => ({ one, inBody: false })),
    ...routines.map((one) => ({ one: one.sql, inBody: true })),
  ].flatMap(({ one: { reading, masked }, inBody }) =>
    reading.statements.flatMap((statement) => placed(statement, masked.text, inBody)),
  );
});

const targetsOf = ({ targets, target }: Statement): readonly string[] =>
  targets.length > 0 ? targets.map(({ name }) => name) : target === undefined ? [] : [target.name];

const filling: ReadonlySet<Statement['kind']> = new Set(['insert', 'merge', 'copy']);

/** Whether a statement that fills the table, or what it is filled from on the way, builds on its rows. */
function buildsOnItself({ task, same }: RowsOfTask, table: string): boolean {
  const all = placedStatements(task);
  const temporary = new Set(
    all.flatMap(({ statement }) => (statement.temporary ? targetsOf(statement).map(lastNamePart) : [])),
  );
  const isOwn = ({ name }: { readonly name: string }): boolean => same(name, table) && !temporary.has(name);
  const written = new Set(all.flatMap(({ statement }) => targetsOf(statement)));
  const feeding = new Set<string>();
  const feeds = ({ statement, inBody }: Placed): boolean =>
    // What a SELECT of a body finds goes into variables.
    (inBody && statement.kind === 'select') ||
    targetsOf(statement).some((name) => isOwn({ name }) || feeding.has(name));
  for (let before = -1; before < feeding.size; ) {
    before = feeding.size;
    for (const { name } of all.filter(feeds).flatMap(({ statement }) => statement.reads))
      if (written.has(name) && !isOwn({ name })) feeding.add(name);
  }
  // Behind a statement that fills it from elsewhere the rows that are found there are those of this run as well.
  const isFill = ({ statement }: Placed): boolean =>
    filling.has(statement.kind) && targetsOf(statement).some((name) => isOwn({ name }));
  for (const one of all) {
    if (!feeds(one)) continue;
    if (buildsOn(one.statement, one.text, isOwn)) return true;
    if (isFill(one)) return false;
  }
  return false;
}
