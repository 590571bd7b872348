import type { Pipeline, Task, TaskId } from '../pipeline/model.ts';
import type { CalendarOffset } from '../time/calendar.ts';
import type { WorkspaceFacts } from './workspace-facts.ts';

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
    for (const { from, to, shift } of edges) before.set(to, [...(before.get(to) ?? []), { parent: from, shift }]);
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
        open.push({ parent: earlier.parent, shift: sum(shift, earlier.shift) });
      }
    }
  }
  return [...found.values()];
}

const sum = (a: CalendarOffset | undefined, b: CalendarOffset | undefined): CalendarOffset | undefined =>
  a === undefined || b === undefined
    ? (a ?? b)
    : { months: a.months + b.months, days: a.days + b.days, ms: a.ms + b.ms };

/** Tasks that come before each task in its own pipeline, however far up. */
export function earlierTasks(pipeline: Pipeline): ReadonlyMap<TaskId, ReadonlySet<TaskId>> {
  const before = new Map<TaskId, TaskId[]>();
  for (const { from, to, kind } of pipeline.edges) {
    if (kind === 'order') before.set(to, [...(before.get(to) ?? []), from]);
  }
  return new Map(
    pipeline.tasks.map(({ id }) => {
      const earlier = new Set<TaskId>();
      const open = [...(before.get(id) ?? [])];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (earlier.has(next)) continue;
        earlier.add(next);
        open.push(...(before.get(next) ?? []));
      }
      return [id, earlier];
    }),
  );
}
