import type { DatedSlice, ReadWindow } from '../../../src/core/lineage/facts/facts.ts';
import type { PlannableTask, PlanRequest } from '../../../src/core/plan/model/plan-request.ts';
import { unitId } from '../../../src/core/plan/model/unit-id.ts';
import { evaluateTime, exactTime } from '../../../src/core/time/expressions/evaluate-time.ts';
import type { GridInterval } from '../../../src/core/time/intervals/grid.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';

export interface BruteUnit {
  readonly task: string;
  readonly start: number;
  readonly next: number;
  readonly waitsFor: ReadonlySet<string>;
}

export const nameOf = (task: string, start: number): string => `${task}@${new Date(start).toISOString()}`;

type Range = readonly [from: number, to: number];

const meets = ([a, b]: Range, [c, d]: Range): boolean => a < d && b > c;
/** What has no extent lies at a moment. */
const extended = ([from, to]: Range): Range => [from, Math.max(to, from + 1)];
const slicesOf = (writes: PlannableTask['writes']): readonly DatedSlice[] =>
  writes.flatMap(({ slice }) => (slice.kind === 'range' ? [slice] : []));

/**
 * The definition of a plan, tried on every pair of intervals: slow, and without any of the planner's shortcuts. Tasks that are left
 * out by hand are still in it, see {@link leftOut}.
 */
