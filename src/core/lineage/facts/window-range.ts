import { evaluateTime } from '../../time/expressions/evaluate-time.ts';
import type { TimeExpression } from '../../time/expressions/time-expression.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { InstantRange } from '../../time/intervals/interval-set.ts';
import type { CalendarUnit } from '../../time/zones/calendar.ts';
import { beginningOfTime, endOfTime, type Instant } from '../../time/zones/instant.ts';
import type { ReadWindow } from './facts.ts';

export type RangeWindow = Extract<ReadWindow, { kind: 'range' }>;

/** What a task reads of a parent for one interval: the hull of all readings of the window. */
export function windowRange(window: RangeWindow, interval: DataInterval): InstantRange {
  let from: number = window.lo.length === 0 ? beginningOfTime : endOfTime;
  for (const lo of window.lo) from = Math.min(from, evaluateTime(lo, interval, 'lower'));
  let to: number = window.hi.length === 0 ? endOfTime : beginningOfTime;
  for (const hi of window.hi) to = Math.max(to, evaluateTime(hi, interval, 'upper'));
  return { from: from as Instant, to: to as Instant };
}

/**
 * True for a window that never reaches before its own interval. A task that its own pipeline runs before the writer
 * cannot have read, for the same interval, what the writer writes then.
 */
export const staysInside = (window: ReadWindow): boolean =>
  window.kind === 'range' &&
  window.lo.length > 0 &&
  window.lo.every(({ anchor, steps }) => {
    if (anchor === 'end') return false;
    return steps.every((step) => {
      if (step.kind === 'floor') return true;
      // East of Greenwich a day begins before that of UTC.
      if (step.kind === 'wall') return false;
      const { months, days, ms } = step.offset;
      return months >= 0 && days >= 0 && ms >= 0;
    });
  });

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The longest that a unit can last on any wall clock. */
const longestUnitMs: Readonly<Record<CalendarUnit, number>> = {
  second: 1000,
  minute: 60_000,
  hour: hourMs,
  day: 26 * hourMs,
  week: 8 * dayMs,
  month: 32 * dayMs,
  quarter: 93 * dayMs,
  year: 367 * dayMs,
};

/** Room for clock changes and for zones that skipped a whole day. */
const slackMs = 2 * dayMs;

/**
 * Generous limits, in ms, of how far a window strays from its interval: `lo >= start - back` and
 * `hi <= end + forward`. They only pad a search; whether an interval really reads a range is tested forwards.
 */
export function windowReach(window: RangeWindow): { readonly back: number; readonly forward: number } {
  const back = Math.max(slackMs, ...window.lo.map((lo) => strayOf(lo).back));
  const forward = Math.max(slackMs, ...window.hi.map((hi) => strayOf(hi).forward));
  return { back, forward };
}

/** As {@link windowReach}, for one bound: it lies within `[anchor - back, anchor + forward]`. */
export function strayOf(expression: TimeExpression): { readonly back: number; readonly forward: number } {
  let back = slackMs;
  let forward = slackMs;
  for (const step of expression.steps) {
    if (step.kind === 'floor') {
      back += longestUnitMs[step.unit];
      continue;
    }
    if (step.kind === 'wall') {
      back += slackMs;
      forward += slackMs;
      continue;
    }
    const { months, days, ms } = step.offset;
    for (const part of [months * 31 * dayMs, days * dayMs, ms]) {
      if (part < 0) back -= part;
      else forward += part;
    }
  }
  return { back, forward };
}
