import type { Edge, TaskId } from '../../pipeline/model/model.ts';
import { oncePer } from '../../pipeline/workspace/memo.ts';
import { staysInside } from '../facts/window-range.ts';
import type { WorkspaceFacts } from '../facts/workspace-facts.ts';
import { namesOfWorkspace } from './names-of-workspace.ts';
import { earlierTasks } from './order-edges.ts';

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

export function taskParents(facts: WorkspaceFacts, id: TaskId): TaskParents {
  const byOrder = (edgesByEnd(facts).get(id) ?? []).map(({ from }) => from);
  const names = namesOfWorkspace(facts);
  const pipeline = facts.tasks.get(id)?.pipeline;
  const isLater = (writer: TaskId): boolean => pipeline !== undefined && earlierOf(pipeline)(id, writer);
  const after = new Set(byOrder);
  const ofEarlierRuns = new Set<TaskId>();
  for (const { table, window } of facts.facts.get(id)?.reads ?? [])
    for (const writer of facts.tables.get(names(table))?.writers ?? [])
      if (!isLater(writer)) after.add(writer);
      // Of the rows of its own interval nothing is there yet.
      else if (!staysInside(window)) ofEarlierRuns.add(writer);
  after.delete(id);
  return { after: [...after].sort(), ofEarlierRuns: [...ofEarlierRuns].sort() };
}
