import type { SourceSpan } from '../../../../text/span.ts';
import type { HostObject, Value } from '../../../python/values/value.ts';
import type { EdgeEnd, GroupBuilder, Program, TaskBuilder, TaskEdge } from './program.ts';

/** `from >> to`: edges between all ends of both sides. Gives the operator's result, its right operand. */
export function edgeBetween(
  program: Program,
  from: Value,
  to: Value,
  at: SourceSpan,
  right: Value = to,
): Value | undefined {
  const sources = endsOf(from);
  const targets = endsOf(to);
  if (sources === undefined && targets === undefined) return undefined;
  // A label between two tasks passes the left side on.
  if (sources !== undefined && targets === undefined) return from;
  if (sources === undefined) return right;
  for (const source of sources) for (const target of targets ?? []) link(program, source, target, at);
  return right;
}

/** A group stands for its last tasks before `>>` and for its first behind it, as it is when the line runs. */
function link(program: Program, source: EdgeEnd, target: EdgeEnd, at: SourceSpan): void {
  if (source === target) return;
  for (const from of source.type === 'group' ? leavesOf(source, program.edges) : [source])
    for (const to of target.type === 'group' ? rootsOf(target, program.edges) : [target])
      if (from !== to) program.edges.push({ from, to, at });
}

/** The tasks and groups that an operand of `>>` stands for; `undefined` when it stands for none. */
export function endsOf(value: Value, depth = 0): readonly EdgeEnd[] | undefined {
  if (value.kind === 'host') {
    const host = endOf(value.host);
    return host === undefined ? undefined : [host];
  }
  if (value.kind === 'list' && depth < 6) {
    const inner = value.items.flatMap((item) => endsOf(item, depth + 1) ?? []);
    return inner.length > 0 || value.items.length === 0 ? inner : undefined;
  }
  return undefined;
}

function endOf(host: HostObject): EdgeEnd | undefined {
  if (host.type === 'task' || host.type === 'group') return host as EdgeEnd;
  return host.type === 'output' ? (host as HostObject & { readonly task: TaskBuilder }).task : undefined;
}

/** A DAG is found for tasks that were given none: Airflow takes it from the task at the other end. */
export function spreadDags(edges: readonly TaskEdge[]): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (const { from, to } of edges) {
      if (from.dag !== undefined && to.dag === undefined) to.dag = from.dag;
      else if (to.dag !== undefined && from.dag === undefined) from.dag = to.dag;
      else continue;
      changed = true;
    }
  }
}

/** Each edge once, at the place that says it first. */
export function uniqueEdges(edges: readonly TaskEdge[]): readonly TaskEdge[] {
  const seen = new Map<TaskBuilder, Set<TaskBuilder>>();
  return edges.filter(({ from, to }) => {
    const known = seen.get(from) ?? new Set();
    if (known.has(to)) return false;
    seen.set(from, known.add(to));
    return true;
  });
}

/** Tasks of a group that wait for no other task of it. */
function rootsOf(group: GroupBuilder, edges: readonly TaskEdge[]): readonly TaskBuilder[] {
  const members = new Set(group.tasks);
  const inner = new Set(edges.filter(({ from, to }) => members.has(from) && members.has(to)).map(({ to }) => to));
  return group.tasks.filter((task) => !inner.has(task));
}

/** Tasks of a group for which no other task of it waits; nothing waits for a teardown, but for the work before it. */
function leavesOf(group: GroupBuilder, edges: readonly TaskEdge[]): readonly TaskBuilder[] {
  const members = new Set(group.tasks);
  const inner = edges.filter(({ from, to }) => members.has(from) && members.has(to));
  const waitedFor = new Set(inner.map(({ from }) => from));
  const beforeTeardown = (teardown: TaskBuilder, visited: ReadonlySet<TaskBuilder>): readonly TaskBuilder[] =>
    inner
      .filter(({ from, to }) => to === teardown && !visited.has(from))
      .flatMap(({ from }) => {
        if (from.role === 'teardown') return beforeTeardown(from, new Set([...visited, from]));
        const goesOn = inner.some((edge) => edge.from === from && edge.to !== teardown && edge.to.role !== 'teardown');
        return from.role === 'setup' || goesOn ? [] : [from];
      });
  const leaves = group.tasks
    .filter((task) => !waitedFor.has(task))
    .flatMap((task) => (task.role === 'teardown' ? beforeTeardown(task, new Set([task])) : [task]));
  return [...new Set(leaves)];
}
