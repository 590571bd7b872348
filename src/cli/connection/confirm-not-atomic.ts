import type { TaskId } from '../../core/pipeline/model/model.ts';
import type { Plan } from '../../core/plan/model/plan.ts';
import { notAtomicTasks } from '../../core/run/jobs/not-atomic.ts';
import type { PreparedJobs } from '../../core/run/jobs/prepare-jobs.ts';
import { type Shell, UsageError } from '../terminal/shell.ts';

/**
 * The jobs of a plan with the tasks that were named as not atomic, and with those of which somebody at the terminal says
 * so now, each asked for by itself. The others stay refused.
 */
export async function confirmNotAtomic(
  plan: Plan,
  prepare: (notAtomic: readonly TaskId[]) => PreparedJobs,
  named: readonly string[],
  format: 'text' | 'json',
  shell: Shell,
): Promise<PreparedJobs> {
  const stranger = named.find((task) => !plan.byTask.has(task));
  if (stranger !== undefined)
    throw new UsageError(
      `--not-atomic ${stranger}: that task is not in this plan`,
      `its tasks are ${[...plan.byTask.keys()].join(', ')}`,
    );
  const prepared = prepare(named);
  if (format === 'json') return prepared;
  const confirmed: TaskId[] = [];
  for (const { task, question } of notAtomicTasks(plan, prepared.refused)) {
    const answer = await shell.ask(`${question} [y/N] `);
    if (/^y(es)?$/i.test(answer?.trim() ?? '')) confirmed.push(task);
  }
  return confirmed.length === 0 ? prepared : prepare([...named, ...confirmed]);
}
