import { makePlan } from '../src/core/plan/make-plan.ts';
import type { PlanUnit } from '../src/core/plan/model/plan.ts';
import { prepareJobs } from '../src/core/run/jobs/prepare-jobs.ts';
import type { PreparedRun } from '../src/core/run/jobs/prepared-run.ts';
import { defaultRunOptions } from '../src/core/run/unit/run-options.ts';
import type { UnitJob, UnitOptions } from '../src/core/run/unit/unit-job.ts';
import { instant } from '../src/core/time/zones/instant.ts';
import { emptyConfig } from '../src/node/config/config.ts';
import { unitOptions } from '../src/node/run-setup.ts';
import type { MemoryWorkspace } from './memory-workspace.ts';
import { firstDay } from './sales-database.ts';

const dayMs = 86_400_000;

export interface SalesRun {
  readonly task: 'aggregate' | 'copy';
  readonly days: number;
  /** Makes one row in a hundred differ from those of another round. */
  readonly round: number;
  readonly compare: UnitOptions['compare'];
  readonly concurrency: number;
}

let runs = 0;

/** The task over the first days, planned and with its jobs made, as `backfill run` would have it. */
export function prepareSales({ facts, tasks }: MemoryWorkspace, asked: SalesRun): PreparedRun {
  const from = Date.parse(`${firstDay}T00:00:00Z`);
  const plan = makePlan(tasks, {
    tasks: [`sales.${asked.task}`],
    selection: { kind: 'data-range', from: instant(from), to: instant(from + asked.days * dayMs) },
    downstream: false,
    without: [],
    expandUnbounded: false,
    allowAppend: false,
    now: instant(from + 365 * dayMs),
  });
  const run = `bench-${++runs}`;
  // No scheduler writes beside it, and its peers lock no table either.
  const options = { ...unitOptions(emptyConfig, {}), compare: asked.compare, lockTable: false };
  const setting = { run, options, variables: {}, params: { round: asked.round } };
  const { jobs, refused } = prepareJobs(plan, facts, new Map(), setting, () => undefined);
  const [refusal] = refused.values();
  if (refusal !== undefined || jobs.size !== asked.days) throw new Error(refusal?.message ?? `${jobs.size} jobs`);
  return {
    run,
    title: 'bench',
    createdBy: 'bench',
    plan,
    jobs,
    refused,
    options: { ...defaultRunOptions, concurrency: asked.concurrency },
  };
}

/** The jobs in plan order. */
export const jobsOf = ({ plan, jobs }: PreparedRun): readonly UnitJob[] =>
  plan.units.map(({ id }: PlanUnit) => {
    const job = jobs.get(id);
    if (job === undefined) throw new Error(`no job ${id}`);
    return job;
  });
