import type { SliceRelation } from '../../../diff/slice-relation.ts';
import { comparedColumns, sameFigures, type TakenFigures } from '../../../diff/take-figures.ts';
import { plural } from '../../../text/plural.ts';
import { keepWritersOutSql } from '../../../warehouse/dialects/postgres/slice/escape-sql.ts';
import { columnFiguresSql } from '../../../warehouse/dialects/postgres/slice/left-over-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { Applied, AppliedSlice, ChangesAgain } from '../../record/applied.ts';
import { isUnchanged } from '../../record/decide.ts';
import { applySettings, protectiveSettings, unhidden } from '../../session/session-settings.ts';
import { StatementFailure } from '../../session/statement-failure.ts';
import { stateAfter } from '../../tables/slice-state.ts';
import { tableSql } from '../../tables/target.ts';
import { asNewSession } from '../task/as-new-session.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { relationsAfter } from '../task/relations-after.ts';
import { runStatements } from '../task/run-statements.ts';
import { secondsLater, shiftClocks } from '../task/shift-clocks.ts';
import { isTriedTwice, triedSlice } from '../task/tried-twice.ts';
import { isRepeatable } from './repeatable.ts';

/** A slice after one of several runs. */
interface State {
  /** The table is gone. */
  readonly taken: TakenFigures | undefined;
  /** Of each compared column by itself, by name. */
  readonly columns: ReadonlyMap<string, string>;
}

const savepoint = 'backfill_again';
/** Within the other one, so that no lock outlives the trial. */
const amongLocks = 'backfill_again_alone';

/**
 * Whether a second run of a task adds rows, takes some away or changes values once more, whatever its words: it is run
 * again in the same transaction, and taken back; where it asks for the clock, with that a second later too. Nothing is run where the unit changed
 * nothing, or where that cannot be (a slice replaced by the rows of one query). A difference may be somebody else's, who
 * wrote meanwhile what the task reads, so that all other writers are then kept out of what it has touched, and it is run
 * twice more. A column that two runs from the same rows fill differently (a clock, a random value) tells nothing; the number of rows
 * always does. After the figures: the counters are no longer those of one run.
 */
export async function findChangesAgain(unit: OpenUnit, applied: Applied): Promise<ChangesAgain> {
  const watched = applied.slices.filter(isWatched);
  const changed = watched.some((slice) => !isUnchanged(slice));
  if (!isTriedTwice(unit.job) || !changed || (await isRepeatable(unit))) return { kind: 'none' };
  const { session } = unit;
  await session.query(`savepoint ${savepoint}`);
  const found = await triedAgain(unit, watched);
  // A connection that is lost here has to be said as that: the unit ends with it, and can be run again.
  await session.query(`rollback to savepoint ${savepoint}`);
  await session.query(`release savepoint ${savepoint}`);
  return found;
}

async function triedAgain(...[unit, watched]: Parameters<typeof tryAgain>): ReturnType<typeof tryAgain> {
  try {
    return await tryAgain(unit, watched);
  } catch (thrown) {
    const error = thrown instanceof StatementFailure ? thrown.error : thrown;
    if (!(error instanceof WarehouseError) || endsUnit(error)) throw thrown;
    if (thrown instanceof StatementFailure && thrown.refused) throw thrown;
    const note = `A second run, made to see whether it changes its rows again, fails: ${error.message}`;
    return { kind: 'not-known', note };
  }
}

/** Its rows are neither said to come again, nor those of one query, nor what is left after some were taken away. */
const isWatched = ({ target, table, taken, diff, gone }: AppliedSlice): boolean =>
  triedSlice(target.slice) &&
  gone !== true &&
  !taken.replaced &&
  table.materialized === undefined &&
  diff.leftOver?.deleted !== true;

const endsUnit = ({ kind, retryable }: WarehouseError): boolean =>
  retryable || kind === 'connection' || kind === 'cancelled';

async function tryAgain(unit: OpenUnit, slices: readonly AppliedSlice[]): Promise<ChangesAgain> {
  const first: State[] = [];
  for (const slice of slices) first.push({ taken: await firstFigures(unit, slice), columns: new Map() });
  const found = await changedByRuns(unit, slices, first);
  return found.kind === 'none' ? await addedByClock(unit, slices, first) : found;
}

