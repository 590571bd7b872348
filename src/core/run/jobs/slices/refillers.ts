import type { WorkspaceFacts } from '../../../lineage/facts/workspace-facts.ts';
import { isOfTheRun } from '../../../lineage/tasks/run-dependence.ts';
import { namesOfWorkspace } from '../../../lineage/workspace/names-of-workspace.ts';
import type { TaskId } from '../../../pipeline/model/model.ts';
import { oncePer } from '../../../pipeline/workspace/memo.ts';

/**
 * Tasks that fill a table with the rows of their interval after it was emptied whole, by themselves or by another task:
 * what it holds are the rows of one interval at a time. None for other tables.
 */
export const refillers = oncePer((facts: WorkspaceFacts): ((table: string) => readonly TaskId[]) => {
  const names = namesOfWorkspace(facts);
  return (table) => {
    const writers = (facts.tables.get(names(table))?.writers ?? []).flatMap((id) =>
      (facts.facts.get(id)?.writes ?? [])
        .filter((write) => names(write.table) === names(table))
        .map((write) => ({ id, write })),
    );
    const isEmptied = writers.some(
      ({ write: { slice, mode, empties } }) =>
        slice.kind === 'whole-table' && (mode === 'full_replace' || empties === true || mode === 'create'),
    );
    if (!isEmptied) return [];
    return writers.flatMap(({ id, write }) => {
      const task = facts.tasks.get(id)?.task;
      return write.empties !== true && task !== undefined && isOfTheRun(task, facts.facts.get(id)) ? [id] : [];
    });
  };
});
