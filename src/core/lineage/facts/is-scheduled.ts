import type { Pipeline } from '../../pipeline/model/model.ts';

/** A stand-alone SQL file without a schedule is a script that somebody runs by hand: definitions, a seed, a repair. */
export const isScheduled = (pipeline: Pipeline): boolean =>
  pipeline.format !== 'sql-file' || pipeline.schedule.value.kind !== 'none';
