import type { JobSlice, UnitOptions } from './unit-job.ts';

/**
 * How many units may write the table of a slice at once, all runs together; `undefined`: as many as like. Units that
 * lock the table would only wait for each other, with their transactions open.
 */
export const tableCap = (slice: JobSlice, options: UnitOptions): number | undefined =>
  options.lockTable ? 1 : (slice.concurrency ?? options.tableConcurrency);
