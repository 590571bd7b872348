import { dayMs } from '../time/civil.ts';
import type { DataInterval } from '../time/data-interval.ts';
import { evaluateTime } from '../time/evaluate-time.ts';
import { instant } from '../time/instant.ts';
import type { TimeExpression } from '../time/time-expression.ts';
import type { TimeReadings } from './time-readings.ts';

/**
 * Of all readings of a bound (several days of a list, several zones that may be meant) the one that reaches furthest,
 * so that a range holds every row that may pass. Where none is outermost for every interval, the one that mostly is.
 */
export function outermostReading(side: TimeReadings | undefined, end: 'lower' | 'upper'): TimeExpression | undefined {
  const times = (side?.readings ?? []).map(({ time }) => time);
  const [first] = times;
  if (first === undefined || times.length === 1) return first;
  const sign = end === 'lower' ? 1 : -1;
  const reach = times.map((time) => tried.map((interval) => sign * evaluateTime(time, interval, end)));
  const best = tried.map((_, index) => Math.min(...reach.map((ats) => ats[index] ?? Number.POSITIVE_INFINITY)));
  const wins = reach.map((ats) => ats.filter((at, index) => at === best[index]).length);
  return times[wins.indexOf(Math.max(...wins))];
}

/** Hours, days and weeks of summer and of winter, at all times of the day. */
const tried: readonly DataInterval[] = [0, 6].flatMap((month) =>
  [dayMs / 24, dayMs, 7 * dayMs].flatMap((length) =>
    Array.from({ length: 8 }, (_, step) => {
      const start = Date.UTC(2026, month, 14 + step, 3 * step);
      return { start: instant(start), end: instant(start + length) };
    }),
  ),
);
