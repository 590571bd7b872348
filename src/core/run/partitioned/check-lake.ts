import type { PlanFinding } from '../../plan/model/plan.ts';
import type { Lake } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import type { PreparedJobs } from '../jobs/prepare-jobs.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { lakeTarget } from './target/lake-table.ts';
import { type Overwrite, readOverwrite } from './target/overwrite.ts';

/** Without the jobs on files whose statements cannot be carried out there, each with the reason and the cure. */
export function withoutOthers<T extends PreparedJobs>(
  prepared: T,
  isOnFiles: (job: UnitJob) => boolean = ({ place }) => place?.kind === 'lake',
): T {
  const jobs = new Map(prepared.jobs);
  const refused = new Map(prepared.refused);
  for (const [id, job] of prepared.jobs) {
    if (!isOnFiles(job) || job.carried !== undefined || job.restores !== undefined) continue;
    const read = readOverwrite(job);
    if (read.kind === 'ready') continue;
    jobs.delete(id);
    const { reason, remedy, statement } = read;
    const refusal: JobRefusal = {
      code: 'not-runnable',
      message: `${job.task} is not run on Spark from here: ${reason}`,
      remedy,
      at: statement?.at,
    };
    refused.set(id, refusal);
  }
  return { ...prepared, jobs, refused };
}

/** Run from here it is not what its scheduler's run is. */
function wipes(task: UnitJob['task'], { slice: { table }, fixed }: Overwrite): PlanFinding {
  const constants = Object.entries(fixed).map(([name, value]) => `${name} = ${value}`);
  const all =
    constants.length === 0 ? `the whole of ${table}` : `all partitions of ${table} with ${constants.join(', ')}`;
  const message =
    `${task} names no partition of its interval: run from here it replaces the partitions of its interval alone, run by its scheduler ${all}, ` +
    'unless spark.sql.sources.partitionOverwriteMode is dynamic there.';
  return { code: 'wider-elsewhere', severity: 'warning', message, task };
}

/**
 * What the tables of a plan have against it, asked once for each task: a format, partitions or columns that are not carried out from
 * here. Reads only. Throws {@link WarehouseError} where Spark does not answer.
 */
export async function checkLake(lake: Lake, jobs: Iterable<UnitJob>): Promise<readonly PlanFinding[]> {
  const found: PlanFinding[] = [];
  const asked = new Set<string>();
  const session = await lake.connect('own');
  try {
    for (const job of jobs) {
      const read = readOverwrite(job);
      if (asked.has(job.task) || read.kind === 'refused' || job.carried !== undefined) continue;
      asked.add(job.task);
      try {
        await lakeTarget(session, read, lake.serverVersion);
        if (read.wipes) found.push(wipes(job.task, read));
      } catch (error) {
        if (!(error instanceof WarehouseError) || error.retryable || error.kind === 'connection') throw error;
        const { hint } = error.detail;
        const message = `${job.task}: ${error.message}${hint === undefined ? '' : ` ${hint}`}`;
        found.push({ code: 'not-runnable', severity: 'error', message, task: job.task });
      }
    }
    return found;
  } finally {
    await session.close();
  }
}
