import type { TaskId } from '../../pipeline/model/model.ts';
import { oncePer } from '../../pipeline/workspace/memo.ts';
import type { WorkspaceFacts } from '../facts/workspace-facts.ts';

/**
 * The workspace as one task can touch it: without what tasks read and write that are known to run in another database than
 * it does. The same object where there are none.
 */
export const inDatabaseOf = (facts: WorkspaceFacts, task: TaskId): WorkspaceFacts => {
  const place = facts.tasks.get(task)?.task.place;
  return place === undefined ? facts : viewsOf(facts)(place);
};

const viewsOf = oncePer((facts: WorkspaceFacts) => {
  const views = new Map<string, WorkspaceFacts>();
  return (place: string): WorkspaceFacts => {
    const known = views.get(place) ?? viewOf(facts, place);
    views.set(place, known);
    return known;
  };
});

function viewOf(all: WorkspaceFacts, place: string): WorkspaceFacts {
  const isHere = (id: TaskId): boolean => (all.tasks.get(id)?.task.place ?? place) === place;
  if ([...all.facts.keys()].every(isHere)) return all;
  const facts = new Map([...all.facts].filter(([id]) => isHere(id)));
  const tables = new Map(
    [...all.tables].map(([name, table]) => [
      name,
      { ...table, writers: table.writers.filter(isHere), readers: table.readers.filter(isHere) },
    ]),
  );
  return { ...all, facts, tables };
}
