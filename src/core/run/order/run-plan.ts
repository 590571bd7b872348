import type { ActiveRuns } from '../../ledger/active-overlaps.ts';
import type { LedgerSlice, LedgerStore, RunOverlap, UnitRecord } from '../../ledger/ledger-store.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import { withFindings } from '../../plan/findings/plan-findings.ts';
import type { Plan, PlanFinding, UnitId } from '../../plan/model/plan.ts';
import type { PreparedRun } from '../jobs/prepared-run.ts';
import { writtenSlices } from '../jobs/slices/written-slices.ts';
import { encodeRunDocument } from '../stored/run-document.ts';
import type { CancelSignal } from '../unit/cancel-signal.ts';
import type { Clock } from '../unit/clock.ts';
import { overlapInWords, ownerInWords, waitInWords } from '../unit/overlap-in-words.ts';
import type { RunEvent } from '../unit/run-event.ts';
import type { RunRefusal, RunResult, RunUnit } from '../unit/run-result.ts';
import type { UnitExecutor } from '../unit/unit-executor.ts';
import { finishedBefore } from '../unit/unit-results.ts';
import { driveToEnd } from './drive-to-end.ts';

/** Ports of a run. Without a ledger the run is a preview: nothing is recorded. */
export interface RunPorts {
  readonly executor: UnitExecutor;
  readonly ledger: LedgerStore | undefined;
  /** Who works on which slices, for a preview; a run asks its ledger. */
  readonly activeRuns?: ActiveRuns | undefined;
  readonly clock: Clock;
  readonly signal: CancelSignal;
  readonly onEvent: (event: RunEvent) => void;
  /** Asks the database about the plan before its first unit, where the shell has not done so. */
  readonly preflight?: (plan: Plan, jobs: PreparedRun['jobs']) => Promise<readonly PlanFinding[]>;
}

/**
 * Runs a plan from its beginning. Refused, with nothing written, when the plan has errors, holds nothing that can be
 * run from here even where all else is done elsewhere, or overlaps slices that another run is working on. Throws only for a bug.
 */
export async function runPlan(planned: PreparedRun, ports: RunPorts): Promise<RunResult> {
  const { run, jobs } = planned;
  const known = planErrors(planned.plan);
  const found = known === undefined ? ((await ports.preflight?.(planned.plan, jobs)) ?? []) : [];
  const prepared = { ...planned, plan: withFindings(planned.plan, found) };
  const { plan } = prepared;
  const errors = planErrors(plan);
  if (errors !== undefined) return refused(run, errors, ports);
  if (jobs.size === 0) {
    return refused(run, { code: 'nothing-to-run', ...whyNothing(prepared) }, ports);
  }
  const { ledger } = ports;
  const slices = writtenSlices(plan, prepared.jobs);
  const active = ledger ?? ports.activeRuns;
  const overlap = active && (await overlapping(active, run, slices));
  if (overlap !== undefined) return refused(run, overlap, ports);
  const createdAt = ports.clock.now();
  const save = async (): Promise<void> => {
    const { title, createdBy } = prepared;
    const document = encodeRunDocument(prepared);
    const ids = plan.units.map(({ id }) => id);
    await ledger?.saveRun({ run, createdAt, createdBy, title, document }, ids, slices);
  };
  if (ledger !== undefined) {
    await save();
    const late = await beginning(ledger, prepared, slices, prepared.createdBy);
    if (late !== undefined) return refused(run, late, ports);
  }
  const result = await carryOut(prepared, new Map(), ports, save);
  // Last, since an undo may need rows of that age; what cannot be forgotten now is by the next run.
  const { keepBeforeDays } = prepared.options;
  if (ledger !== undefined) await ports.executor.forget?.(keepBeforeDays).catch(() => {});
  await ledger?.forgetImages(keepBeforeDays).catch(() => {});
  return result;
}

/** Why a plan cannot be started, by its findings. */
export function planErrors({ findings }: Plan): RunRefusal | undefined {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return undefined;
  return { code: 'plan-errors', message: errors.map(({ message }) => message).join('; '), remedy: undefined };
}

