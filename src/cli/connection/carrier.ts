import type { Command } from 'commander';
import { Option } from 'commander';
import type { LedgerStore } from '../../core/ledger/ledger-store.ts';
import type { Plan, UnitId } from '../../core/plan/model/plan.ts';
import { carriedExecutor } from '../../core/run/carried/carried-executor.ts';
import { type CheckedJobs, checkCarried } from '../../core/run/carried/check-carried.ts';
import { onceThere } from '../../core/run/carried/once-there.ts';
import { engineOf } from '../../core/run/engine/engine-of.ts';
import type { CarriedBy } from '../../core/run/jobs/make-carried-job.ts';
import type { PreparedJobs } from '../../core/run/jobs/prepare-jobs.ts';
import type { RunPorts } from '../../core/run/order/run-plan.ts';
import type { RelationalRunner } from '../../core/run/session/runner.ts';
import { decodeRunDocument, type RunDocument } from '../../core/run/stored/run-document.ts';
import type { UnitExecutor } from '../../core/run/unit/unit-executor.ts';
import type { UnitJob } from '../../core/run/unit/unit-job.ts';
import type { Scheduler } from '../../core/scheduler/port/scheduler.ts';
import { SchedulerError } from '../../core/scheduler/port/scheduler-error.ts';
import type { Warehouse } from '../../core/warehouse/port/ports.ts';
import { resolveScheduler } from '../../node/config/resolve-scheduler.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { openScheduler } from '../../orchestrators/open.ts';
import type { PlanView } from '../reporters/run/plan-text.ts';
import { type Shell, UsageError } from '../terminal/shell.ts';
import { reportRefusals } from './report-refusals.ts';

export interface CarrierOptions {
  readonly on?: 'airflow';
  readonly scheduler?: string;
}

export const addCarrierOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--on <whom>', 'give SQL tasks to the scheduler too, instead of running them from here').choices([
        'airflow',
      ]),
    )
    .option('--scheduler <name>', 'scheduler of backfill.yaml that is given what is not run from here');

/** Which units of a plan a scheduler of `backfill.yaml` is given; `undefined`: none. Nothing is asked of it yet. */
export function carriedBy(
  { config }: Workspace,
  plan: Plan,
  { on, scheduler: named }: CarrierOptions,
  { env }: Shell,
): CarriedBy | undefined {
  const all = on === 'airflow';
  if (!all && named === undefined && plan.units.every(({ executor }) => executor.kind !== 'airflow')) return undefined;
  const resolved = resolveScheduler(config, named, env);
  if (resolved === undefined) {
    if (all) throw new UsageError(`${config.file} has no scheduler`, 'add one under schedulers');
    return undefined;
  }
  if ('problem' in resolved) throw new UsageError(resolved.problem.message);
  return { scheduler: resolved.scheduler.name, all };
}

/**
 * Opens a scheduler by its name, or the only one there is. Throws {@link SchedulerError}, or a usage error where it is not in
 * `backfill.yaml`.
 */
export async function openCarrier({ config }: Workspace, name: string | undefined, { env }: Shell): Promise<Scheduler> {
  const resolved = resolveScheduler(config, name, env);
  if (resolved === undefined) throw new UsageError(`${config.file} has no scheduler ${name ?? ''}`.trimEnd());
  if ('problem' in resolved) throw new UsageError(resolved.problem.message);
  return openScheduler(resolved.scheduler);
}

/** What a plan for people says of the units that are given away; `undefined` where none is. */
export function carriedView(
  jobs: ReadonlyMap<UnitId, UnitJob>,
  scheduler: Scheduler | undefined,
  name: string,
): PlanView['carried'] {
  const tasks = new Set([...jobs.values()].flatMap(({ carried, task }) => (carried === undefined ? [] : [task])));
  const where = scheduler && `Airflow ${scheduler.description.version} at ${scheduler.description.target}, `;
  return { tasks, by: name, where: `${where ?? ''}scheduler ${name}` };
}

/** As {@link checkCarried}; where the scheduler does not answer, a warning says so, and the plan is made without it. */
export async function askCarrier(
  workspace: Workspace,
  { scheduler: name }: CarriedBy,
  plan: Plan,
  prepared: PreparedJobs,
  shell: Shell,
): Promise<{ readonly scheduler: Scheduler; readonly checked: CheckedJobs } | undefined> {
  try {
    const scheduler = await openCarrier(workspace, name, shell);
    const { pipelines } = workspace.facts;
    const { concurrency } = workspace.config.run;
    const checked = await checkCarried(scheduler, plan, prepared, { pipelines, concurrency });
    const found = [...checked.refused].flatMap(([unit, refusal]) => (prepared.refused.has(unit) ? [] : [refusal]));
    reportRefusals(found, workspace, shell);
    return { scheduler, checked };
  } catch (error) {
    if (!(error instanceof SchedulerError)) throw error;
    const { yellow, green } = shell.colors;
    shell.err(`${yellow('warning')} the scheduler was not asked about this plan: ${error.message}\n`);
    shell.err(`  ${green('help')} the run will ask; plan with --offline where there is none to ask\n`);
    return undefined;
  }
}

/** Runs units from here, and gives the others to the scheduler where there is one. */
export function executorFor(
  warehouse: Warehouse,
  env: RelationalRunner,
  scheduler: Scheduler | undefined,
): UnitExecutor {
  const here = engineOf(warehouse).executor(env);
  return scheduler === undefined ? here : carriedExecutor(scheduler, warehouse, env, here);
}

/** A stored run as it was asked for; `undefined` where it cannot be read. */
export async function storedRun(ledger: LedgerStore, run: string): Promise<RunDocument | undefined> {
  const stored = await ledger.loadRun(run);
  const decoded = stored && decodeRunDocument(stored.document);
  return decoded?.ok === true ? decoded.value : undefined;
}

/** The scheduler that a stored run was given to, opened; where it is away, waited for as the run waits for its servers. */
export async function carrierOfRun(
  { jobs, options }: RunDocument,
  workspace: Workspace,
  shell: Shell,
  ports: Pick<RunPorts, 'clock' | 'signal' | 'onEvent'>,
): Promise<Scheduler | undefined> {
  for (const { carried } of jobs.values())
    if (carried !== undefined) return onceThere(() => openCarrier(workspace, carried.scheduler, shell), options, ports);
  return undefined;
}
