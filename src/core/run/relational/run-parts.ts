import { recordHalfwaySql } from '../../warehouse/dialects/postgres/ledger/record-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import { type ClaimedUnit, withClaim } from '../claim/claimed-unit.ts';
import { holdFence, lockSlices, lockTables, lostClaim } from '../claim/fence.ts';
import type { AppliedSlice } from '../record/applied.ts';
import { consumedInputs } from '../record/consumed-inputs.ts';
import { decide } from '../record/decide.ts';
import { dueUnit } from '../record/due-unit.ts';
import { recordOutcome } from '../record/record.ts';
import { withCauses } from '../record/slice-causes.ts';
import { sliceMeasures } from '../record/slice-measures.ts';
import type { Cancellable } from '../session/cancellable.ts';
import {
  applySettings,
  enterTransaction,
  keepSettings,
  protectiveSettings,
  unhidden,
} from '../session/session-settings.ts';
import { StatementFailure } from '../session/statement-failure.ts';
import { stateAfter, stateBefore } from '../tables/slice-state.ts';
import { resolveTargets, type Target } from '../tables/target.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';
import { type ComparedSlice, compareSlices } from './apply/compare-slices.ts';
import type { SentUnit } from './run-unit.ts';
import { readPosition } from './task/position.ts';
import { runStatement } from './task/run-statements.ts';
import type { TaskPart } from './task/task-parts.ts';
import { whyNotTried } from './task/tried-twice.ts';

/** A unit that is not atomic, and how far it has come. */
export interface PartedRun extends SentUnit {
  readonly parts: readonly TaskPart[];
  /** In words, once something of it may be there to stay. */
  halfway: string | undefined;
}

/**
 * The protocol for a unit that cannot be one transaction. Kept are the claim, the locks (by the session, not by a
 * transaction), the fence before each part, the figures before and after, and a record in a transaction of its own. Before
 * anything can be there to stay, the ledger says that it is not known how the unit ends. Not kept: nothing can be held or
 * undone, and rows outside of its slices are not looked for. Throws {@link WarehouseError}.
 */
export const runParts = (run: PartedRun, raw: Session, steps: Cancellable): Promise<UnitOutcome> =>
  withClaim(run, raw, steps, (unit) => partAfterPart(run, unit));

async function partAfterPart(run: PartedRun, unit: ClaimedUnit): Promise<UnitOutcome> {
  const { job, env, types, warehouse } = run;
  const { claim, steps, durationMs } = unit;
  const { session } = steps;
  const { fence, targets } = claim;
  await keepSettings(session, job.options.settings, protectiveSettings(job.options));
  if (warehouse.leases === 'server') await lockSlices(session, targets, 'session end');
  await begin(session, job, fence);
  const due = await dueUnit(run, unit);
  if ('outcome' in due) return due.outcome;
  const { marker, cutoff, found, moment } = due;
  const before = await figuresOf(session, job, targets);
  await session.query('commit');
  for (const [index, part] of run.parts.entries()) await runPart(run, session, part, index);
  await begin(session, job, fence);
  const after = await resolveTargets(session, job, warehouse.description, types);
  const compared = await compareParts(run, session, targets, after, before);
  const measures = await sliceMeasures(session, job, targets);
  const decision = decide({ ...compared, escape: { kind: 'none' } }, job, measures);
  const notes = [
    `${job.task} is not atomic: ${job.notAtomic}`,
    ...compared.notes,
    ...(whyNotTried(job) === undefined ? [] : [`${whyNotTried(job)}`]),
    ...(decision.kind === 'held' ? [`It would have been held, had it been one transaction: ${decision.reason}`] : []),
  ];
  const state = decision.kind === 'unchanged' ? 'unchanged' : 'changed';
  const inputs = await consumedInputs(cutoff, found, moment);
  const slices = compared.slices.map((slice) => withCauses(slice, job, marker, inputs, cutoff.unseen.unrecorded));
  const seen = { inputs, definitionsHash: marker.definitionsHash };
  const message = notes.join('\n');
  await recordOutcome(session, job, env, fence, seen, { state, message, slices, durationMs: durationMs() });
  await steps.commit();
  run.claim = undefined;
  return { state, slices: slices.map(({ diff }) => diff), notes, durationMs: durationMs() };
}

