import type { Warehouse } from '../../warehouse/port/ports.ts';
import { withOutside } from '../irrevocable/with-outside.ts';
import { checkLake, withoutOthers } from '../partitioned/check-lake.ts';
import { partitionedExecutor } from '../partitioned/partitioned-executor.ts';
import { previewPartitioned } from '../partitioned/preview-partitioned.ts';
import { proveOnFiles } from '../partitioned/prove/prove-on-files.ts';
import { preflight } from '../preflight/preflight.ts';
import { forecastJobs } from '../relational/preview/forecast-jobs.ts';
import { openPreview } from '../relational/preview/preview.ts';
import { proveUnit } from '../relational/prove/prove.ts';
import { relationalExecutor } from '../relational/relational-executor.ts';
import type { Forecast } from '../unit/forecast.ts';
import type { UnitEngine } from './unit-engine.ts';

/** One transaction a unit, where the tables are the warehouse's own; partitions of files, where they are a lake's. */
export function engineOf(warehouse: Warehouse): UnitEngine {
  const { lake } = warehouse;
  if (lake === undefined)
    return {
      executor: (env) => relationalExecutor(warehouse, env),
      preview: (env, timeBoxMs, jobs) => openPreview(warehouse, env, timeBoxMs, jobs),
      prove: (env, job, how) => proveUnit(warehouse, env, job, how),
      sift: (prepared) => withOutside(warehouse, prepared),
      preflight: (plan, jobs) => preflight(warehouse, plan, jobs),
      forecast: (jobs, purpose) => forecastJobs(warehouse, jobs, purpose),
    };
  return {
    executor: (env) => partitionedExecutor(warehouse, lake, env),
    preview: (env, timeBoxMs, jobs) => previewPartitioned(lake, env, timeBoxMs, jobs),
    prove: (env, job, how) => proveOnFiles(lake, env, job, how),
    sift: async (prepared) => withoutOthers(prepared),
    preflight: (_, jobs) => checkLake(lake, jobs.values()),
    forecast: async (_, purpose) => notEstimated(purpose),
  };
}

/** Spark's planner has estimates of bytes, and of rows only where somebody has had its tables analyzed. */
const notEstimated = (purpose: 'run' | { readonly timeBoxMs: number }): Forecast => ({
  way: purpose === 'run' ? 'units' : 'stage',
  reads: [],
  writes: [],
  locks: [],
  heldAtMostMs: purpose === 'run' ? undefined : purpose.timeBoxMs,
  unplanned: 0,
  problem: 'Spark is not asked for estimates',
});
