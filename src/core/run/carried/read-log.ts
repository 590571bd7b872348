import type { Scheduler, TaskInstance } from '../../scheduler/port/scheduler.ts';
import { stateInWords } from '../../scheduler/port/task-state.ts';
import { toIso } from '../../time/zones/iso.ts';
import type { CarriedTask, UnitJob } from '../unit/unit-job.ts';
import { findRun } from './runs/find-run.ts';

/** Of a log that is longer the end is read. */
const mostLines = 20_000;

/**
 * The log of the last try of a task in its scheduler's run of an interval, as a document: where it stands, where it is for a
 * person, then its lines; of a mapped task part by part. Throws {@link SchedulerError}.
 */
export async function readLog(
  scheduler: Scheduler,
  carried: Pick<CarriedTask, 'dag' | 'task'>,
  interval: UnitJob['interval'],
): Promise<string> {
  const { name, version } = scheduler.description;
  const { run, instances } = await findRun(scheduler, carried, { interval });
  const of = `${carried.dag}.${carried.task}, ${toIso(interval.start)}`;
  if (run === undefined) return `${of}: ${name} (Airflow ${version}) has no run of it.\n`;
  const { id } = run;
  const parts = [...instances].sort((a, b) => a.mapIndex - b.mapIndex);
  const texts: string[] = [`${of}, in ${id} of ${name} (Airflow ${version}): ${stateInWords(parts)}`];
  for (const part of parts) texts.push('', ...(await partOf(part)));
  return `${texts.join('\n')}\n`;

  async function partOf(instance: TaskInstance): Promise<readonly string[]> {
    const link = scheduler.link(carried.dag, id, instance);
    const head = instance.mapIndex < 0 ? link : `part ${instance.mapIndex}: ${stateInWords([instance])}, ${link}`;
    const lines = await scheduler.logTail(carried.dag, id, instance, mostLines);
    return [head, ...(lines.length === 0 ? ['(no lines yet, or the log cannot be read)'] : lines)];
  }
}
