import type { Pipeline, Task, TaskId } from '../../pipeline/model/model.ts';
import type { CalendarOffset } from '../../time/zones/calendar.ts';
import type { WorkspaceFacts } from '../facts/workspace-facts.ts';

/** The child follows the parent's run whose logical date is the child's own moved by `shift`. */
export interface OrderEdge {
  readonly parent: TaskId;
  readonly child: TaskId;
  readonly shift: CalendarOffset | undefined;
}

/** Operators that only wait, mark, branch or start something; what is behind them follows what is before them. */
const passing = /^(Empty|Dummy|LatestOnly|TriggerDagRun|ShortCircuit|Branch\w*|\w*Branch)Operator$|Sensor(Async)?$/;

/** True for a task that changes no data, so that the plan need not contain it. */
export const onlyPasses = (task: Task): boolean => task.sql.length === 0 && passing.test(task.operator);

/** Explicit edges between tasks that do something, with waiting and marking tasks between them taken out. */
export function orderEdges(facts: WorkspaceFacts): readonly OrderEdge[] {
  const before = new Map<TaskId, { parent: TaskId; shift: CalendarOffset | undefined }[]>();
  for (const { edges } of facts.pipelines) {
    for (const { from, to, shift } of edges) join(before, to, { parent: from, shift });
  }
  const works = (id: TaskId): boolean => {
    const owner = facts.tasks.get(id);
    if (owner === undefined) return false;
    const own = facts.facts.get(id);
    return !onlyPasses(owner.task) || (own?.writes.length ?? 0) > 0;
  };
  const found = new Map<string, OrderEdge>();
  for (const child of facts.tasks.keys()) {
    if (!works(child)) continue;
    const seen = new Set<TaskId>();
    const open = [...(before.get(child) ?? [])];
    for (let edge = open.pop(); edge !== undefined; edge = open.pop()) {
      const { parent, shift } = edge;
      if (works(parent)) {
        found.set(JSON.stringify([parent, child, shift]), { parent, child, shift });
        continue;
      }
      if (seen.has(parent)) continue;
      seen.add(parent);
      for (const earlier of before.get(parent) ?? []) {
        open.push({ parent: earlier.parent, shift: sumOffsets(shift, earlier.shift) });
      }
    }
  }
  return [...found.values()];
}

/** One move of a logical date after another one. */
export const sumOffsets = (a: CalendarOffset | undefined, b: CalendarOffset | undefined): CalendarOffset | undefined =>
  a === undefined || b === undefined
    ? (a ?? b)
    : { months: a.months + b.months, days: a.days + b.days, ms: a.ms + b.ms };

/** Whether a task comes before another one of the pipeline, however far up. */
export type IsEarlier = (task: TaskId, than: TaskId) => boolean;

/**
 * The order of a pipeline to be asked. What stands before a task is only gathered where its place in the order does not
 * tell: in a chain of thousands, all that is before each of them would be millions.
 */
export function earlierTasks(pipeline: Pipeline): IsEarlier {
  const before = new Map<TaskId, TaskId[]>();
  const after = new Map<TaskId, TaskId[]>();
  for (const { from, to, kind } of pipeline.edges) {
    if (kind !== 'order') continue;
    join(before, to, from);
    join(after, from, to);
  }
  const rank = ranks(pipeline, before, after);
  const gathered = new Map<TaskId, ReadonlySet<TaskId>>();
  return (task, than) => {
    const [a, b] = [rank.get(task), rank.get(than)];
    // Tasks of a circle have no place.
    if (a !== undefined && b !== undefined && a >= b) return false;
    const known = gathered.get(than) ?? allBefore(than, before);
    gathered.set(than, known);
    return known.has(task);
  };
}

function join<T>(lists: Map<TaskId, T[]>, task: TaskId, one: T): void {
  const known = lists.get(task);
  if (known === undefined) lists.set(task, [one]);
  else known.push(one);
}

type Neighbours = ReadonlyMap<TaskId, readonly TaskId[]>;

/** A place for each task behind all that come before it; none for those of a circle and what follows it. */
function ranks({ tasks }: Pipeline, before: Neighbours, after: Neighbours): ReadonlyMap<TaskId, number> {
  const open = new Map(tasks.map(({ id }) => [id, before.get(id)?.length ?? 0]));
  const ready = tasks.map(({ id }) => id).filter((id) => open.get(id) === 0);
  const rank = new Map<TaskId, number>();
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    rank.set(next, rank.size);
    for (const follower of after.get(next) ?? []) {
      const left = (open.get(follower) ?? 0) - 1;
      open.set(follower, left);
      if (left === 0) ready.push(follower);
    }
  }
  return rank;
}

function allBefore(task: TaskId, before: Neighbours): ReadonlySet<TaskId> {
  const found = new Set<TaskId>();
  const open = [...(before.get(task) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    for (const earlier of before.get(next) ?? []) open.push(earlier);
  }
  return found;
}
