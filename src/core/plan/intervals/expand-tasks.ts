import type { ReadWindow } from '../../lineage/facts/facts.ts';
import { type RangeWindow, windowRange, windowReach } from '../../lineage/facts/window-range.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { Grid, GridInterval } from '../../time/intervals/grid.ts';
import { type InstantRange, intervalSet } from '../../time/intervals/interval-set.ts';
import { lastFinished } from '../../time/intervals/last-finished.ts';
import { beginningOfTime, endOfTime, type Instant, instant } from '../../time/zones/instant.ts';
import type { Reason } from '../model/plan.ts';
import type { ParentRead, PlannableTask, PlanRequest } from '../model/plan-request.ts';
import type { TaskGraph } from '../tasks/task-graph.ts';
import { followedStart, followReach } from './by-order.ts';
import { firstIndex, rewritesWholeTable, writtenRange } from './written-range.ts';

/** An interval that is in the plan, and why. */
export interface KeptInterval {
  readonly interval: GridInterval;
  readonly reasons: readonly Reason[];
}

/** A read that could not be expanded, because nothing says which intervals it touches. */
export interface SkippedRead {
  readonly task: TaskId;
  readonly read: ParentRead;
  /**
   * `whole-table`: the parent replaces the whole table, so intervals outside the planned ones read changed rows too.
   * `open-end`: the window has no upper end, so every earlier interval reads what changes.
   */
  readonly why: 'unbounded' | 'unknown' | 'whole-table' | 'open-end' | 'no-grid' | 'no-beginning';
  /** From here to the horizon is what `expandUnbounded` adds. */
  readonly from: Instant;
}

export interface Expansion {
  /** Oldest first. Every task of the graph has an entry. */
  readonly kept: ReadonlyMap<TaskId, readonly KeptInterval[]>;
  readonly skipped: readonly SkippedRead[];
}

interface Growing {
  readonly interval: GridInterval;
  readonly reasons: Reason[];
}

/** Everything up to the end of the interval: how an unbounded or unknown read is expanded on request. */
const allLater: RangeWindow = { kind: 'range', column: '', lo: [], hi: [{ anchor: 'end', steps: [] }] };

/** Tasks that read each other ahead, on a schedule without a start date, would grow backwards without end. */
const maxCircular = 100_000;

const longAgo = instant(Date.UTC(1, 0, 1));

/**
 * The first tick of a grid at or before `horizon`; `undefined` when the grid has no beginning.
 * Ticks from a start date on, so "has a tick at or before t" turns from false to true once.
 */
function firstTick(grid: Grid, horizon: Instant): Instant | undefined {
  if (grid.floor(longAgo) !== undefined) return undefined;
  let low = longAgo as number;
  let high = horizon as number;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (grid.floor(instant(middle)) === undefined) low = middle;
    else high = middle;
  }
  return instant(high);
}

