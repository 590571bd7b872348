import { evaluateTime } from '../../time/expressions/evaluate-time.ts';
import type { TimeExpression } from '../../time/expressions/time-expression.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { TimeReadings } from './time-readings.ts';

/**
 * Of all readings of a bound (several days of a list, several zones that may be meant) the one that reaches furthest,
 * so that a range holds every row that may pass. Where none is outermost for every one of the intervals, the one that
 * mostly is: which day of which zone reaches further depends on when intervals begin.
 */
export function widestReading(
  side: TimeReadings | undefined,
  end: 'lower' | 'upper',
  intervals: () => readonly DataInterval[],
): TimeExpression | undefined {
  const times = (side?.readings ?? []).map(({ time }) => time);
  const [first] = times;
  if (first === undefined || times.length === 1) return first;
  const tried = intervals();
  const sign = end === 'lower' ? 1 : -1;
  const reach = times.map((time) => tried.map((interval) => sign * evaluateTime(time, interval, end)));
  const best = tried.map((_, index) => Math.min(...reach.map((ats) => ats[index] ?? Number.POSITIVE_INFINITY)));
  const wins = reach.map((ats) => ats.filter((at, index) => at === best[index]).length);
  return times[wins.indexOf(Math.max(...wins))];
}
