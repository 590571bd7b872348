import { isDated, type WriteFact } from '../../lineage/facts/facts.ts';
import { isScheduled } from '../../lineage/facts/is-scheduled.ts';
import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import { isSameInEveryRun } from '../../lineage/tasks/run-dependence.ts';
import type { IsEarlier } from '../../lineage/workspace/order-edges.ts';
import type { TaskId } from '../../pipeline/model/model.ts';

/** A table that `parent` empties by a cascade before the task fills it again. */
export interface Refill {
  readonly parent: TaskId;
  readonly table: string;
}

export interface RefilledTables {
  /** What a task fills again, whole and the same in every run, after others. */
  refillsOf(filler: TaskId): readonly Refill[];
  /** A TRUNCATE … CASCADE empties it, and nobody fills it again. */
  isLost(emptier: TaskId, write: WriteFact): boolean;
}

export function refilledTables(
  facts: WorkspaceFacts,
  names: (table: string) => string,
  isEarlier: IsEarlier,
): RefilledTables {
  const emptiers = [...facts.facts].filter(([, { writes }]) => writes.some(isCascaded));
  const fillers = new Map<string, TaskId[]>();
  for (const [id, { writes }] of emptiers.length === 0 ? [] : facts.facts) {
    const owner = facts.tasks.get(id);
    if (owner === undefined || !isScheduled(owner.pipeline) || !isSameInEveryRun(owner.task)) continue;
    for (const table of new Set(writes.filter(fillsWhole).map((write) => names(write.table))))
      fillers.set(table, [...(fillers.get(table) ?? []), id]);
  }
  const placeOf = (id: TaskId): string | undefined => facts.tasks.get(id)?.task.place;
  const behind = (id: TaskId, table: string): readonly TaskId[] =>
    (fillers.get(names(table)) ?? []).filter(
      (filler) => filler !== id && !isEarlier(filler, id) && placeOf(filler) === placeOf(id),
    );
  const refills = new Map<TaskId, Refill[]>();
  for (const [parent, { writes }] of emptiers) {
    for (const { table } of writes.filter(isCascaded))
      for (const filler of behind(parent, table))
        refills.set(filler, [...(refills.get(filler) ?? []), { parent, table }]);
  }
  return {
    refillsOf: (filler) => refills.get(filler) ?? [],
    isLost: (emptier, write) => isCascaded(write) && behind(emptier, write.table).length === 0,
  };
}

const isCascaded = ({ cascaded }: WriteFact): boolean => cascaded === true;

/** What it puts in is of no interval, and does not hang on rows that are there. */
const fillsWhole = ({ mode, slice, empties, leavesOut }: WriteFact): boolean =>
  empties !== true && !isDated(slice) && leavesOut === undefined && /^(append|create|full_replace|merge)$/.test(mode);