/** Which intervals each task has to run, by testing windows forwards; lo and hi are never inverted. */
export function expandTasks(graph: TaskGraph, request: PlanRequest): Expansion {
  const kept = new Map<TaskId, Map<Instant, Growing>>();
  const skipped = new Map<string, SkippedRead>();
  /** Where the last finished interval makes room for the next: a tick, which may lie ahead of now. */
  const horizons = new Map<TaskId, Instant | undefined>();
  const tails = new Map<TaskId, Instant>();
  const selected = new Set(request.tasks);
  for (const task of graph.tasks.values()) {
    kept.set(task.id, new Map());
    horizons.set(task.id, task.grid === undefined ? undefined : lastFinished(task.grid, request.now)?.next);
  }

  const keptOf = (task: PlannableTask): Map<Instant, Growing> => kept.get(task.id) ?? new Map();

  /** Finished intervals that overlap `[from, to)`; the ends may be infinite. */
  const finished = (task: PlannableTask, from: Instant, to: Instant): readonly GridInterval[] | 'no-beginning' => {
    const horizon = horizons.get(task.id);
    if (task.grid === undefined || horizon === undefined) return [];
    const first = from === beginningOfTime ? firstTick(task.grid, horizon) : from;
    if (first === undefined) return 'no-beginning';
    const last = instant(Math.min(to, horizon));
    return first < last ? task.grid.overlapping(first, last) : [];
  };

  const add = (task: PlannableTask, interval: GridInterval, reason: Reason, fresh: GridInterval[]): void => {
    const intervals = keptOf(task);
    const known = intervals.get(interval.start);
    if (known === undefined) {
      intervals.set(interval.start, { interval, reasons: [reason] });
      fresh.push(interval);
    } else mergeReason(known.reasons, reason);
  };

  const skip = (task: PlannableTask, read: ParentRead, why: SkippedRead['why'], from: Instant): void => {
    const key = JSON.stringify([task.id, read.parent, read.table, why]);
    const known = skipped.get(key);
    skipped.set(key, { task: task.id, read, why, from: known === undefined || from < known.from ? from : known.from });
  };

  const select = (task: PlannableTask, fresh: GridInterval[]): void => {
    const horizon = horizons.get(task.id);
    if (!selected.has(task.id) || task.grid === undefined || horizon === undefined) return;
    const { selection } = request;
    const found =
      selection.kind === 'logical-dates'
        ? task.grid.startingWithin(selection.first, selection.last)
        : selection.from < selection.to
          ? task.grid.overlapping(selection.from, selection.to)
          : [];
    for (const interval of found) if (interval.next <= horizon) add(task, interval, { kind: 'selected' }, fresh);
  };

  const readDirty = (
    task: PlannableTask,
    read: ParentRead,
    ranges: readonly InstantRange[],
    fresh: GridInterval[],
  ): void => {
    const first = ranges[0];
    if (first === undefined) return;
    const said = expandable(read.window, request.expandUnbounded);
    const endless = said !== undefined && said.lo.length > 0 && said.hi.length === 0 && !request.expandUnbounded;
    const window = endless ? { ...said, hi: allLater.hi } : said;
    if (task.grid === undefined || window === undefined) {
      const known = read.window.kind === 'unknown' ? 'unknown' : 'unbounded';
      skip(task, read, task.grid === undefined ? 'no-grid' : known, first.from);
      return;
    }
    if (endless) skip(task, read, 'open-end', first.from);
    const { back, forward } = windowReach(window);
    const near = intervalSet(
      ranges.map((range) => ({
        from: window.hi.length === 0 ? beginningOfTime : instant(range.from - forward),
        to: window.lo.length === 0 ? endOfTime : instant(range.to + back),
      })),
    );
    for (const neighbourhood of near) {
      const candidates = finished(task, neighbourhood.from, neighbourhood.to);
      if (candidates === 'no-beginning') {
        skip(task, read, 'no-beginning', first.from);
        return;
      }
      for (const interval of candidates) {
        const reading = windowRange(window, { start: interval.start, end: interval.next });
        const hit = ranges[firstIndex(ranges.length, (index) => (ranges[index] as InstantRange).to > reading.from)];
        if (hit === undefined || hit.from >= reading.to) continue;
        const { from, to } = overlapHull(ranges, reading);
        add(task, interval, { kind: 'reads-parent', parent: read.parent, table: read.table, from, to }, fresh);
      }
    }
  };

  const followDirty = (
    task: PlannableTask,
    edge: PlannableTask['after'][number],
    starts: ReadonlySet<Instant>,
    fresh: GridInterval[],
  ): void => {
    const reach = followReach(edge);
    const near = intervalSet(
      [...starts].map((start) => ({ from: instant(start - reach), to: instant(start + reach + 1) })),
    );
    for (const neighbourhood of near) {
      const candidates = finished(task, neighbourhood.from, neighbourhood.to);
      if (candidates === 'no-beginning') return;
      for (const interval of candidates) {
        if (starts.has(followedStart(edge, task.zone, interval.start))) {
          add(task, interval, { kind: 'by-order', parent: edge.parent }, fresh);
        }
      }
    }
  };

  /**
   * Everything after the first kept interval, where a task builds on its own earlier output. Where each run replaces
   * the whole table, what is between is gone again with the next: only the newest interval has to come last.
   */
  const growTail = (task: PlannableTask, fresh: GridInterval[]): void => {
    if (fresh.length === 0) return;
    if (!hasOwnTail(task, request.expandUnbounded)) {
      const horizon = horizons.get(task.id);
      if (task.lastRunWins !== true || task.grid === undefined || horizon === undefined) return;
      const newest = task.grid.containing(instant(horizon - 1));
      if (newest !== undefined) add(task, newest, { kind: 'own-tail' }, fresh);
      return;
    }
    const known = tails.get(task.id);
    const first = instant(fresh.reduce((least, { start }) => Math.min(least, start), endOfTime as number));
    if (known !== undefined && known <= first) return;
    tails.set(task.id, first);
    const until = known === undefined ? endOfTime : instant(known + 1);
    const later = finished(task, first, until);
    if (later === 'no-beginning') return;
    for (const interval of later) if (interval.start > first) add(task, interval, { kind: 'own-tail' }, fresh);
  };

  const spread = (parent: PlannableTask, intervals: readonly GridInterval[], child: PlannableTask): GridInterval[] => {
    const fresh: GridInterval[] = [];
    const together = graph.groupOf.get(parent.id) === graph.groupOf.get(child.id);
    for (const read of child.reads) {
      if (read.parent !== parent.id || intervals.length === 0) continue;
      const whole = read.sameRun !== true && rewritesWholeTable(parent, read.table);
      if (whole && read.window.kind === 'range' && !request.expandUnbounded && child.grid !== undefined) {
        skip(child, read, 'whole-table', instant(Math.min(...ends(intervals))));
      }
      const ranges =
        whole && request.expandUnbounded
          ? [{ from: beginningOfTime, to: endOfTime }]
          : intervals.map((interval) =>
              together ? { from: interval.start, to: interval.next } : writtenRange(parent, read.table, interval),
            );
      readDirty(child, read, intervalSet(ranges), fresh);
    }
    for (const edge of child.after) {
      if (edge.parent === parent.id) followDirty(child, edge, new Set(intervals.map(({ start }) => start)), fresh);
    }
    return fresh;
  };

  const parentsByChild = new Map<TaskId, PlannableTask[]>();
  for (const parent of graph.tasks.values()) {
    for (const child of graph.children.get(parent.id) ?? []) {
      parentsByChild.set(child, [...(parentsByChild.get(child) ?? []), parent]);
    }
  }
  for (const group of graph.groups) {
    const waiting = new Map<PlannableTask, GridInterval[]>();
    const here = new Set(group.map((task) => task.id));
    for (const task of group) {
      const fresh: GridInterval[] = [];
      select(task, fresh);
      for (const parent of request.downstream ? (parentsByChild.get(task.id) ?? []) : []) {
        if (here.has(parent.id)) continue;
        for (const interval of spread(parent, inOrder(keptOf(parent)), task)) fresh.push(interval);
      }
      growTail(task, fresh);
      if (fresh.length > 0) waiting.set(task, fresh);
    }
    // A lag among tasks that read each other: each turn only spreads what was added since the last one.
    while (request.downstream && group.length > 1) {
      const [next] = waiting;
      if (next === undefined) break;
      const [parent, fresh] = next;
      if (keptOf(parent).size > maxCircular) {
        const read = parent.reads.find(({ parent: other }) => here.has(other) && other !== parent.id);
        if (read !== undefined) skip(parent, read, 'no-beginning', request.now);
        break;
      }
      waiting.delete(parent);
      for (const id of graph.children.get(parent.id) ?? []) {
        const child = here.has(id) ? graph.tasks.get(id) : undefined;
        if (child === undefined) continue;
        const grown = spread(parent, fresh, child);
        growTail(child, grown);
        if (grown.length > 0) waiting.set(child, [...(waiting.get(child) ?? []), ...grown]);
      }
    }
  }

  return {
    kept: new Map(
      [...kept].map(([id, intervals]) => [
        id,
        [...intervals.values()].sort((a, b) => a.interval.start - b.interval.start),
      ]),
    ),
    skipped: [...skipped.values()],
  };
}

