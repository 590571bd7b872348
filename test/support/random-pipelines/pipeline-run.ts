import { sqlLedgerStore } from '../../../src/core/ledger/sql-ledger-store.ts';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import type { Plan } from '../../../src/core/plan/model/plan.ts';
import { type PreparedJobs, prepareJobs } from '../../../src/core/run/jobs/prepare-jobs.ts';
import { resumeRun } from '../../../src/core/run/order/resume-run.ts';
import { runPlan } from '../../../src/core/run/order/run-plan.ts';
import { relationalExecutor } from '../../../src/core/run/relational/relational-executor.ts';
import { defaultRunOptions } from '../../../src/core/run/unit/run-options.ts';
import type { RunResult } from '../../../src/core/run/unit/run-result.ts';
import type { UnitExecutor } from '../../../src/core/run/unit/unit-executor.ts';
import type { UnitOptions } from '../../../src/core/run/unit/unit-job.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import type { Warehouse } from '../../../src/core/warehouse/port/ports.ts';
import { loadWorkspace, type Workspace } from '../../../src/node/load-workspace.ts';
import { placesOf, unitOptions } from '../../../src/node/run-setup.ts';
import { neverAborted, realClock } from '../warehouse-fixture.ts';
import type { WorkspaceModel } from './model.ts';
import { writeWorkspace } from './write-workspace.ts';

export interface Runner {
  readonly workspace: Workspace;
  readonly warehouse: Warehouse;
  readonly model: WorkspaceModel;
  readonly owner: string;
}

/** Writes the files anew and reads them as the product does. */
export async function openRunner(
  root: string,
  model: WorkspaceModel,
  warehouse: Warehouse,
  owner = 'runner',
): Promise<Runner> {
  writeWorkspace(root, model);
  return { workspace: await loadWorkspace(root), warehouse, model, owner };
}

export interface Selected {
  readonly tasks: readonly string[];
  readonly from: number;
  readonly to: number;
  /** With everything that reads what is rewritten, unless said otherwise. */
  readonly downstream?: boolean;
}

export function planOf(
  { workspace, model }: Runner,
  { tasks, from, to, downstream = true }: Selected,
  expandUnbounded = true,
): Plan {
  return makePlan(workspace.tasks, {
    tasks,
    // By when the runs are, not by the days that they write, which lie elsewhere for many a spelling.
    selection: { kind: 'logical-dates', first: instant(from), last: instant(to - 1) },
    downstream,
    without: [],
    expandUnbounded,
    allowAppend: false,
    now: instant(model.now),
  });
}

export interface HowToRun {
  readonly run: string;
  readonly concurrency?: number;
  readonly options?: Partial<UnitOptions>;
  readonly maxAttempts?: number;
  /** Stands between the run and what carries its units out. */
  readonly around?: (executor: UnitExecutor) => UnitExecutor;
}

export const jobsOf = ({ workspace, model }: Runner, plan: Plan, how: HowToRun): PreparedJobs =>
  prepareJobs(
    plan,
    workspace.facts,
    workspace.config.declared,
    {
      run: how.run,
      variables: {},
      params: {},
      options: {
        ...unitOptions(workspace.config, { timezone: model.sessionZone }),
        holdShrinkPercent: undefined,
        lockTable: false,
        ...how.options,
      },
    },
    placesOf(workspace.config, 'here', {}),
  );

export async function runIt(runner: Runner, plan: Plan, how: HowToRun): Promise<RunResult> {
  const { warehouse, owner } = runner;
  const { jobs, refused } = jobsOf(runner, plan, how);
  const executor = relationalExecutor(warehouse, { clock: realClock, owner });
  const ledger = sqlLedgerStore(warehouse);
  try {
    return await runPlan(
      {
        run: how.run,
        title: how.run,
        createdBy: owner,
        plan,
        jobs,
        refused,
        options: {
          ...defaultRunOptions,
          backoffMs: 20,
          maxBackoffMs: 200,
          concurrency: how.concurrency ?? 3,
          maxAttempts: how.maxAttempts ?? defaultRunOptions.maxAttempts,
        },
      },
      {
        executor: how.around?.(executor) ?? executor,
        ledger,
        clock: realClock,
        signal: neverAborted,
        onEvent: () => {},
      },
    );
  } finally {
    await executor.close();
    await ledger.close();
  }
}

export async function resumeIt(runner: Runner, run: string, acceptHeld = false): Promise<RunResult> {
  const { workspace, warehouse, owner } = runner;
  const executor = relationalExecutor(warehouse, { clock: realClock, owner });
  const ledger = sqlLedgerStore(warehouse);
  try {
    return await resumeRun(
      { run, codeHashes: new Map(workspace.tasks.map(({ id, codeHash }) => [id, codeHash])), acceptHeld },
      { executor, ledger, clock: realClock, signal: neverAborted, onEvent: () => {} },
    );
  } finally {
    await executor.close();
    await ledger.close();
  }
}

/** What a run came to, short enough to compare. */
export function summary({ outcome, refusal, problem, units }: RunResult): object {
  const bad = units.filter(({ state }) => state !== 'changed' && state !== 'unchanged' && state !== 'skipped');
  return {
    outcome,
    refusal: refusal?.message,
    problem,
    bad: bad.slice(0, 5).map(({ unit, state, message }) => `${unit} ${state}: ${message}`),
  };
}

export const done = { outcome: 'done', refusal: undefined, problem: undefined, bad: [] };
