import type { DeployedDag, DeployedTask, Scheduler, TaskInstance } from '../../scheduler/port/scheduler.ts';
import { standingOf, stateInWords } from '../../scheduler/port/task-state.ts';

const mostNamed = 2;

/**
 * What a task that its scheduler does not start yet waits for in its run, in words: those before it that have not ended, and of
 * these the ones that wait for nothing of the run themselves, as a sensor that is not met. `undefined`: nothing that is told.
 */
export async function waitsFor(
  scheduler: Scheduler,
  { id, tasks }: DeployedDag,
  run: string,
  task: string,
): Promise<string | undefined> {
  const before = tasksBefore(tasks, task);
  if (before.length === 0) return undefined;
  const every = await scheduler.instances(id, run);
  const instancesOf = (name: string) => every.filter((instance) => instance.task === name);
  const open = before.filter((one) => isOpen(instancesOf(one.id)));
  const names = new Set(open.map((one) => one.id));
  const first = open.filter((one) => tasksBefore(tasks, one.id).every((other) => !names.has(other.id)));
  if (first.length === 0) return undefined;
  const said = first.slice(0, mostNamed).map((one) => {
    const kind = /sensor/i.test(one.operator) ? 'the sensor ' : '';
    return `${kind}${one.id} (${stateInWords(instancesOf(one.id))})`;
  });
  const more = first.length > mostNamed ? ` and ${first.length - mostNamed} more` : '';
  return `waits for ${said.join(', ')}${more}`;
}

function isOpen(instances: readonly TaskInstance[]): boolean {
  const standing = standingOf(instances);
  return standing === 'waiting' || standing === 'active';
}

/** All tasks that are before one in its DAG, at any distance. */
function tasksBefore(tasks: readonly DeployedTask[], task: string): readonly DeployedTask[] {
  const found = new Set<DeployedTask>();
  const behind = [task];
  for (let of = behind.pop(); of !== undefined; of = behind.pop())
    for (const one of tasks)
      if (!found.has(one) && one.downstream?.includes(of) === true) {
        found.add(one);
        behind.push(one.id);
      }
  return [...found];
}
