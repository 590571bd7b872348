import type { Warehouse } from '../../warehouse/port/ports.ts';
import { withOutside } from '../irrevocable/with-outside.ts';
import { preflight } from '../preflight/preflight.ts';
import { forecastJobs } from '../relational/preview/forecast-jobs.ts';
import { openPreview } from '../relational/preview/preview.ts';
import { proveUnit } from '../relational/prove/prove.ts';
import { relationalExecutor } from '../relational/relational-executor.ts';
import type { UnitEngine } from './unit-engine.ts';

/** Units in the database itself: one transaction each. */
export const databaseEngine = (warehouse: Warehouse): UnitEngine => ({
  executor: (env) => relationalExecutor(warehouse, env),
  preview: (env, timeBoxMs, jobs) => openPreview(warehouse, env, timeBoxMs, jobs),
  prove: (env, job, how) => proveUnit(warehouse, env, job, how),
  sift: (prepared) => withOutside(warehouse, prepared),
  preflight: (plan, jobs) => preflight(warehouse, plan, jobs),
  forecast: (jobs, purpose) => forecastJobs(warehouse, jobs, purpose),
});