export function bruteForcePlan(tasks: readonly PlannableTask[], request: PlanRequest): ReadonlyMap<string, BruteUnit> {
  const { selection, expandUnbounded } = request;
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const scheduled = new Map<string, readonly GridInterval[]>();
  const all = new Map<string, readonly GridInterval[]>();
  for (const { id, grid } of tasks) {
    const wide = grid?.overlapping(instant(Date.UTC(2000, 0, 1)), instant(Date.UTC(2030, 0, 1))) ?? [];
    scheduled.set(id, wide);
    all.set(
      id,
      wide.filter(({ data }) => data.end <= request.now),
    );
  }
  const isRead = (parent: string): readonly string[] =>
    tasks.flatMap(({ id, reads, after }) =>
      id !== parent && [...reads, ...after].some((edge) => edge.parent === parent) ? [id] : [],
    );
  const behind = (from: string, among: (id: string) => boolean): ReadonlySet<string> => {
    const found = new Set([from]);
    for (const id of found) for (const child of isRead(id)) if (among(child)) found.add(child);
    return found;
  };
  const planned = new Set(
    request.downstream ? request.tasks.flatMap((id) => [...behind(id, () => true)]) : request.tasks,
  );
  const reached = new Map([...planned].map((id) => [id, behind(id, (other) => planned.has(other))]));
  /** Tasks of the plan that read each other, however far around. */
  const together = (a: string, b: string): boolean =>
    reached.get(a)?.has(b) === true && reached.get(b)?.has(a) === true;

  /** `ts < end` of an empty interval is up to its moment; what is expanded on request goes on to the next tick. */
  const reading = (window: ReadWindow, { start, next, data }: GridInterval): Range | undefined => {
    const tile = { start, end: instant(Math.max(next, data.end)) };
    if (window.kind !== 'range') return expandUnbounded ? extended([-Infinity, tile.end]) : undefined;
    const endless = window.lo.length > 0 && window.hi.length === 0 && !expandUnbounded;
    const interval = endless ? tile : data;
    const lo = window.lo.map((time) => evaluateTime(time, interval, 'lower') as number);
    const hi = window.hi.map((time) => evaluateTime(time, interval, 'upper') as number);
    return extended([
      lo.length === 0 ? -Infinity : Math.min(...lo),
      endless ? tile.end : hi.length === 0 ? Infinity : Math.max(...hi),
    ]);
  };
  /** The whole window, as a wait has it: open where it is open. */
  const waited = (window: Extract<ReadWindow, { kind: 'range' }>, { data }: GridInterval): Range => {
    const lo = window.lo.map((time) => evaluateTime(time, data, 'lower') as number);
    const hi = window.hi.map((time) => evaluateTime(time, data, 'upper') as number);
    return extended([lo.length === 0 ? -Infinity : Math.min(...lo), hi.length === 0 ? Infinity : Math.max(...hi)]);
  };
  const written = (task: PlannableTask, table: string, interval: GridInterval, exact: boolean): Range => {
    const { start, next, data } = interval;
    const found = task.writes
      .filter((write) => write.table === table)
      .map(({ slice }): Range => {
        if (slice.kind !== 'range') return [start, Math.max(next, data.end)];
        return exact
          ? extended([exactTime(slice.lo, data), exactTime(slice.hi, data)])
          : extended([evaluateTime(slice.lo, data, 'lower'), evaluateTime(slice.hi, data, 'upper')]);
      });
    return [Math.min(...found.map(([from]) => from)), Math.max(...found.map(([, to]) => to))];
  };

  const kept = new Map<string, Set<number>>(tasks.map(({ id }) => [id, new Set()]));
  const has = (id: string, { start }: GridInterval): boolean => kept.get(id)?.has(start) === true;
  /** What may have changed in a table that is made anew as a whole by one unit. */
  const renewed = new Map<string, Range[]>(tasks.map(({ id }) => [id, []]));
  const asked: Range =
    selection.kind === 'data-range' ? [selection.from, selection.to] : [selection.first, selection.last + 1];
  for (const id of request.tasks) {
    const task = byId.get(id) as PlannableTask;
    const runs = all.get(id) ?? [];
    if (task.fullRefresh === true) {
      const newest = runs.at(-1);
      const isPicked = request.only?.some((unit) => unit.startsWith(`${id}@`)) ?? true;
      if (newest === undefined || asked[0] >= asked[1] || !isPicked) continue;
      kept.get(id)?.add(newest.start);
      renewed.get(id)?.push(asked);
      continue;
    }
    const meant = selection.kind === 'data-range' ? meantRuns(task, scheduled.get(id) ?? [], asked) : undefined;
    for (const { start } of runs) {
      const isMeant = request.only?.includes(unitId(id, start)) ?? true;
      if (isMeant && (meant?.has(start) ?? (asked[0] <= start && start < asked[1]))) kept.get(id)?.add(start);
    }
  }
  const dirtyOf = (parent: PlannableTask, table: string, exact: boolean): readonly Range[] =>
    parent.fullRefresh === true
      ? (renewed.get(parent.id) ?? [])
      : (all.get(parent.id) ?? [])
          .filter((interval) => has(parent.id, interval))
          .map((interval) => written(parent, table, interval, exact));
  for (let changed = true; changed; ) {
    changed = false;
    for (const task of tasks) {
      if (!planned.has(task.id)) continue;
      const mine = kept.get(task.id) as Set<number>;
      const runs = all.get(task.id) ?? [];
      const add = (interval: GridInterval | undefined): void => {
        if (interval === undefined || mine.has(interval.start)) return;
        mine.add(interval.start);
        changed = true;
      };
      const renew = (ranges: readonly Range[]): void => {
        if (ranges.length === 0 || runs.length === 0) return;
        add(runs.at(-1));
        const known = renewed.get(task.id) as Range[];
        for (const range of ranges) {
          if (known.some(([from, to]) => from === range[0] && to === range[1])) continue;
          known.push(range);
          changed = true;
        }
      };
      for (const read of request.downstream ? task.reads : []) {
        const parent = byId.get(read.parent) as PlannableTask;
        if (parent === task || !planned.has(parent.id)) continue;
        if (read.sameRun !== undefined) {
          for (const interval of runs) if (has(parent.id, interval)) add(interval);
          continue;
        }
        const dirty = dirtyOf(parent, read.table, together(task.id, parent.id));
        if (task.fullRefresh === true) {
          renew(dirty);
          continue;
        }
        const whole = parent.writes.some(({ table, slice }) => table === read.table && slice.kind === 'whole-table');
        for (const interval of runs) {
          const range = reading(read.window, interval);
          if (range === undefined || dirty.length === 0) continue;
          if ((whole && expandUnbounded) || dirty.some((one) => meets(one, range))) add(interval);
        }
      }
      for (const edge of request.downstream ? task.after : []) {
        if (edge.parent === task.id || !planned.has(edge.parent)) continue;
        const parent = byId.get(edge.parent) as PlannableTask;
        const followed = (all.get(edge.parent) ?? []).filter((interval) => has(edge.parent, interval));
        if (task.fullRefresh === true) {
          renew(
            parent.fullRefresh === true
              ? (renewed.get(edge.parent) ?? [])
              : followed.map(({ start, next }): Range => [start, next]),
          );
          continue;
        }
        for (const interval of runs) {
          const start = interval.start + (edge.shift?.ms ?? 0);
          if (followed.some((other) => other.start === start)) add(interval);
        }
      }
      if (task.fullRefresh === true || mine.size === 0) continue;
      const own = task.reads.some(
        (read) => read.parent === task.id && (read.window.kind === 'range' || expandUnbounded),
      );
      const first = Math.min(...mine);
      if (own) for (const interval of runs) if (interval.start > first) add(interval);
      const last = task.lastRunWins?.every((id) => planned.has(id) && !request.without.includes(id)) === true;
      if (!own && last) add(runs.at(-1));
    }
  }

  const units = new Map<string, BruteUnit>();
  for (const task of tasks) {
    const mine = (all.get(task.id) ?? []).filter((interval) => has(task.id, interval));
    const everyUnit = (id: string): readonly string[] => [...(kept.get(id) ?? [])].map((start) => nameOf(id, start));
    for (const [index, interval] of mine.entries()) {
      const waitsFor = new Set<string>();
      const waitFor = (id: string, start: number): void => {
        if (kept.get(id)?.has(start)) waitsFor.add(nameOf(id, start));
      };
      const previous = mine[index - 1];
      const isLater = (parent: string): boolean =>
        byId.get(parent)?.fullRefresh === true && task.fullRefresh !== true && together(task.id, parent);
      for (const read of task.reads) {
        if (read.parent === task.id) {
          if (previous !== undefined) waitFor(task.id, previous.start);
          continue;
        }
        const parent = byId.get(read.parent) as PlannableTask;
        if (isLater(read.parent) || (read.earlierRuns === true && (parent.fullRefresh || task.fullRefresh))) continue;
        if (task.fullRefresh === true || (parent.fullRefresh === true && read.sameRun === undefined)) {
          for (const name of everyUnit(read.parent)) waitsFor.add(name);
          continue;
        }
        if (read.sameRun !== undefined) {
          const filled = task.reads.some((other) => other.table === read.table && other.sameRun === 'filled');
          if (read.sameRun === 'filled' || !filled) waitFor(read.parent, interval.start);
          continue;
        }
        const grouped = together(task.id, read.parent);
        const range: Range =
          read.window.kind === 'range'
            ? waited(read.window, interval)
            : [-Infinity, grouped ? interval.start : Infinity];
        const upToOwn =
          read.window.kind !== 'range' &&
          tasks.some(
            ({ id, usedBy = [] }) =>
              planned.has(id) &&
              reached.get(id)?.has(read.parent) === true &&
              usedBy.some((user) => reached.get(task.id)?.has(user) === true),
          );
        for (const other of all.get(read.parent) ?? []) {
          if (upToOwn && other.start > interval.start) continue;
          if (read.earlierRuns === true && other.start >= interval.start) continue;
          if (meets(written(parent, read.table, other, grouped), range)) waitFor(read.parent, other.start);
        }
      }
      for (const edge of task.after) {
        if (edge.parent === task.id) {
          if (previous !== undefined) waitFor(task.id, previous.start);
        } else if (isLater(edge.parent)) continue;
        else if (task.fullRefresh === true) for (const name of everyUnit(edge.parent)) waitsFor.add(name);
        else waitFor(edge.parent, interval.start + (edge.shift?.ms ?? 0));
      }
      if (previous !== undefined) {
        for (const user of task.usedBy ?? []) waitFor(user, previous.start);
        if (task.lastRunWins !== undefined) waitFor(task.id, previous.start);
      }
      const { start, next } = interval;
      units.set(nameOf(task.id, start), { task: task.id, start, next, waitsFor });
    }
  }
  return units;
}

