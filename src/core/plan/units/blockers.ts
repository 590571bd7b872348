import type { TaskId } from '../../pipeline/model/model.ts';
import { firstIndex } from '../intervals/written-range.ts';
import type { UnitNode } from './unit-graph.ts';

/**
 * Finds, unit by unit in plan order, the task that stands in a unit's way: one that cannot be run from here and that
 * it waits for, however far up. `undefined` when nothing does.
 */
export function blockers(): (node: UnitNode) => TaskId | undefined {
  /** Positions of the units of a task that cannot run, ascending, each with the task that is to blame. */
  const stopped = new Map<TaskId, { index: number; by: TaskId }[]>();
  const stop = (node: UnitNode, by: TaskId): void => {
    const list = stopped.get(node.task.id) ?? [];
    list.splice(
      firstIndex(list.length, (at) => (list[at]?.index ?? 0) > node.index),
      0,
      { index: node.index, by },
    );
    stopped.set(node.task.id, list);
  };
  return (node) => {
    let blocker: TaskId | undefined;
    for (const { task, first, last } of node.waitsFor) {
      const list = stopped.get(task) ?? [];
      const hit = list[firstIndex(list.length, (at) => (list[at]?.index ?? 0) >= first)];
      if (hit === undefined || hit.index > last) continue;
      blocker = hit.by;
      break;
    }
    if (node.task.executor.kind === 'none') stop(node, node.task.id);
    else if (blocker !== undefined) stop(node, blocker);
    return blocker;
  };
}
