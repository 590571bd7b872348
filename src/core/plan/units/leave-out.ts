import type { TaskId } from '../../pipeline/model/model.ts';
import type { WaitRange } from '../model/plan.ts';
import { mergeWaits, type UnitNode } from './unit-graph.ts';

/**
 * Takes the units of some tasks out of an ordered list. What waited for a unit that is left out waits for whatever
 * that unit waited for, so that the order of the rest stays as it was.
 */
export function leaveOut(
  ordered: readonly UnitNode[],
  nodes: ReadonlyMap<TaskId, readonly UnitNode[]>,
  without: ReadonlySet<TaskId>,
): readonly UnitNode[] {
  if (without.size === 0) return ordered;
  const before = new Map<UnitNode, readonly WaitRange[]>();
  const remaining: UnitNode[] = [];
  for (const node of ordered) {
    const waits: WaitRange[] = [];
    for (const range of node.waitsFor) {
      if (!without.has(range.task)) {
        waits.push(range);
        continue;
      }
      for (let index = range.first; index <= range.last; index++) {
        const gone = nodes.get(range.task)?.[index];
        if (gone !== undefined) waits.push(...(before.get(gone) ?? []));
      }
    }
    const waitsFor = mergeWaits(waits);
    if (without.has(node.task.id)) before.set(node, waitsFor);
    else remaining.push({ ...node, waitsFor });
  }
  return remaining;
}
