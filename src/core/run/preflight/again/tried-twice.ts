import type { TaskId } from '../../../pipeline/model/model.ts';
import type { PlanFinding } from '../../../plan/model/plan.ts';
import { describeReadable } from '../../../warehouse/catalog/describe-tables.ts';
import { keepsWhatItIsGivenSql } from '../../../warehouse/dialects/postgres/altered-writes-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { sliceReplacement } from '../../relational/task/slice-replacement.ts';
import { planTask } from '../../relational/task/task-plan.ts';
import { isTriedTwice } from '../../relational/task/tried-twice.ts';
import type { UnitJob } from '../../unit/unit-job.ts';

const mostNamed = 5;

/** Tasks of which each unit that changes something is run a second time, in one line, because that takes as long again. Throws {@link WarehouseError}. */
export async function triedTwice(session: Session, jobs: readonly UnitJob[]): Promise<readonly PlanFinding[]> {
  const tasks = new Set<TaskId>();
  for (const job of new Map(jobs.map((one) => [one.task, one])).values())
    if (isTriedTwice(job) && !(await isReplaced(session, job))) tasks.add(job.task);
  if (tasks.size === 0) return [];
  const more = tasks.size > mostNamed ? ` and ${tasks.size - mostNamed} more` : '';
  const named = `${[...tasks].slice(0, mostNamed).join(', ')}${more}`;
  const message =
    `of ${named} each interval that changes rows is run a second time, in the same transaction, to see whether that changes them again, and ` +
    'taken back: it takes as long again (hold: false under the task leaves it out).';
  return [{ code: 'tried-twice', severity: 'info', message, task: tasks.size === 1 ? [...tasks][0] : undefined }];
}

/** By its text and its table; a query that sees its own slice shows when it runs. */
async function isReplaced(session: Session, job: UnitJob): Promise<boolean> {
  const plan = planTask(job);
  const [slice] = job.slices;
  if (plan.kind === 'refused' || slice === undefined) return true;
  if (sliceReplacement(plan.statements, job.slices) === undefined) return false;
  const [table] = await describeReadable(session, [slice.table], new Map());
  if (table === undefined) return true;
  const [keeps] = (await session.query(keepsWhatItIsGivenSql, [`{${table.storage.join(',')}}`])).rows[0] ?? [];
  return keeps === 't';
}
