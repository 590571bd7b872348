import type { TaskId } from '../../pipeline/model/model.ts';
import { minHeap } from './min-heap.ts';
import type { UnitNode } from './unit-graph.ts';

export interface UnitOrder {
  /** Parents before children; among ready units by (interval end, topological rank, start), or as `newest` says. */
  readonly ordered: readonly UnitNode[];
  /** Units that wait for themselves through others: the first again at the end. Empty when there are none. */
  readonly cycle: readonly UnitNode[];
}

/**
 * Orders units by their intervals, which mostly is an order already in which parents come before children; from the first
 * one on that it is not for, with a ready queue, which gives the same where both give one. A unit watches the last prerequisite that is not done, so that a unit that waits
 * for a long run of others (a cumulative read) is looked at a few times and not once for each of them. With `newest` the
 * latest interval comes first, and the tasks in `stay` come oldest first behind all others that are ready.
 */
export function orderUnits(
  nodes: ReadonlyMap<TaskId, readonly UnitNode[]>,
  rank: ReadonlyMap<TaskId, number>,
  newest?: { readonly stay: ReadonlyMap<TaskId, unknown> },
): UnitOrder {
  const done = new Map([...nodes].map(([id, units]) => [id, lastUndone(units.length)]));
  const watchers = new Map<UnitNode, UnitNode[]>();
  const rankOf = (node: UnitNode): number => rank.get(node.task.id) ?? 0;
  const oldestFirst = (a: UnitNode, b: UnitNode): number =>
    a.kept.interval.next - b.kept.interval.next ||
    rankOf(a) - rankOf(b) ||
    a.kept.interval.start - b.kept.interval.start;
  const newestFirst = (a: UnitNode, b: UnitNode): number =>
    b.kept.interval.next - a.kept.interval.next ||
    rankOf(a) - rankOf(b) ||
    b.kept.interval.start - a.kept.interval.start;
  const stays = ({ task }: UnitNode): boolean => newest === undefined || newest.stay.has(task.id);
  const compare = (a: UnitNode, b: UnitNode): number =>
    stays(a) === stays(b) ? (stays(a) ? oldestFirst(a, b) : newestFirst(a, b)) : stays(a) ? 1 : -1;
  const ready = minHeap(compare);

  const blocker = (node: UnitNode): UnitNode | undefined => {
    for (const { task, first, last } of node.waitsFor) {
      const index = done.get(task)?.atOrBefore(last) ?? -1;
      if (index >= first) return nodes.get(task)?.[index];
    }
    return undefined;
  };
  const place = (node: UnitNode): void => {
    const waiting = blocker(node);
    const list = waiting === undefined ? undefined : watchers.get(waiting);
    if (waiting === undefined) ready.push(node);
    else if (list === undefined) watchers.set(waiting, [node]);
    else list.push(node);
  };

  const ordered: UnitNode[] = [];
  const finish = (node: UnitNode): void => {
    ordered.push(node);
    done.get(node.task.id)?.mark(node.index);
  };
  // The least of all that are left is the least of those that are ready, as long as it is ready itself.
  const sorted = [...nodes.values()].flat().sort(compare);
  const first = sorted.findIndex((node) => {
    if (blocker(node) !== undefined) return true;
    finish(node);
    return false;
  });
  for (const node of first < 0 ? [] : sorted.slice(first)) place(node);
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    finish(node);
    const woken = watchers.get(node) ?? [];
    watchers.delete(node);
    for (const other of woken) place(other);
  }

  if (ordered.length === sorted.length) return { ordered, cycle: [] };
  const finished = new Set(ordered);
  const stuck = sorted.filter((node) => !finished.has(node));
  return { ordered: [...ordered, ...stuck], cycle: cyclePath(stuck[0], blocker) };
}

/** Follows blockers from a stuck unit until one comes again; every stuck unit has one, so it must. */
function cyclePath(from: UnitNode | undefined, blocker: (node: UnitNode) => UnitNode | undefined): readonly UnitNode[] {
  const path: UnitNode[] = [];
  const seen = new Map<UnitNode, number>();
  for (let node = from; node !== undefined; node = blocker(node)) {
    const at = seen.get(node);
    if (at !== undefined) return [...path.slice(at), node].reverse();
    seen.set(node, path.length);
    path.push(node);
  }
  return [];
}

/** Positions `0 … length - 1`, all undone at first; finds the last undone one at or before a position. */
function lastUndone(length: number): { mark(index: number): void; atOrBefore(index: number): number } {
  // Union-find: each done position points to one before it; shifted by one so that 0 stands for "none".
  const before = new Int32Array(length + 1);
  for (let index = 0; index <= length; index++) before[index] = index;
  const find = (index: number): number => {
    let root = index;
    while (before[root] !== root) root = before[root] as number;
    for (let at = index; before[at] !== root; ) {
      const next = before[at] as number;
      before[at] = root;
      at = next;
    }
    return root;
  };
  return {
    mark: (index) => {
      before[index + 1] = index;
    },
    atOrBefore: (index) => find(index + 1) - 1,
  };
}