/** True when a changed interval of the task makes all its later ones stale. */
export function hasOwnTail(task: PlannableTask, expandUnbounded: boolean): boolean {
  return task.reads.some((read) => read.parent === task.id && expandable(read.window, expandUnbounded) !== undefined);
}

const expandable = (window: ReadWindow, expandUnbounded: boolean): RangeWindow | undefined =>
  window.kind === 'range' ? window : expandUnbounded ? allLater : undefined;

const ends = (intervals: readonly GridInterval[]): [number, number] => [
  intervals[0]?.start ?? 0,
  intervals.at(-1)?.start ?? 0,
];

const inOrder = (intervals: ReadonlyMap<Instant, Growing>): readonly GridInterval[] =>
  [...intervals.values()].map(({ interval }) => interval).sort((a, b) => a.start - b.start);

/** The part of a reading that is dirty, from the first dirty instant in it to the last. */
function overlapHull(ranges: readonly InstantRange[], reading: InstantRange): InstantRange {
  const first = ranges[firstIndex(ranges.length, (index) => (ranges[index] as InstantRange).to > reading.from)];
  const last = ranges[firstIndex(ranges.length, (index) => (ranges[index] as InstantRange).from >= reading.to) - 1];
  return {
    from: instant(Math.max(reading.from, first?.from ?? reading.from)),
    to: instant(Math.min(reading.to, last?.to ?? reading.to)),
  };
}

function mergeReason(reasons: Reason[], reason: Reason): void {
  for (const [index, known] of reasons.entries()) {
    if (known.kind !== reason.kind) continue;
    if (known.kind === 'reads-parent' && reason.kind === 'reads-parent') {
      if (known.parent !== reason.parent || known.table !== reason.table) continue;
      const from = instant(Math.min(known.from, reason.from));
      const to = instant(Math.max(known.to, reason.to));
      reasons[index] = { ...known, from, to };
      return;
    }
    if (known.kind === 'by-order' && reason.kind === 'by-order' && known.parent !== reason.parent) continue;
    return;
  }
  reasons.push(reason);
}
