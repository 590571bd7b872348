import type { Scheduler, TaskInstance } from '../../../scheduler/port/scheduler.ts';
import { SchedulerError } from '../../../scheduler/port/scheduler-error.ts';
import type { Clock } from '../../unit/clock.ts';
import { isUnsettled, settledNote } from './run-note.ts';

/** What the scheduler makes of a task between two looks at it is put right; more often than this it does not. */
const mostRounds = 5;
/** A task that had begun is ended with its next sign of life. */
const stopMs = 10_000;

/**
 * Sets all tasks of an unsettled run aside: the run has ended, each task counts as done, and runs when it is cleared. Gone on
 * with wherever whoever did it before has died. Throws {@link SchedulerError}.
 */
export async function settleRun(scheduler: Scheduler, clock: Clock, dag: string, run: string): Promise<void> {
  let began = false;
  // Somebody else may have settled it while this process stood still, and be at work in it.
  const note = async (): Promise<string | undefined> => {
    const found = await scheduler.run(dag, run);
    return isUnsettled(found) ? found?.note : undefined;
  };
  for (let round = 0; ; round++) {
    if ((await note()) === undefined) return;
    await scheduler.endRun(dag, run, 'success');
    const instances = await scheduler.instances(dag, run);
    began ||= instances.some(hasBegun);
    const left = instances.filter(({ state }) => state !== 'success' && state !== 'removed');
    // Airflow 3 skips what has not run, and what follows a skipped task is skipped when it is cleared.
    for (const instance of left) {
      if ((await note()) === undefined) return;
      await scheduler.setDone(dag, run, instance);
    }
    if (left.length === 0) break;
    if (round === mostRounds)
      throw new SchedulerError('other', `The tasks of the run ${run} of ${dag} cannot be set aside.`, true);
  }
  if (began) await clock.sleep(stopMs);
  const said = await note();
  const lines = said === undefined ? undefined : settledNote(said, began);
  if (lines !== undefined) await scheduler.note(dag, run, lines.settled, lines.unsettled);
}

/** What counts as done without having run has begun and ended in one moment. */
const hasBegun = ({ startedAt, endedAt }: TaskInstance): boolean => startedAt !== undefined && startedAt !== endedAt;
