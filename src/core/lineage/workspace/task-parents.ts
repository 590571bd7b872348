import type { Edge, Pipeline, TaskId } from '../../pipeline/model/model.ts';
import { oncePer } from '../../pipeline/workspace/memo.ts';
import { staysInside } from '../facts/window-range.ts';
import type { WorkspaceFacts } from '../facts/workspace-facts.ts';
import { inDatabaseOf } from './in-database-of.ts';
import { namesOfWorkspace } from './names-of-workspace.ts';
import { earlierTasks, type IsEarlier } from './order-edges.ts';

/** The tasks that one task builds on, sorted, without itself. */
export interface TaskParents {
  /** Come before it in a run: by an edge, or because they write a table that it reads. */
  readonly after: readonly TaskId[];
  /** Write a table that it reads and come later in its own run, so that it reads what earlier runs left there. */
  readonly ofEarlierRuns: readonly TaskId[];
}

const earlierOf = oncePer(earlierTasks);

const edgesByEnd = oncePer(({ pipelines }: WorkspaceFacts): ReadonlyMap<TaskId, readonly Edge[]> => {
  const found = new Map<TaskId, Edge[]>();
  for (const { edges } of pipelines)
    for (const edge of edges) {
      const known = found.get(edge.to);
      if (known === undefined) found.set(edge.to, [edge]);
      else known.push(edge);
    }
  return found;
});

const edgesByStart = oncePer(({ pipelines }: WorkspaceFacts): ReadonlyMap<TaskId, readonly TaskId[]> => {
  const found = new Map<TaskId, TaskId[]>();
  for (const { edges } of pipelines)
    for (const { from, to, shift } of edges) {
      // A sensor that looks for another date belongs to another run.
      if (shift !== undefined) continue;
      const known = found.get(from);
      if (known === undefined) found.set(from, [to]);
      else known.push(to);
    }
  return found;
});

/** Pipelines of which a task starts another one, or is waited for there. */
const startsOthers = oncePer((facts: WorkspaceFacts): ReadonlySet<Pipeline> => {
  const found = new Set<Pipeline>();
  for (const { edges } of facts.pipelines)
    for (const { from, to, kind, shift } of edges) {
      const [owner, other] = [facts.tasks.get(from)?.pipeline, facts.tasks.get(to)?.pipeline];
      if (kind !== 'order' && shift === undefined && owner !== undefined && owner !== other) found.add(owner);
    }
  return found;
});

/** All that comes behind a task, in its own DAG and in those that it starts or that wait for it. */
function allAfter(facts: WorkspaceFacts, id: TaskId): ReadonlySet<TaskId> {
  const found = new Set<TaskId>();
  const open: TaskId[] = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const later of edgesByStart(facts).get(next) ?? []) {
      if (found.has(later)) continue;
      found.add(later);
      open.push(later);
    }
  return found;
}

const replacesAll = (facts: WorkspaceFacts, writer: TaskId, name: string): boolean => {
  const names = namesOfWorkspace(facts);
  return (facts.facts.get(writer)?.writes ?? []).some(
    ({ table, mode, slice }) => mode === 'full_replace' && slice.kind === 'whole-table' && names(table) === name,
  );
};

/** Each of two tasks reads what the other writes: without an edge, nothing says which of them comes first. */
function readsBack(facts: WorkspaceFacts, writer: TaskId, reader: TaskId): boolean {
  const names = namesOfWorkspace(facts);
  return (facts.facts.get(writer)?.reads ?? []).some(
    ({ table }) => facts.tables.get(names(table))?.writers.includes(reader) === true,
  );
}

export function taskParents(facts: WorkspaceFacts, id: TaskId): TaskParents {
  const byOrder = (edgesByEnd(facts).get(id) ?? []).map(({ from }) => from);
  const names = namesOfWorkspace(facts);
  const pipeline = facts.tasks.get(id)?.pipeline;
  const isEarlier: IsEarlier = (task, than) => pipeline !== undefined && earlierOf(pipeline)(task, than);
  let started: ReadonlySet<TaskId> | undefined;
  const isLater = (writer: TaskId): boolean => {
    if (isEarlier(id, writer)) return true;
    if (pipeline === undefined || facts.tasks.get(writer)?.pipeline === pipeline || !startsOthers(facts).has(pipeline))
      return false;
    started ??= allAfter(facts, id);
    return started.has(writer);
  };
  const isLevel = (writer: TaskId): boolean =>
    readsBack(facts, writer, id) && !isEarlier(writer, id) && !allAfter(facts, writer).has(id);
  const after = new Set(byOrder);
  const ofEarlierRuns = new Set<TaskId>();
  const here = inDatabaseOf(facts, id);
  for (const { table, window } of facts.facts.get(id)?.reads ?? []) {
    const name = names(table);
    const writers = here.tables.get(name)?.writers ?? [];
    const isMadeAnew = writers.some((writer) => isEarlier(writer, id) && replacesAll(facts, writer, name));
    for (const writer of writers)
      if (!isLater(writer)) {
        if (!isLevel(writer)) after.add(writer);
      }
      // Of the rows of its own interval nothing is there yet, and of a table that the run has made anew no other row.
      else if (!staysInside(window) && !isMadeAnew) ofEarlierRuns.add(writer);
  }
  after.delete(id);
  return { after: [...after].sort(), ofEarlierRuns: [...ofEarlierRuns].sort() };
}
