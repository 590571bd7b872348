import type { LeftOverRows } from '../../../diff/slice-diff.ts';
import { comparedColumns } from '../../../diff/take-figures.ts';
import { hasChildrenSql } from '../../../warehouse/dialects/postgres/slice/before-image-sql.ts';
import {
  clockColumnsSql,
  columnFiguresSql,
  keepRunRowsSql,
  type LeftOverQuery,
  leftOverPlacesSql,
  leftOverSamplesSql,
  leftOverSql,
  missingRowsSql,
  staleRowsSql,
} from '../../../warehouse/dialects/postgres/slice/left-over-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { ColumnDescription } from '../../../warehouse/port/table-description.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { AppliedSlice } from '../../record/applied.ts';
import { StatementFailure } from '../../session/statement-failure.ts';
import { tableSql } from '../../tables/target.ts';
import { asNewSession } from '../task/as-new-session.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { runStatements } from '../task/run-statements.ts';
import { shiftClocks } from '../task/shift-clocks.ts';
import { emptySlices } from './empty-slices.ts';

/** Rows of one slice that a clean run would not have, and where they are if they are to be taken away. */
export interface LeftOver {
  readonly found: LeftOverRows;
  readonly places: readonly (readonly [table: string, places: string])[];
}

/** By slice, in their order; or why nobody could tell. */
export type FoundLeftOver =
  | { readonly kind: 'found'; readonly slices: readonly (LeftOver | undefined)[] }
  | { readonly kind: 'unknown'; readonly reason: string };

const mostSamples = 5;

/** Rows of a slice that the run found and did not write: only those can be left over. */
const mayHaveLeftOver = ({ target, taken }: AppliedSlice): boolean =>
  target.slice.shared === undefined &&
  (taken.before?.figures.rows ?? 0) > 0 &&
  !taken.replaced &&
  taken.after.figures.rows > taken.after.ownRows;

/**
 * Which rows of its slices the unit found and left, though one run from nothing would not have them: of keys that the
 * source has no more, or of other values. The task is run a second time, from empty slices, and taken back. Nothing is
 * run where the unit wrote all rows of its slices. What two runs from nothing fill differently (a random key, a number that
 * a sequence gives, the clock) tells nothing of earlier runs: where rows seem to be left over, the task is run a third time
 * with its clock moved, and such columns are not looked at. After the figures: the counters are no longer those of one run.
 */
export async function findLeftOver(unit: OpenUnit, slices: readonly AppliedSlice[]): Promise<FoundLeftOver> {
  const asked = slices.map((slice) => mayHaveLeftOver(slice));
  if (unit.job.fromNothing || !asked.includes(true)) return { kind: 'found', slices: [] };
  const { session } = unit;
  for (const [index, { table }] of slices.entries()) {
    if (asked[index] !== true || (await session.query(hasChildrenSql, [table.oid])).rows[0]?.[0] !== 't') continue;
    // A task that deletes from ONLY the table never touches theirs.
    return {
      kind: 'unknown',
      reason: `other tables inherit from ${table.qualified}, whose rows may be another task's.`,
    };
  }
  await session.query('savepoint backfill_clean');
  try {
    const first = await cleanRun(unit, slices, asked, undefined);
    if (first.every((one) => one?.left === undefined)) return { kind: 'found', slices: [] };
    await session.query('rollback to savepoint backfill_clean');
    const second = await cleanRun(onMovedClock(unit), slices, asked, first);
    const [moved] = second.flatMap((one) => (one?.moved === undefined ? [] : [one.moved]));
    if (moved !== undefined) return { kind: 'unknown', reason: moved };
    return { kind: 'found', slices: second.map((one) => one?.left) };
  } catch (thrown) {
    const error = thrown instanceof StatementFailure ? thrown.error : thrown;
    if (!(error instanceof WarehouseError) || endsUnit(error)) throw thrown;
    return { kind: 'unknown', reason: error.message };
  } finally {
    await session.query('rollback to savepoint backfill_clean').catch(() => undefined);
    await session.query('release savepoint backfill_clean').catch(() => undefined);
  }
}

const endsUnit = ({ kind, retryable }: WarehouseError): boolean =>
  retryable || kind === 'connection' || kind === 'cancelled';

/** The statements as of another day, hour and second. */
const onMovedClock = (unit: OpenUnit): OpenUnit => ({
  ...unit,
  plan: {
    ...unit.plan,
    statements: unit.plan.statements.map((one) => ({ ...one, text: shiftClocks(one.text, 'postgres').text })),
  },
});

/** What one run from nothing says of a slice. */
interface CleanRun {
  readonly left: LeftOver | undefined;
  /** Of each compared column, by itself. */
  readonly figures: readonly (string | null)[];
  /** Why it says nothing. */
  readonly moved?: string;
}

