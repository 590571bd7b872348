import type { WriteFact } from '../../lineage/facts/facts.ts';
import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import type { IsEarlier } from '../../lineage/workspace/order-edges.ts';
import type { Task, TaskId } from '../../pipeline/model/model.ts';

/**
 * Tables that each run of a pipeline empties and fills for its own interval (a staging table): what one run puts
 * there is gone with the next, so whoever reads it reads the rows of its own run, and the next run must not start to
 * empty it before.
 */
export interface RunScopedTables {
  /** For each task that empties such a table: what its pipeline does with the rows before the next run. */
  readonly users: ReadonlyMap<TaskId, readonly TaskId[]>;
  /** Tasks whose rows live in such a table until the next run. */
  readonly writers: ReadonlySet<TaskId>;
  /** Whether `reader` gets, for an interval, what `writer` put into the table for the same interval. */
  isReadInRun(writer: TaskId, reader: TaskId, table: string): boolean;
}

/** `isEarlier` tells the order inside a pipeline. Table names go through `names`. */
export function runScopedTables(
  facts: WorkspaceFacts,
  names: (table: string) => string,
  isEarlier: IsEarlier,
): RunScopedTables {
  const users = new Map<TaskId, readonly TaskId[]>();
  /** By table, the tasks that write it and those that use it in the same run. */
  const scoped = new Map<string, { writers: ReadonlySet<TaskId>; readers: ReadonlySet<TaskId> }[]>();
  const isAfter = (later: TaskId, task: TaskId): boolean => isEarlier(task, later);
  const reads = (id: TaskId, table: string): boolean =>
    facts.facts.get(id)?.reads.some((read) => names(read.table) === table) === true;

  for (const { tasks } of facts.pipelines) {
    const clearing = tasks.flatMap(({ id }) =>
      (facts.facts.get(id)?.writes ?? []).filter(clearsWhole).map(({ table }) => ({ id, table: names(table) })),
    );
    // A staging table may be filled from another one: look again until nothing new is found.
    for (let open = clearing, before = -1; open.length !== before; ) {
      before = open.length;
      open = open.filter(({ id, table }) => {
        const writers = tasks.filter(
          (task) =>
            task.id === id ||
            (isAfter(task.id, id) && facts.facts.get(task.id)?.writes.some((write) => names(write.table) === table)),
        );
        const readsScoped = (task: TaskId): boolean =>
          [...scoped].some(([other, uses]) => reads(task, other) && uses.some(({ readers }) => readers.has(task)));
        if (!writers.some((task) => dependsOnInterval(task, facts) || readsScoped(task.id))) return true;
        const writing = new Set(writers.map((writer) => writer.id));
        const readers = tasks.filter((task) => !writing.has(task.id) && reads(task.id, table) && !isAfter(id, task.id));
        const reading = new Set(readers.map((reader) => reader.id));
        scoped.set(table, [...(scoped.get(table) ?? []), { writers: writing, readers: reading }]);
        users.set(
          id,
          [...new Set([...(users.get(id) ?? []), ...writing, ...reading])].filter((user) => user !== id),
        );
        return false;
      });
    }
  }
  const uses = [...scoped.values()].flat();
  return {
    users,
    writers: new Set(uses.flatMap(({ writers }) => [...writers])),
    isReadInRun: (writer, reader, table) =>
      scoped.get(names(table))?.some(({ writers, readers }) => writers.has(writer) && readers.has(reader)) === true,
  };
}

const clearsWhole = ({ slice, mode }: WriteFact): boolean => slice.kind === 'whole-table' && mode === 'full_replace';

/**
 * Whether a task's rows are another interval's in another run. One that only stamps its interval on whole tables
 * (a dimension that is rebuilt each day) writes the same rows whenever it runs.
 */
function dependsOnInterval(task: Task, { facts }: WorkspaceFacts): boolean {
  const read = facts.get(task.id)?.reads ?? [];
  const dated = task.sql.some(({ masked }) => masked.holes.some(({ value }) => value.kind === 'time'));
  return dated && (read.length === 0 || read.some(({ window }) => window.kind !== 'unbounded'));
}
