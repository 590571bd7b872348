import { windowRange } from '../../lineage/facts/window-range.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import { beginningOfTime, endOfTime, type Instant, instant } from '../../time/zones/instant.ts';
import { followedStart } from '../intervals/by-order.ts';
import type { KeptInterval } from '../intervals/expand-tasks.ts';
import { firstIndex, orMoment, writtenRanges } from '../intervals/written-range.ts';
import type { WaitRange } from '../model/plan.ts';
import type { ParentRead, PlannableTask } from '../model/plan-request.ts';
import type { TaskGraph } from '../tasks/task-graph.ts';
import { type LaterRuns, laterRunsByStage } from './later-runs-by-stage.ts';

/** A unit before it has an order: the `index`-th kept interval of its task. */
export interface UnitNode {
  readonly task: PlannableTask;
  readonly index: number;
  readonly kept: KeptInterval;
  /** As in the plan: what must be done first, without repetition. */
  readonly waitsFor: readonly WaitRange[];
}

/**
 * Which units wait for which: (T, I) waits for (P, J) iff the slice that J rewrites overlaps what I reads; for the unit
 * before it if T reads itself; for the same logical date along edges without a table or within one run, and through a stage; where T
 * empties a stage, for everything that uses the rows of its run before, and of runs of other pipelines whose turn is
 * earlier; and a full refresh for all that it reads or follows, as whoever reads it waits for it.
 */
