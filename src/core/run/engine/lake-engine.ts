import type { Lake, Warehouse } from '../../warehouse/port/ports.ts';
import { checkLake, withoutOthers } from '../partitioned/check-lake.ts';
import { partitionedExecutor } from '../partitioned/partitioned-executor.ts';
import { previewPartitioned } from '../partitioned/preview-partitioned.ts';
import { proveOnFiles } from '../partitioned/prove/prove-on-files.ts';
import type { Forecast } from '../unit/forecast.ts';
import type { UnitEngine } from './unit-engine.ts';

/** Units on partitions of files; the lake is reached when the first of them asks for it. */
export const lakeEngine = (warehouse: Warehouse, open: () => Promise<Lake>): UnitEngine => ({
  executor: (env) => partitionedExecutor(warehouse, open, env),
  preview: (env, timeBoxMs) => previewPartitioned(open, env, timeBoxMs),
  prove: (env, job, how) => proveOnFiles(open, env, job, how),
  sift: async (prepared) => withoutOthers(prepared, () => true),
  preflight: async (_, jobs) => (jobs.size === 0 ? [] : checkLake(await open(), jobs.values())),
  forecast: async (_, purpose) => notEstimated(purpose),
});

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