/**
 * The runs that a data range means: those whose slice lies in it, where no other run on the schedule writes any of that
 * slice; with slices that overlap, are not known, or name a week or month, those whose data interval does, of an empty one the moment.
 */
function meantRuns(task: PlannableTask, runs: readonly GridInterval[], asked: Range): ReadonlySet<number> {
  const slices = (task.pickedBy ?? slicesOf(task.writes)).map((slice) => ({
    asked: datesOf(slice, asked, task.zone),
    rows: runs.map(({ data }): Range => [exactTime(slice.lo, data), exactTime(slice.hi, data)]),
  }));
  const chosen = runs.filter(({ data: { start, end }, start: tick, next }, index) => {
    const own = slices.flatMap((slice) => {
      const mine = slice.rows[index] as Range;
      const shared = slice.rows.some((other, at) => at !== index && meets(mine, other));
      // One date of a run of a week or a month names all of it.
      const name =
        Math.min(end - start, next - tick) > 6 * 86_400_000 &&
        mine[1] - mine[0] <= 86_400_000 &&
        meets(mine, [start, end]);
      return mine[0] < mine[1] && !shared && !name ? [{ mine, asked: slice.asked }] : [];
    });
    if (own.length > 0) return own.some((one) => meets(one.mine, one.asked));
    return start < end ? meets([start, end], asked) : asked[0] <= start && start < asked[1];
  });
  return new Set(chosen.map(({ start }) => start));
}

