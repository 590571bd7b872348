import type { Pipeline } from '../../pipeline/model/model.ts';
import { edgeFinder } from '../../scheduler/commands/edge-finder.ts';
import type { DagRun, Scheduler } from '../../scheduler/port/scheduler.ts';
import { plural } from '../../text/plural.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/** Runs that are looked into: a plan of years must not ask for each. */
const mostRuns = 20;

/**
 * Sensors and the like that have failed in runs of the plan: what they wait for may never be there again, and Airflow starts
 * nothing behind them, whatever is cleared.
 */
export async function unmetWaits(
  scheduler: Scheduler,
  pipeline: Pipeline,
  waits: readonly string[],
  given: readonly UnitJob[],
  runs: readonly DagRun[],
): Promise<readonly string[]> {
  const isBefore = edgeFinder(new Map(pipeline.tasks.map((task) => [task.id, { task, pipeline }])));
  const behind = new Set(given.map(({ task }) => task));
  const asked = pipeline.tasks.filter(
    ({ id, name }) => waits.includes(name) && [...behind].some((task) => isBefore(id, task)),
  );
  const ended = runs.filter(({ state }) => state === 'failed').slice(0, mostRuns);
  const notes: string[] = [];
  for (const { name } of asked) {
    let unmet = 0;
    for (const { id } of ended) {
      const instances = await scheduler.instances(pipeline.id, id, name);
      if (instances.some(({ state }) => state === 'failed' || state === 'upstream_failed')) unmet++;
    }
    if (unmet === 0) continue;
    notes.push(
      `${name} has failed in ${plural(unmet, 'run')} of ${pipeline.id} in ${scheduler.description.name}: nothing behind it is started there before it is marked as a success`,
    );
  }
  return notes;
}
