import type { LeftOverRows } from '../../../diff/slice-diff.ts';
import { comparedColumns, keyColumns } from '../../../diff/take-figures.ts';
import {
  clockColumnsSql,
  keepRunRowsSql,
  type LeftOverQuery,
  leftOverPlacesSql,
  leftOverSamplesSql,
  leftOverSql,
  missingRowsSql,
  staleRowsSql,
} from '../../../warehouse/dialects/postgres/slice/left-over-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { AppliedSlice } from '../../record/applied.ts';
import { clearSession } from '../../session/clear-session.ts';
import { applySettings } from '../../session/session-settings.ts';
import { StatementFailure } from '../../session/statement-failure.ts';
import { tableSql } from '../../tables/target.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { runStatements } from '../task/run-statements.ts';
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
 * run where the unit wrote all rows of its slices. After the figures: the counters are no longer those of one run.
 */
export async function findLeftOver(unit: OpenUnit, slices: readonly AppliedSlice[]): Promise<FoundLeftOver> {
  const asked = slices.map((slice) => mayHaveLeftOver(slice));
  if (unit.job.fromNothing || !asked.includes(true)) return { kind: 'found', slices: [] };
  const { session, job, start, position } = unit;
  const settings = { ...job.options.settings, client_encoding: 'UTF8', role: start.role };
  await session.query('savepoint backfill_clean');
  try {
    for (const statement of clearSession) await session.query(statement);
    await applySettings(session, settings, { row_security: start.rowSecurity });
    for (const [index, slice] of slices.entries()) {
      const { table, predicate } = slice.taken.relation;
      if (!asked[index]) continue;
      await session.query(keepRunRowsSql(ranCopy(index), tableSql(table), predicate, table.columns, position.ownAge));
    }
    await emptySlices(session, unit.targets);
    await runStatements(unit, settings);
    await session.query('set constraints all immediate');
    const found: (LeftOver | undefined)[] = [];
    for (const [index, slice] of slices.entries()) {
      found.push(asked[index] ? await leftOverOf(session, slice, index) : undefined);
    }
    return { kind: 'found', slices: found };
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

const ranCopy = (index: number): string => `pg_temp.backfill_ran_${index}`;

async function leftOverOf(
  session: Session,
  { target, taken }: AppliedSlice,
  index: number,
): Promise<LeftOver | undefined> {
  const { relation, keyUsable } = taken;
  const { table, predicate } = relation;
  const left = `pg_temp.backfill_left_${index}`;
  const columns = comparedColumns(relation);
  const key = keyUsable ? keyColumns(relation) : [];
  const query: LeftOverQuery = { ran: ranCopy(index), live: tableSql(table), predicate, columns, key };
  await session.query(leftOverSql(left, query));
  const deletes = target.slice.orphans === 'delete';
  const [rows, json] = (await session.query(leftOverPlacesSql(left, deletes))).rows[0] ?? [];
  const stale = key.length > 0 ? await staleRows(session, query) : 0;
  if (Number(rows) === 0 && stale === 0) return undefined;
  const missing = key.length > 0 || !deletes ? 0 : Number((await session.query(missingRowsSql(query))).rows[0]?.[0]);
  const samples = (await session.query(leftOverSamplesSql(left, columns, mostSamples))).rows;
  const problem =
    missing === 0
      ? undefined
      : `the table has no key, and a clean run has ${missing} rows that this one does not: which rows they would take the place of is not known`;
  return {
    found: {
      rows: Number(rows),
      stale,
      samples: samples.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null]))),
      declared: target.slice.orphans,
      deleted: false,
      ...(problem === undefined ? {} : { problem }),
    },
    places: JSON.parse(json ?? '[]') as LeftOver['places'],
  };
}

/** Load times differ from run to run whatever the source says. */
async function staleRows(session: Session, query: LeftOverQuery): Promise<number> {
  const { live, predicate, columns } = query;
  const times = columns.filter(({ baseType }) => baseType === 'timestamptz' || baseType === 'timestamp');
  const [clocks = []] = times.length === 0 ? [] : (await session.query(clockColumnsSql(live, predicate, times))).rows;
  const steady = columns.filter((column) => clocks[times.indexOf(column)] !== 't');
  if (steady.length === 0) return 0;
  return Number((await session.query(staleRowsSql({ ...query, columns: steady }))).rows[0]?.[0]);
}