/** Of a slice of dates, midnights of the pipeline's zone are dates too; a date begins where its own zone's clock says. */
function datesOf({ lo, hi }: DatedSlice, asked: Range, zone: string): Range {
  const zones = [lo, hi].map(({ steps }) => {
    const text = steps.map((step) =>
      step.kind === 'floor' ? (['hour', 'minute', 'second'].includes(step.unit) ? 'clock' : step.zone) : 'moved',
    );
    const whole = steps.every((step) => step.kind !== 'shift' || step.offset.ms === 0);
    return whole ? text.findLast((word) => word !== 'moved') : undefined;
  });
  const days = zones[0];
  if (days === undefined || days === 'clock' || days !== zones[1]) return asked;
  const moved = (at: number): number => {
    const date = dateIn(zone, at);
    return dateIn(zone, at - 1) === date ? at : beginningOf(date, days);
  };
  return [moved(asked[0]), moved(asked[1])];
}

const formats = new Map<string, Intl.DateTimeFormat>();
const dateIn = (zone: string, at: number): string => {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-CA', { timeZone: zone });
  formats.set(zone, format);
  return format.format(at);
};

/** The first quarter of an hour that a clock dates so. */
function beginningOf(date: string, zone: string): number {
  let at = Date.parse(`${date}T00:00:00Z`) - 30 * 3_600_000;
  while (dateIn(zone, at) < date) at += 900_000;
  return at;
}

/** Without the units of some tasks; who waits for one of them waits for all that it waits for, however far back. */
export function leftOut(
  units: ReadonlyMap<string, BruteUnit>,
  without: readonly string[],
): ReadonlyMap<string, BruteUnit> {
  const isGone = (name: string): boolean => without.includes(units.get(name)?.task ?? '');
  const found = new Map<string, BruteUnit>();
  for (const [name, unit] of units) {
    if (isGone(name)) continue;
    const met = new Set(unit.waitsFor);
    for (const other of met) if (isGone(other)) for (const next of units.get(other)?.waitsFor ?? []) met.add(next);
    found.set(name, { ...unit, waitsFor: new Set([...met].filter((other) => !isGone(other))) });
  }
  return found;
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
