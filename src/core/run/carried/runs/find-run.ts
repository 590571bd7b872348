import type { DagRun, Scheduler, TaskInstance } from '../../../scheduler/port/scheduler.ts';
import { SchedulerError } from '../../../scheduler/port/scheduler-error.ts';
import { toIso } from '../../../time/zones/iso.ts';
import type { CarriedTask, UnitJob } from '../../unit/unit-job.ts';

/** The run of a DAG that a unit belongs to, and how its task stands there. */
export interface FoundRun {
  readonly run: DagRun | undefined;
  readonly instances: readonly TaskInstance[];
}

/** The interval of the run in which a unit is carried out. */
export const runInterval = ({ interval, carried }: Pick<UnitJob, 'interval' | 'carried'>): UnitJob['interval'] =>
  carried?.at ?? interval;

/** Id of a run that we make: it says who made it, and is the same whoever asks. */
export const ownRunId = ({ start }: UnitJob['interval']): string => `backfill_assistant__${toIso(start)}`;

/**
 * The scheduler's run of the unit's logical date, if there is one. Throws {@link SchedulerError}, `refused` where that run works
 * on another interval than the unit.
 */
export async function findRun(
  scheduler: Scheduler,
  { dag, task }: Pick<CarriedTask, 'dag' | 'task'>,
  { interval }: Pick<UnitJob, 'interval'>,
): Promise<FoundRun> {
  const runs = await scheduler.runs(dag, interval.start, interval.start);
  const run = runs.find((one) => one.interval?.start === interval.start && one.interval.end === interval.end);
  if (run !== undefined) return { run, instances: await scheduler.instances(dag, run.id, task) };
  const [other] = runs;
  if (other === undefined) return { run: undefined, instances: [] };
  throw new SchedulerError('refused', otherInterval(dag, other, interval), false, otherIntervalHint);
}

export const otherInterval = (dag: string, { id, interval }: DagRun, planned: UnitJob['interval']): string =>
  `The run ${id} of ${dag} works on ${interval === undefined ? 'an interval that is not told' : rangeText(interval)}, and the plan on ${rangeText(planned)}.`;

export const otherIntervalHint = 'Look at the schedule that is deployed: backfill scheduler.';

const rangeText = ({ start, end }: UnitJob['interval']): string => `${toIso(start)} to ${toIso(end)}`;
