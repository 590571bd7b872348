import { windowRange } from '../../lineage/facts/window-range.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import { beginningOfTime, endOfTime } from '../../time/zones/instant.ts';
import { followedStart } from '../intervals/by-order.ts';
import type { KeptInterval } from '../intervals/expand-tasks.ts';
import { firstIndex, writtenRange } from '../intervals/written-range.ts';
import type { WaitRange } from '../model/plan.ts';
import type { ParentRead, PlannableTask } from '../model/plan-request.ts';
import type { TaskGraph } from '../tasks/task-graph.ts';

/** A unit before it has an order: the `index`-th kept interval of its task. */
export interface UnitNode {
  readonly task: PlannableTask;
  readonly index: number;
  readonly kept: KeptInterval;
  /** As in the plan: what must be done first, without repetition. */
  readonly waitsFor: readonly WaitRange[];
}

/**
 * Which units wait for which: (T, I) waits for (P, J) iff J, or the slice that J rewrites, overlaps what I reads; for
 * the unit before it if T reads itself; for the same logical date along edges without a table; and, where T empties a
 * table anew in each run, for everything that uses the rows of its run before.
 */
export function unitGraph(
  graph: TaskGraph,
  kept: ReadonlyMap<TaskId, readonly KeptInterval[]>,
): ReadonlyMap<TaskId, readonly UnitNode[]> {
  const spans = new Map<string, Spans>();
  const spansOf = (parent: PlannableTask, table: string, together: boolean): Spans => {
    const key = JSON.stringify([parent.id, table, together]);
    const known = spans.get(key);
    if (known !== undefined) return known;
    const made = spansOfUnits(parent, together ? undefined : table, kept.get(parent.id) ?? []);
    spans.set(key, made);
    return made;
  };
  const positions = new Map<TaskId, ReadonlyMap<number, number>>();
  const positionsOf = (parent: TaskId): ReadonlyMap<number, number> => {
    const known = positions.get(parent);
    if (known !== undefined) return known;
    const made = new Map((kept.get(parent) ?? []).map(({ interval }, index) => [interval.start as number, index]));
    positions.set(parent, made);
    return made;
  };

  const nodes = new Map<TaskId, readonly UnitNode[]>();
  for (const task of graph.tasks.values()) {
    const reads = task.reads.flatMap((read) => {
      const parent = graph.tasks.get(read.parent);
      if (parent === undefined || parent === task) return [];
      const grouped = graph.groupOf.get(parent.id) === graph.groupOf.get(task.id);
      return [{ read, grouped, ...spansOf(parent, read.table, grouped) }];
    });
    const edges = task.after.flatMap((edge) =>
      edge.parent === task.id || !graph.tasks.has(edge.parent) ? [] : [{ edge, positions: positionsOf(edge.parent) }],
    );
    const users = (task.usedBy ?? []).map((id) => ({ id, positions: positionsOf(id) }));
    const sequential = runsInSequence(task);
    const units = (kept.get(task.id) ?? []).map((unit, index): UnitNode => {
      const ranges: WaitRange[] = [];
      for (const { read, grouped, from, to } of reads) {
        const reading = readingOf(read, unit, grouped);
        const first = firstIndex(to.length, (at) => (to[at] ?? 0) > reading.from);
        const last = firstIndex(from.length, (at) => (from[at] ?? 0) >= reading.to) - 1;
        if (first <= last) ranges.push({ task: read.parent, first, last });
      }
      for (const { edge, positions } of edges) {
        const at = positions.get(followedStart(edge, task.zone, unit.interval.start));
        if (at !== undefined) ranges.push({ task: edge.parent, first: at, last: at });
      }
      const before = kept.get(task.id)?.[index - 1];
      for (const user of before === undefined ? [] : users) {
        const at = user.positions.get(before?.interval.start ?? 0);
        if (at !== undefined) ranges.push({ task: user.id, first: at, last: at });
      }
      if (sequential && index > 0) ranges.push({ task: task.id, first: index - 1, last: index - 1 });
      return { task, index, kept: unit, waitsFor: mergeWaits(ranges) };
    });
    nodes.set(task.id, units);
  }
  return nodes;
}

/** A task that reads its own table, or says so, runs one interval at a time, oldest first. */
const runsInSequence = (task: PlannableTask): boolean =>
  task.lastRunWins === true ||
  task.reads.some((read) => read.parent === task.id) ||
  task.after.some((edge) => edge.parent === task.id);

/**
 * A read without a known window waits for everything, except among tasks that read each other, where the parent's
 * later intervals are made from this one: there it waits for what was finished when the interval began.
 */
function readingOf(read: ParentRead, unit: KeptInterval, grouped: boolean): { from: number; to: number } {
  const { start, next } = unit.interval;
  const earlier = read.earlierRuns === true;
  if (read.window.kind !== 'range') return { from: beginningOfTime, to: grouped || earlier ? start : endOfTime };
  const range = windowRange(read.window, { start, end: next });
  return earlier ? { from: range.from, to: Math.min(range.to, start) } : range;
}

/** Where each unit's writing begins and ends; both ascending, because grids tile and bounds are monotone. */
interface Spans {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

function spansOfUnits(parent: PlannableTask, table: string | undefined, units: readonly KeptInterval[]): Spans {
  const ranges = units.map(({ interval }) =>
    table === undefined ? { from: interval.start, to: interval.next } : writtenRange(parent, table, interval),
  );
  return { from: ranges.map((range) => range.from), to: ranges.map((range) => range.to) };
}

/** Overlapping and touching ranges of one task become one. */
export function mergeWaits(ranges: readonly WaitRange[]): readonly WaitRange[] {
  if (ranges.length < 2) return ranges;
  const merged: WaitRange[] = [];
  for (const range of ranges.toSorted((a, b) => (a.task < b.task ? -1 : a.task > b.task ? 1 : a.first - b.first))) {
    const last = merged.at(-1);
    if (last !== undefined && last.task === range.task && range.first <= last.last + 1) {
      merged[merged.length - 1] = { ...last, last: Math.max(last.last, range.last) };
    } else merged.push(range);
  }
  return merged;
}
