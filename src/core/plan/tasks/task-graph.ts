import { sumOffsets } from '../../lineage/workspace/order-edges.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { PlannableTask } from '../model/plan-request.ts';

/** The tasks that a plan can touch, parents before children; tasks that read each other share a `group`. */
export interface TaskGraph {
  readonly tasks: ReadonlyMap<TaskId, PlannableTask>;
  /** Topological: every edge that does not stay inside a group leads to a later group. */
  readonly groups: readonly (readonly PlannableTask[])[];
  readonly groupOf: ReadonlyMap<TaskId, number>;
  /** Position in the groups laid end to end. */
  readonly rank: ReadonlyMap<TaskId, number>;
  /** Tasks that read or follow a task; never itself. */
  readonly children: ReadonlyMap<TaskId, readonly TaskId[]>;
  /** Whom a task comes after although what stands between them is not in the plan; never whoever comes after it. */
  readonly behind: ReadonlyMap<TaskId, PlannableTask['after']>;
}

/** Ids of the tasks that this one reads or follows, itself excluded. */
export function parentsOf(task: PlannableTask): ReadonlySet<TaskId> {
  const parents = new Set([...task.reads.map((read) => read.parent), ...task.after.map((edge) => edge.parent)]);
  parents.delete(task.id);
  return parents;
}

/** The roots and, when asked for, everything downstream of them; parents of a root are never added. */
export function taskGraph(all: readonly PlannableTask[], roots: readonly TaskId[], downstream: boolean): TaskGraph {
  const byId = new Map(all.map((task) => [task.id, task]));
  const allChildren = new Map<TaskId, TaskId[]>();
  for (const task of all) {
    for (const parent of parentsOf(task)) {
      const list = allChildren.get(parent);
      if (list === undefined) allChildren.set(parent, [task.id]);
      else list.push(task.id);
    }
  }
  const reached = new Set<TaskId>();
  const queue = roots.filter((id) => byId.has(id));
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    if (downstream) queue.push(...(allChildren.get(id) ?? []));
  }
  const tasks = new Map<TaskId, PlannableTask>();
  for (const task of all) if (reached.has(task.id)) tasks.set(task.id, task);
  const children = new Map<TaskId, readonly TaskId[]>();
  for (const id of tasks.keys())
    children.set(
      id,
      (allChildren.get(id) ?? []).filter((child) => tasks.has(child)),
    );

  const groups = stronglyConnected([...tasks.keys()], children).map((ids) => ids.flatMap((id) => tasks.get(id) ?? []));
  const groupOf = new Map<TaskId, number>();
  const rank = new Map<TaskId, number>();
  for (const [index, group] of groups.entries()) {
    for (const task of group) {
      groupOf.set(task.id, index);
      rank.set(task.id, rank.size);
    }
  }
  return { tasks, groups, groupOf, rank, children, behind: behindLeftOut(tasks, byId, children) };
}

/** Follows the order of the files through tasks that are not in the plan, up to those that are. */
function behindLeftOut(
  tasks: TaskGraph['tasks'],
  all: ReadonlyMap<TaskId, PlannableTask>,
  children: TaskGraph['children'],
): TaskGraph['behind'] {
  const found = new Map<TaskId, PlannableTask['after']>();
  for (const { id, ordered = [] } of tasks.values()) {
    const open = ordered.filter(({ parent }) => !tasks.has(parent));
    if (open.length === 0) continue;
    const edges = new Map<TaskId, PlannableTask['after'][number]>();
    const seen = new Set<TaskId>();
    const follow = followersOf(id, children);
    for (let edge = open.pop(); edge !== undefined; edge = open.pop()) {
      const { parent, shift } = edge;
      if (tasks.has(parent)) {
        if (!follow().has(parent)) edges.set(parent, edge);
        continue;
      }
      if (seen.has(parent)) continue;
      seen.add(parent);
      for (const above of all.get(parent)?.ordered ?? [])
        open.push({ parent: above.parent, shift: sumOffsets(shift, above.shift) });
    }
    if (edges.size > 0) found.set(id, [...edges.values()]);
  }
  return found;
}

/** A task and all that come after it in the plan, gathered when first asked for. */
function followersOf(id: TaskId, children: TaskGraph['children']): () => ReadonlySet<TaskId> {
  let found: Set<TaskId> | undefined;
  return () => {
    if (found === undefined) {
      found = new Set([id]);
      for (const one of found) for (const child of children.get(one) ?? []) found.add(child);
    }
    return found;
  };
}

/** Tarjan's components, iteratively so that a long chain of tasks cannot exhaust the stack; parents first. */
function stronglyConnected(
  ids: readonly TaskId[],
  children: ReadonlyMap<TaskId, readonly TaskId[]>,
): readonly (readonly TaskId[])[] {
  const index = new Map<TaskId, number>();
  const low = new Map<TaskId, number>();
  const onStack = new Set<TaskId>();
  const stack: TaskId[] = [];
  const found: (readonly TaskId[])[] = [];
  const lowOf = (id: TaskId): number => low.get(id) ?? 0;

  for (const root of ids) {
    if (index.has(root)) continue;
    const frames: { id: TaskId; next: number }[] = [];
    const enter = (id: TaskId): void => {
      index.set(id, index.size);
      low.set(id, index.size - 1);
      stack.push(id);
      onStack.add(id);
      frames.push({ id, next: 0 });
    };
    enter(root);
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const child = (children.get(frame.id) ?? [])[frame.next];
      if (child !== undefined) {
        frame.next++;
        if (!index.has(child)) enter(child);
        else if (onStack.has(child)) low.set(frame.id, Math.min(lowOf(frame.id), index.get(child) ?? 0));
        continue;
      }
      frames.pop();
      const above = frames.at(-1);
      if (above !== undefined) low.set(above.id, Math.min(lowOf(above.id), lowOf(frame.id)));
      if (lowOf(frame.id) !== index.get(frame.id)) continue;
      const component: TaskId[] = [];
      for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
        onStack.delete(id);
        component.push(id);
        if (id === frame.id) break;
      }
      found.push(component.reverse());
    }
  }
  return found.reverse();
}
