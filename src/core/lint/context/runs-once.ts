import type { Pipeline } from '../../pipeline/model/model.ts';

/** A file that no scheduler runs, in a folder whose files are run once: migrations, seeds, tests. */
export const runsOnce = ({ format, file, schedule }: Pipeline): boolean =>
  format === 'sql-file' &&
  schedule.value.kind !== 'cron' &&
  /(^|\/)(migrations?|seeds?|fixtures?|tests?)\//i.test(file);
