import { civilOf, dayMs, dayNumberOf, daysInMonth, weekdayOf } from './civil.ts';
import type { Cron } from './cron.ts';
import { type WallTime, wallTime } from './wall-time.ts';

const minuteMs = 60_000;

/** The wall times at which a cron expression fires; no zone is involved. */
export interface CronTicks {
  /** The first one after `wall`. */
  next(wall: WallTime): WallTime;
  /** The last one before `wall`. */
  previous(wall: WallTime): WallTime;
  /** Whether it fires in every hour of the days on which it fires; Airflow then steps by elapsed time. */
  readonly everyHour: boolean;
}

/** `cron` must fire some day, as {@link parseCron} sees to. */
export function cronTicks(cron: Cron): CronTicks {
  const times = cron.hours.flatMap((hour) => cron.minutes.map((minute) => (hour * 60 + minute) * minuteMs));
  const firstTime = times[0] ?? 0;
  const lastTime = times.at(-1) ?? 0;

  return {
    everyHour: cron.hours.length === 24,
    next(wall) {
      const day = Math.floor(wall / dayMs);
      if (firesOn(cron, day)) {
        const time = times[countUpTo(times, wall - day * dayMs)];
        if (time !== undefined) return wallTime(day * dayMs + time);
      }
      return wallTime(nextDay(cron, day) * dayMs + firstTime);
    },
    previous(wall) {
      const day = Math.floor(wall / dayMs);
      if (firesOn(cron, day)) {
        const time = times[countUpTo(times, wall - day * dayMs - 1) - 1];
        if (time !== undefined) return wallTime(day * dayMs + time);
      }
      return wallTime(previousDay(cron, day) * dayMs + lastTime);
    },
  };
}

/** How many of the sorted values are `<= limit`. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function nextDay(cron: Cron, after: number): number {
  for (let day = after + 1; ; day += 1) {
    const { year, month } = civilOf(day);
    if (!cron.months.includes(month)) day = dayNumberOf(year, month + 1, 1) - 1;
    else if (firesOn(cron, day)) return day;
  }
}

function previousDay(cron: Cron, before: number): number {
  for (let day = before - 1; ; day -= 1) {
    const { year, month } = civilOf(day);
    if (!cron.months.includes(month)) day = dayNumberOf(year, month, 1);
    else if (firesOn(cron, day)) return day;
  }
}

function firesOn(cron: Cron, dayNumber: number): boolean {
  const { year, month, day } = civilOf(dayNumber);
  if (!cron.months.includes(month)) return false;
  const { daysOfMonth, daysOfWeek } = cron;
  const byDate = (): boolean =>
    daysOfMonth?.days.includes(day) === true || (daysOfMonth?.last === true && day === daysInMonth(year, month));
  const byWeekday = (): boolean => {
    const weekday = weekdayOf(dayNumber);
    if (daysOfWeek?.days.includes(weekday) === true) return true;
    return (
      daysOfWeek?.nth.some(
        (rule) =>
          rule.weekday === weekday &&
          (rule.nth === 'last' ? day + 7 > daysInMonth(year, month) : rule.nth === Math.ceil(day / 7)),
      ) === true
    );
  };
  if (daysOfMonth === undefined) return daysOfWeek === undefined || byWeekday();
  // Both restricted: either is enough, as in Vixie cron and croniter.
  return byDate() || (daysOfWeek !== undefined && byWeekday());
}