async function changedByRuns(
  unit: OpenUnit,
  slices: readonly AppliedSlice[],
  first: readonly State[],
): Promise<ChangesAgain> {
  const { session } = unit;
  const figures = first.map(({ taken }) => taken);
  const second = await runAgain(unit, slices, { columns: 'as needed', before: figures });
  if (second.every(({ taken }, index) => isSame(taken, figures[index]))) return { kind: 'none' };
  await takeBack(session, savepoint);
  if (second.every((state, index) => rowsOf(state) === rowsOf(first[index]))) {
    const once: State[] = [];
    for (const [index, slice] of slices.entries())
      once.push({ taken: figures[index], columns: await columnFigures(session, slice.taken.relation) });
    const other = await runAgain(unit, slices, { columns: 'all' });
    const moved = (_: unknown, index: number) =>
      movedColumns([once[index], second[index]], [second[index], other[index]]).length > 0;
    if (!slices.some(moved)) return { kind: 'none' };
    await takeBack(session, savepoint);
  }
  await keepWritersOut(unit);
  await session.query(`savepoint ${amongLocks}`);
  const again = await runAgain(unit, slices, { columns: 'all' });
  const third = await runAgain(unit, slices, { columns: 'all' });
  await takeBack(session, amongLocks);
  const other = await runAgain(unit, slices, { columns: 'all' });
  const found = slices.flatMap(({ table }, index) => {
    const states = [first[index], again[index], third[index]] as const;
    const moved = movedColumns([again[index], third[index]], [again[index], other[index]]);
    return wordsOf(table.qualified, changedAgain(states, moved));
  });
  return found.length === 0 ? { kind: 'not-known', note: settled } : held(found);
}

/** In a transaction the clock stands still, so that rows under a key of the moment would meet themselves in a second run. */
async function addedByClock(
  unit: OpenUnit,
  slices: readonly AppliedSlice[],
  first: readonly State[],
): Promise<ChangesAgain> {
  const { session, plan } = unit;
  if (!plan.statements.some(({ text }) => shiftClocks(text, 'postgres', secondsLater(1)).shifted.length > 0))
    return { kind: 'none' };
  await takeBack(session, savepoint);
  const grows = (a: State | undefined, b: State | undefined) => (rowsOf(b) ?? 0) > (rowsOf(a) ?? 0);
  const later = await runAgain(unit, slices, { seconds: 1 });
  if (!later.some((state, index) => grows(first[index], state))) return { kind: 'none' };
  await takeBack(session, savepoint);
  await keepWritersOut(unit);
  const second = await runAgain(unit, slices, { seconds: 1 });
  const third = await runAgain(unit, slices, { seconds: 2 });
  const found = slices.flatMap(({ table }, index) => {
    const states = [first[index], second[index], third[index]] as const;
    return grows(second[index], third[index]) ? wordsOf(table.qualified, changedAgain(states, [])) : [];
  });
  return found.length === 0 ? { kind: 'none' } : held(found);
}

const rowsOf = (state: State | undefined): number | undefined => state?.taken?.figures.rows;

const takeBack = (session: Session, to: string) => session.query(`rollback to savepoint ${to}`);

interface Found {
  readonly table: string;
  readonly what: string;
}

const wordsOf = (table: string, what: string | undefined): readonly Found[] =>
  what === undefined ? [] : [{ table, what }];

const held = (found: readonly Found[]): ChangesAgain => ({
  kind: 'changes',
  reason: `Each run changes it again: ${found.map(({ table, what }) => `${table} ${what}`).join('; ')}.`,
  tables: found.map(({ table }) => table),
});

const settled =
  'A second run, taken back, left other rows and a third one no others: somebody else wrote meanwhile what it reads, or it takes two runs to come to its end.';

/** What a slice is after the first, a second and a third run, in words. */
function changedAgain(
  [first, second, third]: readonly [State | undefined, State | undefined, State | undefined],
  moved: readonly string[],
): string | undefined {
  const [one, two, three] = [first, second, third].map(rowsOf);
  if (two === three) {
    if (moved.length === 0) return undefined;
    const columns = moved.length > mostNamed ? `${moved.slice(0, mostNamed).join(', ')} …` : moved.join(', ');
    return `has ${plural(three ?? 0, 'row')}, in which a second run gives ${columns} other values once more`;
  }
  const then = (rows: number | undefined) => (rows === undefined ? 'is not there' : `has ${plural(rows, 'row')}`);
  return one === two
    ? `${then(two)} after a second run and ${then(three)} after a third`
    : `${then(one)} after this run and ${then(two)} after a second`;
}

