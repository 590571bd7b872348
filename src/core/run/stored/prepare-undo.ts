import type { SliceDiff } from '../../diff/slice-diff.ts';
import type { ChangedSlice, LedgerStore } from '../../ledger/ledger-store.ts';
import { undoMark } from '../../ledger/undo-mark.ts';
import type { Plan, PlanUnit, UnitId, WaitRange } from '../../plan/model/plan.ts';
import { plural } from '../../text/plural.ts';
import type { Instant } from '../../time/zones/instant.ts';
import type { PreparedRun } from '../jobs/prepared-run.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { notUndone } from './not-undone.ts';
import { decodeRunDocument, type RunDocument } from './run-document.ts';

export interface UndoRequest {
  /** The run whose changes are taken back. */
  readonly run: string;
  /** Only these units of it; all that it changed where undefined. */
  readonly units: readonly UnitId[] | undefined;
  /** Id of the run that the undo is. */
  readonly as: string;
  readonly createdBy: string;
  readonly now: Instant;
}

/** Why nothing is undone, and what to do. */
export interface UndoRefusal {
  readonly message: string;
  readonly remedy: string;
}

/**
 * An undo is a run of its own: the changed units of a run, the last one first, each putting its slices back to the rows
 * of before. Refused as a whole where the rows of a slice were not kept or a later run made it anew.
 */
export async function prepareUndo(
  { run, units, as, createdBy, now }: UndoRequest,
  ledger: LedgerStore,
): Promise<PreparedRun | UndoRefusal> {
  const stored = await ledger.loadRun(run);
  if (stored === undefined) {
    return { message: `there is no run ${run} in this database`, remedy: 'list them with: backfill history' };
  }
  const every = await ledger.changedSlices(run);
  // What an earlier undo has put back is done.
  const all = every.filter(({ undone }) => undone !== true);
  const before = every.find(({ unit, undone }) => undone === true && (units === undefined || units.includes(unit)));
  if (before !== undefined && (units !== undefined || all.length === 0)) {
    const what = units === undefined ? `run ${run}` : `${before.unit} of run ${run}`;
    return { message: `${what} was undone already, by run ${before.newerRun}`, remedy: `see: backfill history ${run}` };
  }
  const changed = units === undefined ? all : all.filter(({ unit }) => units.includes(unit));
  const begun = (await ledger.begun(run)).filter((unit) => units === undefined || units.includes(unit));
  if (begun.length > 0) {
    const [first, ...others] = begun;
    const more = others.length > 0 ? ` and ${plural(others.length, 'more unit')}` : '';
    return {
      message: `run ${run} has not ended: rows of ${first}${more} may be there already, and what was there before is known once it has`,
      remedy: `end it first: backfill resume ${run}`,
    };
  }
  const missing = (units ?? []).find((unit) => !all.some((slice) => slice.unit === unit));
  if (missing !== undefined) {
    return { message: `run ${run} changed nothing by ${missing}`, remedy: `see: backfill history ${run}` };
  }
  const stuck = changed.flatMap((slice) => whyNot(slice) ?? []);
  if (stuck.length > 0) {
    const more = stuck.length > 3 ? `; and ${plural(stuck.length - 3, 'more slice')}` : '';
    return {
      message: `run ${run} cannot be undone as a whole: ${stuck.slice(0, 3).join('; ')}${more}`,
      remedy: 'undo single units of it, or run their intervals again',
    };
  }
  const records = new Map((await ledger.units(run)).map(({ unit, slices }) => [unit, slices]));
  if (changed.length === 0) {
    const stays = [...records.values()].some((slices) => slices.some((diff) => (diff.stays ?? []).length > 0));
    return {
      message: `run ${run} changed no${stays ? ' rows, and an undo takes nothing else back' : 'thing'}`,
      remedy: stays ? `see what else it did: backfill history ${run}` : 'there is nothing to undo',
    };
  }
  const decoded = decodeRunDocument(stored.document);
  if (!decoded.ok) return { message: `run ${run}: ${decoded.reason}`, remedy: 'undo it with the version that made it' };
  const altered = changed.find(
    ({ unit, target, rowsBefore }) =>
      rowsBefore !== undefined &&
      decoded.value.jobs.get(unit)?.options.compare === 'rows' &&
      (records.get(unit) ?? []).some(({ table, before, added }) => table === target && before && added === undefined),
  );
  if (altered !== undefined) {
    return {
      message: `run ${run} cannot be undone${units === undefined ? ' as a whole' : ''}: ${altered.unit} changed the columns of ${altered.target}, and the rows of before have others`,
      remedy: 'undo single units of it that came after, or put the columns back by hand and run the interval again',
    };
  }
  return undoOf(decoded.value, [...new Set(changed.map(({ unit }) => unit))], records, { run, as, createdBy, now });
}

