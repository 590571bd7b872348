import type { TaskId } from '../../pipeline/model/model.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import type { Warehouse } from '../../warehouse/port/ports.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { outsideEffects } from './outside-effects.ts';
import { outsideRefusal, type Rehearsal } from './outside-words.ts';

export interface SiftedJobs {
  readonly jobs: ReadonlyMap<UnitId, UnitJob>;
  readonly refused: ReadonlyMap<UnitId, JobRefusal>;
}

/** The jobs with what they do that no rollback takes back, as the database tells. Throws {@link WarehouseError}. */
export async function withOutside<T extends SiftedJobs>(warehouse: Warehouse, prepared: T): Promise<T> {
  const effects = await outsideEffects(warehouse, [...prepared.jobs.values()]);
  const jobs = [...prepared.jobs].map(([id, job]): [UnitId, UnitJob] => {
    const { effects: outside = [], makers = [] } = effects.get(job.task) ?? {};
    return [
      id,
      { ...job, ...(outside.length === 0 ? {} : { outside }), ...(makers.length === 0 ? {} : { makesSql: makers }) },
    ];
  });
  return { ...prepared, jobs: new Map(jobs) };
}

/** What cannot be one transaction is for a run to confirm: a rehearsal is one. */
const notRehearsed = (refusal: JobRefusal, { name }: Rehearsal): JobRefusal =>
  refusal.code !== 'not-atomic'
    ? refusal
    : {
        ...refusal,
        remedy: `take that out of the task; ${name === 'preview' ? 'a preview' : 'a proof'} is one transaction, and only a run can do without, with --not-atomic`,
      };

/** Without the jobs of tasks that nobody has confirmed: what would stay of a rehearsal is refused. */
export function rehearsed<T extends SiftedJobs>(prepared: T, rehearsal: Rehearsal, confirmed: ReadonlySet<TaskId>): T {
  const jobs = new Map(prepared.jobs);
  const refused = new Map(
    [...prepared.refused].map(([id, refusal]): [UnitId, JobRefusal] => [id, notRehearsed(refusal, rehearsal)]),
  );
  for (const [id, job] of prepared.jobs) {
    if (job.outside === undefined || confirmed.has(job.task)) continue;
    jobs.delete(id);
    refused.set(id, outsideRefusal(job, rehearsal));
  }
  return { ...prepared, jobs, refused };
}