const mostNamed = 5;
const longestWaitMs = 2000;

/** The figures of a slice as the first run left it, with a checksum even where nobody asked for one. */
const firstFigures = async (unit: OpenUnit, { taken }: AppliedSlice): Promise<TakenFigures | undefined> =>
  unit.job.options.compare === 'none'
    ? stateAfter(unit.session, taken.relation, taken.index, checksummed(unit), unit.position.ownAge)
    : taken.after;

const checksummed = ({ job }: OpenUnit) => ({ ...job.options, compare: 'checksums' as const });

/** The task once more, as though its session were new, and its clock so many seconds later. */
async function runAgain(
  unit: OpenUnit,
  slices: readonly AppliedSlice[],
  how: {
    readonly seconds?: number;
    /** Taken of all, or where rows are not as `before`. */
    readonly columns?: 'all' | 'as needed';
    readonly before?: readonly (TakenFigures | undefined)[];
  },
): Promise<readonly State[]> {
  const { session, job, start, plan } = unit;
  await asNewSession(unit);
  const { seconds, columns, before = [] } = how;
  const statements =
    seconds === undefined
      ? plan.statements
      : plan.statements.map((one) => ({
          ...one,
          text: shiftClocks(one.text, 'postgres', secondsLater(seconds)).text,
        }));
  const hidden = slices.some(({ table }) => table.rowSecurity);
  const leaving = { client_encoding: 'UTF8', ...job.options.settings, ...(hidden ? unhidden : {}), role: start.role };
  await runStatements({ ...unit, plan: { ...plan, statements } }, leaving);
  await session.query('set constraints all immediate');
  const relations = await relationsAfter(unit);
  const states: State[] = [];
  for (const [index, { taken }] of slices.entries()) {
    const relation = relations[taken.index];
    if (relation === undefined) {
      states.push({ taken: undefined, columns: new Map() });
      continue;
    }
    const now = await stateAfter(session, relation, taken.index, checksummed(unit), unit.position.ownAge);
    const asked = columns === 'all' || (columns === 'as needed' && !isSame(now, before[index]));
    states.push({ taken: now, columns: asked ? await columnFigures(session, relation) : new Map() });
  }
  return states;
}

async function columnFigures(session: Session, relation: SliceRelation): Promise<ReadonlyMap<string, string>> {
  const columns = comparedColumns(relation);
  if (columns.length === 0) return new Map();
  const sql = columnFiguresSql(tableSql(relation.table), relation.predicate, columns, relation.hash);
  const figures = (await session.query(sql)).rows[0] ?? [];
  return new Map(columns.map(({ name }, index) => [name, figures[index] ?? '']));
}

const isSame = (a: TakenFigures | undefined, b: TakenFigures | undefined): boolean =>
  a === undefined || b === undefined ? a === b : sameFigures(a, b);

type Pair = readonly [State | undefined, State | undefined];

/** Columns that differ between a run and the next one, and not between two runs from the same rows. */
function movedColumns([before, after]: Pair, [one, other]: Pair): readonly string[] {
  const names = new Set([...(before?.columns.keys() ?? []), ...(after?.columns.keys() ?? [])]);
  const differs = (name: string, a: State | undefined, b: State | undefined) =>
    a?.columns.get(name) !== b?.columns.get(name);
  return [...names].filter((name) => differs(name, before, after) && !differs(name, one, other));
}

/** As far as it can be had without waiting for long: a task that goes on changing is found out without it as well. */
async function keepWritersOut({ session, job }: OpenUnit): Promise<void> {
  const patience = Math.min(job.options.lockTimeoutMs, longestWaitMs);
  await applySettings(session, { lock_timeout: `${patience}ms` });
  for (const [lock] of (await session.query(keepWritersOutSql)).rows) {
    await session.query('savepoint backfill_lock');
    try {
      await session.query(String(lock));
    } catch (error) {
      if (!(error instanceof WarehouseError) || error.kind === 'connection' || error.kind === 'cancelled') throw error;
      await session.query('rollback to savepoint backfill_lock');
    }
    await session.query('release savepoint backfill_lock');
  }
  await applySettings(session, protectiveSettings(job.options));
}
