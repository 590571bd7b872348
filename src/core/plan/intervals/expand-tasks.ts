import type { ReadWindow } from '../../lineage/facts/facts.ts';
import { type RangeWindow, windowRange, windowReach } from '../../lineage/facts/window-range.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { GridInterval } from '../../time/intervals/grid.ts';
import {
  emptySet,
  type InstantRange,
  type IntervalSet,
  intervalSet,
  union,
} from '../../time/intervals/interval-set.ts';
import { lastFinished } from '../../time/intervals/last-finished.ts';
import { beginningOfTime, endOfTime, type Instant, instant } from '../../time/zones/instant.ts';
import type { Reason } from '../model/plan.ts';
import type { ParentRead, PlannableTask, PlanRequest } from '../model/plan-request.ts';
import { taskOfUnit, unitId } from '../model/unit-id.ts';
import type { TaskGraph } from '../tasks/task-graph.ts';
import { followedStart, followReach } from './by-order.ts';
import { firstTick } from './first-tick.ts';
import { newestOfTables } from './newest-of-tables.ts';
import { pickedRuns } from './picked-runs.ts';
import { firstIndex, orMoment, rewritesWholeTable, writtenRanges } from './written-range.ts';

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
   * `unknown-before`: it was expanded on request to the intervals behind; those before may read what changes as well.
   */
  readonly why: 'unbounded' | 'unknown' | 'unknown-before' | 'whole-table' | 'open-end' | 'no-grid' | 'no-beginning';
  /** From here to the horizon is what `expandUnbounded` adds. */
  readonly from: Instant;
}

export interface Expansion {
  /** Oldest first. Every task of the graph has an entry. */
  readonly kept: ReadonlyMap<TaskId, readonly KeptInterval[]>;
  readonly skipped: readonly SkippedRead[];
  /** Runs that the selection means of the tasks that are selected, finished or not. */
  readonly picked: ReadonlyMap<TaskId, readonly GridInterval[]>;
}

interface Growing {
  readonly interval: GridInterval;
  readonly reasons: Reason[];
}

/** Everything up to the end of the interval: how an unbounded or unknown read is expanded on request. */
const allLater: RangeWindow = { kind: 'range', column: '', lo: [], hi: [{ anchor: 'end', steps: [] }] };

/** Tasks that read each other ahead, on a schedule without a start date, would grow backwards without end. */
const maxCircular = 100_000;