/** Runs what `before` leaves of a prepared run; shared by a first run and a resume. `save` puts the run into its ledger. */
export async function carryOut(
  prepared: Omit<PreparedRun, 'title' | 'createdBy'>,
  before: ReadonlyMap<UnitId, UnitRecord>,
  ports: RunPorts,
  save: () => Promise<void>,
): Promise<RunResult> {
  const { plan, run, options } = prepared;
  const { ledger, clock, signal } = ports;
  const startedAt = clock.now();
  const { findings } = plan;
  const left = plan.units.filter(({ id }) => finishedBefore(before.get(id), run) === undefined);
  const tasks = new Map<TaskId, number>();
  for (const { task } of left) tasks.set(task, (tasks.get(task) ?? 0) + 1);
  ports.onEvent({
    kind: 'run-started',
    run,
    total: plan.units.length,
    toRun: left.length,
    tasks: [...tasks].map(([task, units]) => ({ task, units })),
    findings,
  });
  const { units, problem } = await driveToEnd(prepared, before, ports, save);
  const { vacuum = 'advise' } = options;
  const ran = units.flatMap(({ unit, ran: didRun }) => (didRun ? (prepared.jobs.get(unit) ?? []) : []));
  const notes = vacuum === 'off' ? [] : ((await ports.executor.tidy?.(ran, vacuum, signal)) ?? []);
  // Its lease ends by itself where the ledger cannot be reached.
  await ledger?.endRun(run).catch(() => {});
  const result: RunResult = {
    run,
    preview: ledger === undefined,
    outcome: outcomeOf(units, problem, signal),
    refusal: undefined,
    problem,
    units,
    notes,
    durationMs: clock.now() - startedAt,
  };
  ports.onEvent({ kind: 'run-finished', result });
  return result;
}

/** A run that was not started, as a result. */
export function refused(run: string, refusal: RunRefusal, { ledger }: Pick<RunPorts, 'ledger'>): RunResult {
  return {
    run,
    preview: ledger === undefined,
    outcome: 'refused',
    refusal,
    problem: undefined,
    units: [],
    durationMs: 0,
  };
}

/** Refusal that names the owners of slices which another live run works on. */
export async function overlapping(
  ledger: ActiveRuns,
  run: string,
  slices: readonly LedgerSlice[],
): Promise<RunRefusal | undefined> {
  return refusalOf(await ledger.activeOverlaps(run, slices));
}

/** As {@link overlapping}, and from then on this run is the one that others are refused for. */
export async function beginning(
  ledger: LedgerStore,
  { run, jobs }: Pick<PreparedRun, 'run' | 'jobs'>,
  slices: readonly LedgerSlice[],
  owner?: string,
): Promise<RunRefusal | undefined> {
  const [job] = jobs.values();
  return refusalOf(await ledger.beginRun(run, owner, slices, job?.options.leaseMs ?? 0));
}

/** The refusal as a plan says it before anything is asked to run. */
export const overlapFinding = ({ message, remedy }: RunRefusal): PlanFinding => ({
  code: 'overlapping-plan',
  severity: 'error',
  message: `${message}; ${remedy}`,
  task: undefined,
});

function refusalOf(found: readonly RunOverlap[]): RunRefusal | undefined {
  if (found.length === 0) return undefined;
  const owners = [...new Set(found.map(ownerInWords))];
  return { code: 'overlapping-run', message: overlapInWords(found), remedy: waitInWords(found), owners };
}

function outcomeOf(units: readonly RunUnit[], problem: string | undefined, signal: CancelSignal): RunResult['outcome'] {
  const has = (...states: readonly string[]): boolean => units.some(({ state }) => states.includes(state));
  // A cancel that came when everything had ended changed nothing.
  if (has('cancelled') || (signal.aborted && has('waiting'))) return 'cancelled';
  if (problem !== undefined || has('failed', 'unknown')) return 'failed';
  if (has('held')) return 'held';
  return has('blocked', 'waiting', 'running') ? 'failed' : 'done';
}

function whyNothing({ plan, refused: refusals }: PreparedRun): Pick<RunRefusal, 'message' | 'remedy'> {
  if (plan.units.length === 0) return { message: 'the plan has no units', remedy: undefined };
  const [first] = refusals.values();
  if (first === undefined) return { message: 'nothing of this plan can be run', remedy: undefined };
  const { message, remedy } = first;
  return { message, remedy };
}
