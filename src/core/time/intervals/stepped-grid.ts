import type { ScheduleAnchor } from '../schedules/schedule.ts';
import { endOfTime, type Instant, instant } from '../zones/instant.ts';
import type { Grid, GridInterval } from './grid.ts';
import type { GridSteps } from './grid-steps.ts';

/**
 * A grid that steps from tick to tick once and keeps what it found, one stretch without holes that grows to either
 * side as it is asked.
 */
export function steppedGrid(
  steps: GridSteps,
  { startDate, endDate }: Omit<ScheduleAnchor, 'catchup'>,
  overhangMs = 0,
): Grid {
  const first = startDate === undefined ? undefined : steps.first(startDate);
  const lastStart = endDate ?? endOfTime;
  let known: GridInterval[] = [];

  const seedAt = (at: Instant): Instant => {
    if (first === undefined) return steps.seed(at);
    return at <= first ? first : later(steps.seed(at), first);
  };
  const listFrom = (begin: Instant, until: number): GridInterval[] => {
    const list: GridInterval[] = [];
    for (let start = begin; start < until; ) {
      const { end, next } = steps.step(start);
      list.push({ start, next, data: { start, end } });
      start = next;
    }
    return list;
  };

  /** Makes every interval known that has a start in `[floor(from), to]`. */
  const know = (from: Instant, to: Instant): void => {
    const oldest = known[0]?.start;
    if (oldest === undefined) {
      const begin = seedAt(from);
      known = listFrom(begin, begin + 1);
    } else if (from < oldest && oldest !== first) {
      // Going back by as much again as is known keeps many small requests from costing a step each.
      const reach = (known.at(-1)?.start ?? oldest) - oldest;
      known = listFrom(seedAt(instant(from - reach)), oldest).concat(known);
    }
    const frontier = known.at(-1)?.next;
    const until = Math.min(to, lastStart);
    if (frontier !== undefined && frontier <= until)
      for (const interval of listFrom(frontier, until + 1)) known.push(interval);
  };

  /** Index of the first known interval of which `isAfter` holds; it must hold for all later ones too. */
  const firstIndex = (isAfter: (interval: GridInterval) => boolean): number => {
    let low = 0;
    let high = known.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const interval = known[middle];
      if (interval === undefined || isAfter(interval)) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const lastStartedBy = (t: Instant): GridInterval | undefined => {
    // Behind the end there is no interval to begin with.
    know(t > lastStart ? lastStart : t, t);
    return known[firstIndex((interval) => interval.start > t || interval.start > lastStart) - 1];
  };

  return {
    overhangMs,
    overlapping(from, to) {
      if (!(from < to)) return [];
      know(from, to);
      const begin = firstIndex((interval) => interval.next > from);
      return known.slice(
        begin,
        firstIndex((interval) => interval.start >= to || interval.start > lastStart),
      );
    },
    startingWithin(from, last) {
      if (!(from <= last)) return [];
      know(from, last);
      const begin = firstIndex((interval) => interval.start >= from);
      return known.slice(
        begin,
        firstIndex((interval) => interval.start > last || interval.start > lastStart),
      );
    },
    floor(t) {
      const interval = lastStartedBy(t);
      if (interval === undefined) return undefined;
      return interval.next <= t ? interval.next : interval.start;
    },
    containing(t) {
      const interval = lastStartedBy(t);
      return interval !== undefined && interval.next > t ? interval : undefined;
    },
  };
}

const later = (a: Instant, b: Instant): Instant => (a > b ? a : b);
