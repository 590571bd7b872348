import { unsettledNote } from '../../src/core/run/carried/runs/run-note.ts';
import { settleRun } from '../../src/core/run/carried/runs/settle-run.ts';
import type { NewRun, Scheduler } from '../../src/core/scheduler/port/scheduler.ts';
import { realClock } from './warehouse-fixture.ts';

/** Makes a run whose tasks all count as done, as one that is through. */
export async function madeRun(scheduler: Scheduler, dag: string, run: NewRun): Promise<void> {
  const { id } = await scheduler.createRun(dag, { ...run, note: unsettledNote(run.note) });
  await settleRun(scheduler, realClock, dag, id);
}
