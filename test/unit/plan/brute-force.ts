import type { ReadWindow } from '../../../src/core/lineage/facts/facts.ts';
import type { PlannableTask, PlanRequest } from '../../../src/core/plan/model/plan-request.ts';
import { evaluateTime } from '../../../src/core/time/expressions/evaluate-time.ts';
import type { GridInterval } from '../../../src/core/time/intervals/grid.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';

export interface BruteUnit {
  readonly task: string;
  readonly start: number;
  readonly next: number;
  readonly waitsFor: ReadonlySet<string>;
}

const everything: ReadWindow = { kind: 'range', column: '', lo: [], hi: [{ anchor: 'end', steps: [] }] };
export const nameOf = (task: string, start: number): string => `${task}@${new Date(start).toISOString()}`;

/** The definition of a plan, tried on every pair of intervals: slow, and without any of the planner's shortcuts. */
export function bruteForcePlan(tasks: readonly PlannableTask[], request: PlanRequest): ReadonlyMap<string, BruteUnit> {
  const all = new Map<string, readonly GridInterval[]>();
  for (const { id, grid } of tasks) {
    const wide = grid?.overlapping(instant(Date.UTC(2000, 0, 1)), instant(Date.UTC(2030, 0, 1))) ?? [];
    all.set(
      id,
      wide.filter(({ data }) => data.end <= request.now),
    );
  }
  const bounds = (window: ReadWindow, { start, next }: GridInterval): [number, number] => {
    if (window.kind !== 'range') throw new Error('not a range');
    const tile = { start, end: next };
    const lo = window.lo.map((time) => evaluateTime(time, tile, 'lower') as number);
    const hi = window.hi.map((time) => evaluateTime(time, tile, 'upper') as number);
    return [lo.length === 0 ? -Infinity : Math.min(...lo), hi.length === 0 ? Infinity : Math.max(...hi)];
  };
  const expandable = (window: ReadWindow): ReadWindow | undefined => {
    if (window.kind !== 'range') return request.expandUnbounded ? everything : undefined;
    const endless = window.lo.length > 0 && window.hi.length === 0 && !request.expandUnbounded;
    return endless ? { ...window, hi: [{ anchor: 'end', steps: [] }] } : window;
  };

  const kept = new Map<string, Set<number>>(tasks.map(({ id }) => [id, new Set()]));
  const has = (id: string, { start }: GridInterval): boolean => kept.get(id)?.has(start) === true;
  for (const id of request.tasks) {
    for (const interval of all.get(id) ?? []) {
      const { selection } = request;
      const chosen =
        selection.kind === 'data-range'
          ? interval.start < selection.to && interval.next > selection.from && selection.from < selection.to
          : selection.first <= interval.start && interval.start <= selection.last;
      if (chosen) kept.get(id)?.add(interval.start);
    }
  }
  const dirtyOf = (id: string): [number, number][] => {
    const ranges: [number, number][] = [];
    for (const interval of all.get(id) ?? []) {
      if (!has(id, interval)) continue;
      const last = ranges.at(-1);
      if (last !== undefined && last[1] === interval.start) last[1] = interval.next;
      else ranges.push([interval.start, interval.next]);
    }
    return ranges;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const task of tasks) {
      const mine = kept.get(task.id) as Set<number>;
      const add = (interval: GridInterval): void => {
        if (mine.has(interval.start)) return;
        mine.add(interval.start);
        changed = true;
      };
      for (const read of request.downstream ? task.reads : []) {
        const window = expandable(read.window);
        if (read.parent === task.id || window === undefined) continue;
        const dirty = dirtyOf(read.parent);
        for (const interval of all.get(task.id) ?? []) {
          const [lo, hi] = bounds(window, interval);
          if (dirty.some(([a, b]) => lo < b && hi > a)) add(interval);
        }
      }
      for (const edge of request.downstream ? task.after : []) {
        if (edge.parent === task.id) continue;
        for (const interval of all.get(task.id) ?? []) {
          const followed = interval.start + (edge.shift?.ms ?? 0);
          if (kept.get(edge.parent)?.has(followed)) add(interval);
        }
      }
      const own = task.reads.some((read) => read.parent === task.id && expandable(read.window) !== undefined);
      const first = Math.min(...mine);
      if (own) for (const interval of all.get(task.id) ?? []) if (interval.start > first) add(interval);
    }
  }

  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (from === to) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return tasks.some(
      (task) =>
        [...task.reads, ...task.after].some((edge) => edge.parent === from && task.id !== from) &&
        reaches(task.id, to, seen),
    );
  };
  const units = new Map<string, BruteUnit>();
  for (const task of tasks) {
    const mine = (all.get(task.id) ?? []).filter((interval) => has(task.id, interval));
    for (const [index, interval] of mine.entries()) {
      const waitsFor = new Set<string>();
      for (const read of task.reads) {
        if (read.parent === task.id) {
          const previous = mine[index - 1];
          if (previous !== undefined) waitsFor.add(nameOf(task.id, previous.start));
          continue;
        }
        const together = reaches(task.id, read.parent);
        const [lo, hi] =
          read.window.kind === 'range'
            ? bounds(read.window, interval)
            : [-Infinity, together ? interval.start : Infinity];
        for (const other of all.get(read.parent) ?? []) {
          if (has(read.parent, other) && other.start < hi && other.next > lo) {
            waitsFor.add(nameOf(read.parent, other.start));
          }
        }
      }
      for (const edge of task.after) {
        const followed = interval.start + (edge.shift?.ms ?? 0);
        if (kept.get(edge.parent)?.has(followed)) waitsFor.add(nameOf(edge.parent, followed));
      }
      const { start, next } = interval;
      units.set(nameOf(task.id, start), { task: task.id, start, next, waitsFor });
    }
  }
  return units;
}

/** True when some unit waits for itself through others. */
export function hasCycle(units: ReadonlyMap<string, BruteUnit>): boolean {
  const state = new Map<string, 'open' | 'done'>();
  for (const root of units.keys()) {
    const stack: { id: string; rest: string[] }[] = [];
    const enter = (id: string): boolean => {
      if (state.get(id) === 'open') return true;
      if (state.has(id)) return false;
      state.set(id, 'open');
      stack.push({ id, rest: [...(units.get(id)?.waitsFor ?? [])] });
      return false;
    };
    if (enter(root)) return true;
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const next = frame.rest.pop();
      if (next === undefined) {
        state.set(frame.id, 'done');
        stack.pop();
      } else if (enter(next)) return true;
    }
  }
  return false;
}
