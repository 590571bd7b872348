import type { Scheduler } from '../../scheduler/port/scheduler.ts';
import { standingOf } from '../../scheduler/port/task-state.ts';
import type { CarriedTask } from '../unit/unit-job.ts';
import type { Ended } from './carry-out.ts';

/** Named at the most of the tasks that are skipped beside it. */
const mostNamed = 3;

/**
 * Why a scheduler came to leave a task out, in words, as far as it tells: the task itself said so, or what stands before it in
 * its run, which then has other tasks that were skipped.
 */
export async function leftOut(
  scheduler: Scheduler,
  { dag, task }: CarriedTask,
  { handle, instances }: Ended,
): Promise<string> {
  const { name } = scheduler.description;
  if (instances.some(({ mapIndex, tryNumber }) => tryNumber > (handle.tries[String(mapIndex)] ?? 0)))
    return `${name} began it, and the task said that it is to be skipped`;
  const why = `${name} skipped it and did not run it, by a branch, a short circuit or the rules of what it follows`;
  const every = await scheduler.instances(dag, handle.run).catch(() => []);
  const others = [...new Set(every.map((instance) => instance.task))].filter(
    (other) => other !== task && standingOf(every.filter((instance) => instance.task === other)) === 'skipped',
  );
  if (others.length === 0) return why;
  const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : '';
  return `${why} (skipped in its run too: ${others.slice(0, mostNamed).join(', ')}${more})`;
}
