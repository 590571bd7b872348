import { isDated, type WriteFact } from '../../lineage/facts/facts.ts';
import { isScheduled } from '../../lineage/facts/is-scheduled.ts';
import { columnsOfCut } from '../../lineage/facts/slice-cut.ts';
import { staysInside } from '../../lineage/facts/window-range.ts';
import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import type { IsEarlier } from '../../lineage/workspace/order-edges.ts';
import type { Pipeline, TaskId } from '../../pipeline/model/model.ts';
import { exactTime } from '../../time/expressions/evaluate-time.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import { makeGrid } from '../../time/intervals/make-grid.ts';
import { dayMs } from '../../time/zones/civil.ts';
import { instant } from '../../time/zones/instant.ts';

/**
 * Where several tasks of one run write rows of one table in turn (one closes versions, the next one opens others), a run goes on
 * from what the one before has left: the first of them has to wait until the last of them is done there. For each task those of its
 * pipeline that come behind it at such a table. Tables of which each run owns rows of its own are none of them.
 */
export function rowsInTurn(
  { pipelines, facts, tasks }: WorkspaceFacts,
  names: (table: string) => string,
  isEarlier: IsEarlier,
  isOnce: (task: TaskId) => boolean,
): (task: TaskId) => readonly TaskId[] {
  const found = new Map<TaskId, Set<TaskId>>();
  for (const pipeline of pipelines.filter(isScheduled)) {
    const tables = new Map<string, { readonly id: TaskId; readonly write: WriteFact }[]>();
    for (const { id } of pipeline.tasks) {
      for (const write of facts.get(id)?.writes ?? []) {
        const key = JSON.stringify([names(write.table), tasks.get(id)?.task.place]);
        tables.set(key, [...(tables.get(key) ?? []), { id, write }]);
      }
    }
    for (const writing of tables.values()) {
      const writers = [...new Set(writing.map(({ id }) => id))];
      if (writers.length < 2 || writers.some(isOnce)) continue;
      const table = names(writing[0]?.write.table ?? '');
      const readsOthers = writers.some((id) =>
        (facts.get(id)?.reads ?? []).some((read) => names(read.table) === table && !staysInside(read.window)),
      );
      const writes = writing.map(({ write }) => write);
      const onlyAdds = writes.every(({ mode }) => mode === 'append');
      if (!readsOthers && (onlyAdds || areApart(writes, neighbours(pipeline)))) continue;
      for (const id of writers) {
        const behind = writers.filter((other) => isEarlier(id, other));
        if (behind.length > 0) found.set(id, new Set([...(found.get(id) ?? []), ...behind]));
      }
    }
  }
  return (task) => [...(found.get(task) ?? [])];
}

/** Whether no two runs write the same rows, as far as their slices tell. */
function areApart(writes: readonly WriteFact[], runs: readonly DataInterval[]): boolean {
  const slices = writes.flatMap(({ slice }) => (isDated(slice) ? [slice] : []));
  if (slices.length < writes.length || runs.length < 2) return false;
  const cuts = slices.map((slice) => (slice.kind === 'range' ? columnsOfCut(slice).join() : slice.kind));
  if (new Set(cuts).size > 1) return false;
  const written = runs.map((run) => slices.map(({ lo, hi }) => ({ from: exactTime(lo, run), to: exactTime(hi, run) })));
  return written.every((ranges, index) =>
    (written[index + 1] ?? []).every((next) => ranges.every(({ from, to }) => next.from >= to || next.to <= from)),
  );
}

/** A few data intervals of a pipeline, one right behind the other. */
function neighbours({ schedule, anchor }: Pipeline): readonly DataInterval[] {
  const { grid } = makeGrid(schedule.value, anchor);
  if (grid === undefined) return [];
  const first = instant(anchor.startDate ?? Date.UTC(2026, 0, 14));
  const runs: DataInterval[] = [];
  for (let run = grid.overlapping(first, instant(first + 400 * dayMs))[0]; run !== undefined && runs.length < 4; ) {
    runs.push(run.data);
    run = grid.containing(run.next);
  }
  return runs;
}