export function unitGraph(
  graph: TaskGraph,
  kept: ReadonlyMap<TaskId, readonly KeptInterval[]>,
): ReadonlyMap<TaskId, readonly UnitNode[]> {
  const spans = new Map<string, Spans>();
  const spansOf = (parent: PlannableTask, table: string, grouped: boolean): Spans => {
    const key = JSON.stringify([parent.id, table, grouped]);
    const known = spans.get(key);
    if (known !== undefined) return known;
    const made = spansOfUnits(parent, table, kept.get(parent.id) ?? [], grouped);
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
  /** How many units of a task have an earlier logical date. */
  const startedBefore = (parent: TaskId, start: Instant): number => {
    const units = kept.get(parent) ?? [];
    return firstIndex(units.length, (at) => (units[at]?.interval.start ?? start) >= start);
  };
  /** How many units of a task have their turn before a run that is due at `next`. */
  const startedBy = (user: TaskId, next: Instant, withIt: boolean): number => {
    const units = kept.get(user) ?? [];
    return firstIndex(units.length, (at) => {
      const own = units[at]?.interval.next ?? next;
      return withIt ? own > next : own >= next;
    });
  };
  const everyUnitOf = (parent: TaskId): readonly WaitRange[] => {
    const last = (kept.get(parent)?.length ?? 0) - 1;
    return last < 0 ? [] : [{ task: parent, first: 0, last }];
  };

  const laterRuns = laterRunsByStage(graph);
  const nodes = new Map<TaskId, readonly UnitNode[]>();
  for (const task of graph.tasks.values()) {
    const isGrouped = (parent: TaskId): boolean => graph.groupOf.get(parent) === graph.groupOf.get(task.id);
    // A full refresh comes after what it reads: who is among that reads it as an earlier run left it.
    const comesLater = (parent: TaskId): boolean =>
      graph.tasks.get(parent)?.fullRefresh === true && task.fullRefresh !== true && isGrouped(parent);
    const isFollowed = (parent: TaskId): boolean =>
      parent !== task.id && graph.tasks.has(parent) && !comesLater(parent);
    const reads = task.reads.flatMap((read): readonly Waiting[] => {
      const parent = graph.tasks.get(read.parent);
      if (parent === undefined || !isFollowed(read.parent)) return [];
      // Of a full refresh that comes later in the run it reads what the run before left.
      if (read.earlierRuns === true && parent.fullRefresh === true) return [];
      if (read.sameRun !== undefined) return isFilledLater(task, read) ? [] : [{ kind: 'same-run', ...read }];
      if (parent.fullRefresh === true) return [{ kind: 'all', parent: read.parent }];
      const grouped = isGrouped(parent.id);
      const isOpen = read.earlierRuns !== true && read.window.kind !== 'range';
      const later = isOpen ? laterRuns(task.id, parent.id) : [];
      return [{ kind: 'window', read, grouped, later, ...spansOf(parent, read.table, grouped) }];
    });
    const behind = graph.behind.get(task.id) ?? [];
    const inOrder = (task.ordered ?? []).filter(({ inRun }) => inRun === true);
    const edges = [...task.after, ...behind, ...inOrder].filter(({ parent }) => isFollowed(parent));
    const inRun = task.reads.filter(({ earlierRuns }) => earlierRuns !== true);
    const before = [...new Set([...inRun, ...task.after, ...behind].map(({ parent }) => parent))].filter(isFollowed);
    const sequential = runsInSequence(task);
    const units = (kept.get(task.id) ?? []).map((unit, index): UnitNode => {
      const ranges: WaitRange[] = [];
      const add = (parent: TaskId, start: Instant): void => {
        const at = positionsOf(parent).get(start);
        if (at !== undefined) ranges.push({ task: parent, first: at, last: at });
      };
      if (task.fullRefresh === true) ranges.push(...before.flatMap(everyUnitOf));
      for (const one of task.fullRefresh === true ? [] : reads) {
        if (one.kind === 'same-run') add(one.parent, unit.interval.start);
        else if (one.kind === 'all') ranges.push(...everyUnitOf(one.parent));
        else {
          const { read, grouped, later, from, to } = one;
          const reading = readingOf(read, unit, grouped);
          const first = firstIndex(to.length, (at) => (to[at] ?? 0) > reading.from);
          const within = firstIndex(from.length, (at) => (from[at] ?? 0) >= reading.to);
          const { start, next } = unit.interval;
          const before = later.map((runs) =>
            runs === 'after-its-date'
              ? startedBefore(read.parent, instant(start + 1))
              : startedBy(read.parent, next, runs === 'after-its-turn'),
          );
          if (read.earlierRuns === true) before.push(startedBefore(read.parent, start));
          const last = Math.min(within, ...before) - 1;
          if (first <= last) ranges.push({ task: read.parent, first, last });
        }
      }
      for (const edge of task.fullRefresh === true ? [] : edges) {
        if (graph.tasks.get(edge.parent)?.fullRefresh === true) ranges.push(...everyUnitOf(edge.parent));
        else add(edge.parent, followedStart(edge, task.zone, unit.interval.start));
      }
      const previous = kept.get(task.id)?.[index - 1];
      if (previous !== undefined) for (const user of task.usedBy ?? []) add(user, previous.interval.start);
      for (const { users, isFirst } of task.turns ?? []) {
        for (const user of users) {
          const due = startedBy(user, unit.interval.next, isFirst);
          if (due > 0) ranges.push({ task: user, first: 0, last: due - 1 });
        }
      }
      if (sequential && index > 0) ranges.push({ task: task.id, first: index - 1, last: index - 1 });
      return { task, index, kept: unit, waitsFor: mergeWaits(ranges) };
    });
    nodes.set(task.id, units);
  }
  return nodes;
}

/** Whom a unit waits for, for one read. */
type Waiting =
  | { readonly kind: 'same-run'; readonly parent: TaskId }
  | { readonly kind: 'all'; readonly parent: TaskId }
  | ({
      readonly kind: 'window';
      readonly read: ParentRead;
      readonly grouped: boolean;
      /** Which of the parent's units can only come after its own, so that it cannot wait for them. */
      readonly later: readonly LaterRuns[];
    } & Spans);

/** Who waits for the task that fills a stage need not wait for the one that empties it. */
const isFilledLater = (task: PlannableTask, read: ParentRead): boolean =>
  read.sameRun === 'emptied' && task.reads.some((other) => other.sameRun === 'filled' && other.table === read.table);

/** A task that reads its own table, or says so, runs one interval at a time, oldest first. */
const runsInSequence = (task: PlannableTask): boolean =>
  task.lastRunWins !== undefined ||
  task.reads.some((read) => read.parent === task.id) ||
  task.after.some((edge) => edge.parent === task.id);

/**
 * A read without a known window waits for everything, except among tasks that read each other, where the parent's
 * later intervals are made from this one: there it waits for what was finished when the interval began.
 */
function readingOf(read: ParentRead, unit: KeptInterval, grouped: boolean): { from: number; to: number } {
  const { start, data } = unit.interval;
  if (read.window.kind === 'range') return orMoment(windowRange(read.window, data));
  return { from: beginningOfTime, to: grouped ? start : endOfTime };
}

/** Where each unit's writing begins and ends; both ascending, so that they can be searched. */
interface Spans {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

function spansOfUnits(parent: PlannableTask, table: string, units: readonly KeptInterval[], grouped: boolean): Spans {
  const intervals = units.map(({ interval }) => interval);
  const ranges = writtenRanges(parent, table, intervals, grouped ? 'exact' : 'widened');
  // Exact bounds can go back by a clock change: a range is then taken as reaching as far as one before it.
  const to: number[] = [];
  for (const range of ranges) to.push(Math.max(range.to, to.at(-1) ?? beginningOfTime));
  const from: number[] = [];
  for (const range of ranges.toReversed()) from.push(Math.min(range.from, from.at(-1) ?? endOfTime));
  return { from: from.reverse(), to };
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