export const isUndoRefusal = (made: PreparedRun | UndoRefusal): made is UndoRefusal => 'remedy' in made;

function whyNot({ unit, target, rowsBefore, kept, newerRun }: ChangedSlice): string | undefined {
  if (newerRun !== undefined) return `run ${newerRun} made the slice of ${target} of ${unit} anew`;
  // Whether the table that it made is still the same is asked when it is dropped.
  if (rowsBefore === undefined) return undefined;
  if (kept === undefined) return `the rows of ${target} before ${unit} were not kept`;
  return undefined;
}

function undoOf(
  { plan, jobs, options }: RunDocument,
  changed: readonly UnitId[],
  records: ReadonlyMap<UnitId, readonly SliceDiff[]>,
  { run, as, createdBy, now }: Omit<UndoRequest, 'units'>,
): PreparedRun {
  const planned = new Map(plan.units.map((unit) => [unit.id, unit]));
  const units: PlanUnit[] = [];
  const byTask = new Map<string, number[]>();
  let last: WaitRange | undefined;
  for (const id of changed) {
    const unit = planned.get(id);
    if (unit === undefined) continue;
    const { task } = unit;
    const own = byTask.get(task) ?? [];
    // Also where one is tried again: an earlier change of the same rows is taken back after the later one.
    units.push({ ...unit, reasons: [{ kind: 'selected' }], waitsFor: last === undefined ? [] : [last] });
    last = { task, first: own.length, last: own.length };
    own.push(units.length - 1);
    byTask.set(task, own);
  }
  const findings = notUndone(run, changed, jobs, records);
  const undoPlan: Plan = { version: 1, now, units, byTask, findings, codeHashes: new Map(), widened: [] };
  return {
    run: as,
    title: undoMark(run),
    createdBy,
    plan: undoPlan,
    jobs: new Map(
      units.flatMap(({ id }) => {
        const job = jobs.get(id);
        return job === undefined ? [] : [[id, undoJob(job, records.get(id) ?? [], run, as)]];
      }),
    ),
    refused: new Map(),
    // One after the other, the last change first: what was read by a later unit is put back after it.
    options: { ...options, concurrency: 1, stopAtFirstFailure: true },
  };
}

const undoJob = (job: UnitJob, changed: readonly SliceDiff[], run: string, as: string): UnitJob => ({
  ...job,
  // Compared in the columns that were compared then: without statements nobody can tell which those are.
  slices: job.slices
    // A table that the connection did not reach has nothing to be put back.
    .filter(({ table }) => job.carried === undefined || changed.some((diff) => diff.table === table))
    .map((slice) => {
      const { surrogates } = changed.find(({ table }) => table === slice.table) ?? {};
      return { ...slice, surrogates };
    }),
  run: as,
  carried: undefined,
  statements: [],
  // Of the task; what the code of its tables does is asked when it is run.
  outside: undefined,
  makesSql: undefined,
  inputs: [],
  cutsOff: false,
  codeHash: undoMark(run),
  restores: { run, unit: job.unit },
  options: { ...job.options, compare: 'rows', holdShrinkPercent: undefined },
});