/** Which intervals each task has to run, by testing windows forwards; lo and hi are never inverted. */
export function expandTasks(graph: TaskGraph, request: PlanRequest): Expansion {
  const kept = new Map<TaskId, Map<Instant, Growing>>();
  const skipped = new Map<string, SkippedRead>();
  const picked = new Map<TaskId, readonly GridInterval[]>();
  /** Where the last finished interval makes room for the next: a tick, which may lie ahead of now. */
  const horizons = new Map<TaskId, Instant | undefined>();
  const tails = new Map<TaskId, Instant>();
  /** Of a full refresh, which is one unit at its newest interval: what of its data may have changed. */
  const renewed = new Map<TaskId, IntervalSet>();
  const selected = new Set(request.tasks);
  const only = request.only === undefined ? undefined : new Set(request.only);
  const isMeant = ({ id }: PlannableTask, start: Instant): boolean => only === undefined || only.has(unitId(id, start));
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

  /** Adds the one unit of a full refresh. */
  const renew = (task: PlannableTask, reason: Reason, ranges: IntervalSet, fresh: GridInterval[]): void => {
    const newest = newestFinished(task);
    if (newest === undefined) return;
    const before = renewed.get(task.id) ?? emptySet;
    const after = union(before, ranges);
    renewed.set(task.id, after);
    // Who reads it has to hear of more that may have changed, although the unit is the same.
    if (keptOf(task).has(newest.start) && JSON.stringify(before) !== JSON.stringify(after)) fresh.push(newest);
    add(task, newest, reason, fresh);
  };

  const newestFinished = ({ id, grid }: PlannableTask): GridInterval | undefined => {
    const horizon = horizons.get(id);
    return horizon === undefined ? undefined : grid?.containing(instant(horizon - 1));
  };

  const select = (task: PlannableTask, fresh: GridInterval[]): void => {
    const horizon = horizons.get(task.id);
    if (!selected.has(task.id) || task.grid === undefined || horizon === undefined) return;
    const { selection } = request;
    const reason: Reason = { kind: 'selected' };
    if (task.fullRefresh === true) {
      const range = selectedRange(selection);
      const newest = newestFinished(task);
      // Whichever of its runs was picked, the newest gives the table.
      const isPicked = request.only === undefined || request.only.some((unit) => taskOfUnit(unit) === task.id);
      if (newest === undefined || !isPicked) return;
      if (range.from < range.to) renew(task, reason, [range], fresh);
      return;
    }
    const found =
      selection.kind === 'logical-dates'
        ? task.grid.startingWithin(selection.first, selection.last)
        : pickedRuns(task, selection);
    picked.set(task.id, found);
    for (const interval of found) {
      if (interval.next <= horizon && isMeant(task, interval.start)) add(task, interval, reason, fresh);
    }
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
    // A week or a month that holds the interval reaches ahead of it: not known is not known on both sides.
    if (read.window.kind === 'unknown') skip(task, read, 'unknown-before', first.from);
    const { back, forward } = windowReach(window);
    const ahead = forward + task.grid.overhangMs;
    const near = intervalSet(
      ranges.map((range) => ({
        from: window.hi.length === 0 ? beginningOfTime : instant(range.from - ahead),
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
        const reading = readingOf(window, interval);
        const hit = ranges[firstIndex(ranges.length, (index) => (ranges[index] as InstantRange).to > reading.from)];
        if (hit === undefined || hit.from >= reading.to) continue;
        const { from, to } = overlapHull(ranges, reading);
        add(task, interval, { kind: 'reads-parent', parent: read.parent, table: read.table, from, to }, fresh);
      }
    }
  };

  /** Of a stage a run reads what its own run put there, whatever days the rows are of. */
  const followRun = (
    task: PlannableTask,
    { parent, table }: ParentRead,
    starts: ReadonlySet<Instant>,
    fresh: GridInterval[],
  ): void => {
    const horizon = horizons.get(task.id);
    for (const start of horizon === undefined ? [] : starts) {
      const interval = task.grid?.containing(start);
      if (interval?.start !== start || interval.next > (horizon ?? start)) continue;
      add(task, interval, { kind: 'reads-parent', parent, table, from: start, to: interval.next }, fresh);
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
   * the whole table, what is between is gone again with the next: only the newest interval has to come last, and only
   * together with the tasks that empty and fill the table for it.
   */
  const growTail = (task: PlannableTask, fresh: GridInterval[]): void => {
    if (fresh.length === 0 || task.fullRefresh === true) return;
    if (!hasOwnTail(task, request.expandUnbounded)) {
      const together = task.lastRunWins?.every((id) => graph.tasks.has(id) && !request.without.includes(id));
      if (together !== true) return;
      const finishedIn = (from: Instant, to: Instant) => {
        const found = finished(task, from, to);
        return found === 'no-beginning' ? [] : found;
      };
      const newest = newestOfTables(task, fresh, finishedIn) ?? [newestFinished(task)];
      for (const one of newest) if (one !== undefined) add(task, one, { kind: 'own-tail' }, fresh);
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
    if (intervals.length === 0) return fresh;
    const together = graph.groupOf.get(parent.id) === graph.groupOf.get(child.id);
    const starts = new Set(intervals.map(({ start }) => start));
    for (const read of child.reads) {
      if (read.parent !== parent.id) continue;
      if (read.sameRun !== undefined) {
        followRun(child, read, starts, fresh);
        continue;
      }
      const whole = rewritesWholeTable(parent, read.table);
      const dirty = intervalSet(
        renewed.get(parent.id) ?? writtenRanges(parent, read.table, intervals, together ? 'exact' : 'widened'),
      );
      if (child.fullRefresh === true && child.grid !== undefined) {
        const [from, to] = [dirty[0]?.from ?? beginningOfTime, dirty.at(-1)?.to ?? endOfTime];
        renew(child, { kind: 'reads-parent', parent: parent.id, table: read.table, from, to }, dirty, fresh);
        continue;
      }
      if (whole && read.window.kind === 'range' && !request.expandUnbounded && child.grid !== undefined) {
        skip(child, read, 'whole-table', dirty[0]?.from ?? beginningOfTime);
      }
      readDirty(child, read, whole && request.expandUnbounded ? everything : dirty, fresh);
    }
    for (const edge of child.after) {
      if (edge.parent !== parent.id) continue;
      if (child.fullRefresh === true) {
        const dirty =
          renewed.get(parent.id) ?? intervalSet(intervals.map(({ start, next }) => ({ from: start, to: next })));
        renew(child, { kind: 'by-order', parent: parent.id }, dirty, fresh);
      } else followDirty(child, edge, starts, fresh);
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
    picked,
  };
}

/** True when a changed interval of the task makes all its later ones stale. */
export const hasOwnTail = (task: PlannableTask, expandUnbounded: boolean): boolean =>
  builtOn(task).some(({ window }) => expandable(window, expandUnbounded) !== undefined);

/** What the task reads of its own. A journal is no part of it: its later intervals would only add their rows once more. */
export const builtOn = ({ id, reads, writes }: PlannableTask): readonly ParentRead[] =>
  reads.filter(
    ({ parent, table }) => parent === id && !writes.some((write) => write.table === table && write.journal === true),
  );

const expandable = (window: ReadWindow, expandUnbounded: boolean): RangeWindow | undefined =>
  window.kind === 'range' ? window : expandUnbounded ? allLater : undefined;

const everything: IntervalSet = [{ from: beginningOfTime, to: endOfTime }];

/** The instants that a selection speaks of; of logical dates from the first to the last. */
const selectedRange = (selection: PlanRequest['selection']): InstantRange =>
  selection.kind === 'data-range'
    ? { from: selection.from, to: selection.to }
    : { from: selection.first, to: instant(selection.last + 1) };

/** What one interval reads through a window. What is expanded on request, or has no end, is read up to the next tick. */
function readingOf(window: RangeWindow, { start, next, data }: GridInterval): InstantRange {
  const open = window.hi === allLater.hi;
  return orMoment(windowRange(window, open ? { start, end: instant(Math.max(next, data.end)) } : data));
}

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