async function begin(session: Session, job: UnitJob, fence: string): Promise<void> {
  await session.query('begin isolation level read committed');
  await enterTransaction(session, job.options.settings, protectiveSettings(job.options));
  await holdFence(session, fence);
}

async function runPart(run: PartedRun, session: Session, part: TaskPart, index: number): Promise<void> {
  const { job, claim, parts } = run;
  const fence = claim?.fence ?? '';
  const [first] = part.statements;
  const of = `${parts.length} parts`;
  if (part.alone && first !== undefined) {
    const text = first.text.trim().replace(/\s+/g, ' ').slice(0, 80);
    const message = `not atomic: it had done ${index} of its ${of} and was at ${text}`;
    await recordHalfway(session, job, fence, message);
    run.halfway = message;
    try {
      await session.query(first.text);
    } catch (error) {
      throw error instanceof WarehouseError ? new StatementFailure(first, error, false) : error;
    }
    await keepSettings(session, job.options.settings, protectiveSettings(job.options));
    return;
  }
  await begin(session, job, fence);
  if (job.options.lockTable)
    await lockTables(session, await resolveTargets(session, job, run.warehouse.description, run.types));
  const position = await readPosition(session, []);
  for (const statement of part.statements)
    await runStatement({ session, job, position }, statement, statement.text, {});
  const message = `not atomic: it had done ${index + 1} of its ${of}`;
  await recordHalfway(session, job, fence, message);
  const before = run.halfway;
  run.halfway = message;
  try {
    await session.query('commit');
  } catch (error) {
    // What the server itself refuses or stops is rolled back; only a lost answer leaves it open.
    if (error instanceof WarehouseError && error.kind !== 'connection') run.halfway = before;
    throw error;
  }
}

async function recordHalfway(session: Session, job: UnitJob, fence: string, message: string): Promise<void> {
  const recorded = await session.query(recordHalfwaySql, [job.run, job.unit, message, fence]);
  if (recorded.rows.length === 0) throw lostClaim();
}

/** Figures only: a copy of the rows would not outlive its transaction. */
const figuresOnly = ({ options }: UnitJob): UnitJob['options'] => ({
  ...options,
  compare: options.compare === 'none' ? 'none' : 'checksums',
});

async function figuresOf(session: Session, job: UnitJob, targets: readonly Target[]) {
  const hidden = targets.some(({ relation }) => relation?.table.rowSecurity);
  if (hidden) await applySettings(session, unhidden);
  const before: ComparedSlice['before'][] = [];
  for (const [index, { relation }] of targets.entries()) {
    before.push(relation && (await stateBefore(session, relation, index, figuresOnly(job))));
  }
  return before;
}

async function compareParts(
  run: PartedRun,
  session: Session,
  targets: readonly Target[],
  after: readonly Target[],
  before: readonly ComparedSlice['before'][],
): Promise<{ readonly slices: readonly AppliedSlice[]; readonly notes: readonly string[] }> {
  const { plan } = run;
  const job = { ...run.job, options: figuresOnly(run.job) };
  if (after.some(({ relation }) => relation?.table.rowSecurity)) await applySettings(session, unhidden);
  const slices: ComparedSlice[] = [];
  for (const [index, target] of targets.entries()) {
    const relation = after[index]?.relation;
    if (relation === undefined) continue;
    const taken = await stateAfter(session, relation, index, job.options, '0');
    slices.push({ target, index, relation, column: target.slice.column, before: before[index], after: taken });
  }
  return compareSlices({ session, job, plan }, slices);
}