const ranCopy = (index: number): string => `pg_temp.backfill_ran_${index}`;

/** Runs the task from empty slices; columns that come out otherwise than in `earlier` are not looked at. */
async function cleanRun(
  unit: OpenUnit,
  slices: readonly AppliedSlice[],
  asked: readonly boolean[],
  earlier: readonly (CleanRun | undefined)[] | undefined,
): Promise<readonly (CleanRun | undefined)[]> {
  const { session, job, start, position } = unit;
  const settings = { ...job.options.settings, client_encoding: 'UTF8', role: start.role };
  await asNewSession(unit);
  for (const [index, slice] of slices.entries()) {
    const { table, predicate } = slice.taken.relation;
    if (!asked[index]) continue;
    await session.query(keepRunRowsSql(ranCopy(index), tableSql(table), predicate, table.columns, position.ownAge));
  }
  await emptySlices(session, unit.targets);
  await runStatements(unit, settings);
  await session.query('set constraints all immediate');
  const found: (CleanRun | undefined)[] = [];
  for (const [index, slice] of slices.entries()) {
    found.push(asked[index] ? await cleanSlice(session, slice, index, earlier?.[index]) : undefined);
  }
  return found;
}

async function cleanSlice(
  session: Session,
  slice: AppliedSlice,
  index: number,
  earlier: CleanRun | undefined,
): Promise<CleanRun> {
  const { table, predicate, hash } = slice.taken.relation;
  const live = tableSql(table);
  const columns = comparedColumns(slice.taken.relation);
  if (columns.length === 0) return { left: undefined, figures: [] };
  const figures = (await session.query(columnFiguresSql(live, predicate, columns, hash))).rows[0] ?? [];
  const steady = columns.filter((_, at) => earlier === undefined || earlier.figures[at] === figures[at]);
  const key = steadyKey(slice, steady);
  const times = steady.filter((one) => timeTypes.has(one.baseType) && !key.includes(one));
  const [clocks = []] = times.length === 0 ? [] : (await session.query(clockColumnsSql(live, predicate, times))).rows;
  const left = steady.filter((column) => clocks[times.indexOf(column)] !== 't');
  if (left.length === 0) {
    const moved = `no column of ${table.qualified} comes out the same in two runs from nothing`;
    return { left: undefined, figures, moved };
  }
  return { left: await leftOverOf(session, slice, index, left, key), figures };
}

const timeTypes: ReadonlySet<string> = new Set(['timestamp', 'timestamptz']);

/** The key by which rows are told apart, or another one of the table where runs from nothing make that anew. */
function steadyKey(
  { taken: { relation, keyUsable } }: AppliedSlice,
  steady: readonly ColumnDescription[],
): readonly ColumnDescription[] {
  const keys = [...(keyUsable ? [relation.key] : []), ...relation.table.keys];
  const columnsOf = (key: readonly string[]) =>
    key.flatMap((name) => steady.find((column) => column.name === name && column.equatable) ?? []);
  return (
    keys
      .map((key) => ({ key, columns: columnsOf(key) }))
      .find(({ key, columns }) => key.length > 0 && columns.length === key.length)?.columns ?? []
  );
}

async function leftOverOf(
  session: Session,
  { target, taken }: AppliedSlice,
  index: number,
  columns: readonly ColumnDescription[],
  key: readonly ColumnDescription[],
): Promise<LeftOver | undefined> {
  const { relation } = taken;
  const { table, predicate } = relation;
  const left = `pg_temp.backfill_left_${index}`;
  const query: LeftOverQuery = { ran: ranCopy(index), live: tableSql(table), predicate, columns, key };
  await session.query(leftOverSql(left, query));
  const deletes = target.slice.orphans === 'delete';
  const [rows, json] = (await session.query(leftOverPlacesSql(left, deletes))).rows[0] ?? [];
  const stale = key.length > 0 ? Number((await session.query(staleRowsSql(query))).rows[0]?.[0]) : 0;
  if (Number(rows) === 0 && stale === 0) return undefined;
  const missing = key.length > 0 || !deletes ? 0 : Number((await session.query(missingRowsSql(query))).rows[0]?.[0]);
  const shown = comparedColumns(relation);
  const samples = (await session.query(leftOverSamplesSql(left, shown, mostSamples))).rows;
  const problem =
    missing === 0
      ? undefined
      : `nothing tells its rows apart, and a clean run has ${missing} rows that this one does not: which rows they would take the place of is not known`;
  return {
    found: {
      rows: Number(rows),
      stale,
      samples: samples.map((row) => Object.fromEntries(shown.map(({ name }, at) => [name, row[at] ?? null]))),
      declared: target.slice.orphans,
      deleted: false,
      ...(problem === undefined ? {} : { problem }),
    },
    places: JSON.parse(json ?? '[]') as LeftOver['places'],
  };
}
