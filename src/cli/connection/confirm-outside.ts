import type { TaskId } from '../../core/pipeline/model/model.ts';
import type { Plan } from '../../core/plan/model/plan.ts';
import { outsideTasks, type Rehearsal } from '../../core/run/irrevocable/outside-words.ts';
import { rehearsed, type SiftedJobs } from '../../core/run/irrevocable/with-outside.ts';
import { type Shell, UsageError } from '../terminal/shell.ts';

/**
 * The jobs of a preview or proof without those that do what no rollback takes back, unless their tasks were named or
 * somebody at the terminal says so now, each asked for by itself.
 */
export async function confirmOutside<T extends SiftedJobs>(
  plan: Plan,
  prepared: T,
  rehearsal: Rehearsal,
  named: readonly string[],
  format: 'text' | 'json',
  shell: Shell,
): Promise<T> {
  const stranger = named.find((task) => !plan.byTask.has(task));
  if (stranger !== undefined)
    throw new UsageError(
      `--irrevocable ${stranger}: that task is not in this plan`,
      `its tasks are ${[...plan.byTask.keys()].join(', ')}`,
    );
  const confirmed = new Set<TaskId>(named);
  if (format === 'text') {
    for (const { task, question } of outsideTasks(prepared.jobs, rehearsal, confirmed)) {
      const answer = await shell.ask(`${question} [y/N] `);
      if (/^y(es)?$/i.test(answer?.trim() ?? '')) confirmed.add(task);
    }
  }
  return rehearsed(prepared, rehearsal, confirmed);
}
