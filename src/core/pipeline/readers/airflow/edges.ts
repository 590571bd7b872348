import type { SourceSpan } from '../../../text/span.ts';
import type { HostObject, Value } from '../../python/value.ts';
import type { EdgeEnd, GroupBuilder, OpenEdge, Program, TaskBuilder } from './program.ts';

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
  for (const source of sources)
    for (const target of targets ?? []) {
      if (source === target) continue;
      program.edges.push({ from: source, to: target, at });
    }
  return right;
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
export function spreadDags(edges: readonly OpenEdge[]): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (const { from, to } of edges) {
      if (from.type !== 'task' || to.type !== 'task') continue;
      if (from.dag !== undefined && to.dag === undefined) to.dag = from.dag;
      else if (to.dag !== undefined && from.dag === undefined) from.dag = to.dag;
      else continue;
      changed = true;
    }
  }
}

/** Edges between tasks only: a group before `>>` stands for its last tasks, behind it for its first. */
export function taskEdges(
  edges: readonly OpenEdge[],
): readonly { from: TaskBuilder; to: TaskBuilder; at: SourceSpan }[] {
  const result: { from: TaskBuilder; to: TaskBuilder; at: SourceSpan }[] = [];
  const seen = new Map<TaskBuilder, Set<TaskBuilder>>();
  const add = (from: TaskBuilder, to: TaskBuilder, at: SourceSpan): void => {
    const known = seen.get(from) ?? new Set();
    if (from === to || known.has(to)) return;
    seen.set(from, known.add(to));
    result.push({ from, to, at });
  };
  for (const { from, to, at } of edges) if (from.type === 'task' && to.type === 'task') add(from, to, at);
  for (const { from, to, at } of edges) {
    if (from.type === 'task' && to.type === 'task') continue;
    for (const source of from.type === 'group' ? outermost(from, result, 'from') : [from])
      for (const target of to.type === 'group' ? outermost(to, result, 'to') : [to]) add(source, target, at);
  }
  return result;
}

/** Tasks of a group that have no edge to (or from) another task of it. */
function outermost(
  group: GroupBuilder,
  edges: readonly { from: TaskBuilder; to: TaskBuilder }[],
  side: 'from' | 'to',
): readonly TaskBuilder[] {
  const members = new Set(group.tasks);
  const inner = new Set(edges.filter(({ from, to }) => members.has(from) && members.has(to)).map((edge) => edge[side]));
  return group.tasks.filter((task) => !inner.has(task));
}
