import { civilOf, dayMs, dayNumberOf, daysInMonth, weekdayOf } from '../zones/civil.ts';
import { type WallTime, wallTime } from '../zones/wall-time.ts';
import type { Cron } from './cron.ts';

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
  const fires = dayRule(cron);

  return {
    everyHour: cron.hours.length === 24,
    next(wall) {
      const day = Math.floor(wall / dayMs);
      if (fires(day)) {
        const time = times[countUpTo(times, wall - day * dayMs)];
        if (time !== undefined) return wallTime(day * dayMs + time);
      }
      return wallTime(nextDay(cron, fires, day) * dayMs + firstTime);
    },
    previous(wall) {
      const day = Math.floor(wall / dayMs);
      if (fires(day)) {
        const time = times[countUpTo(times, wall - day * dayMs - 1) - 1];
        if (time !== undefined) return wallTime(day * dayMs + time);
      }
      return wallTime(previousDay(cron, fires, day) * dayMs + lastTime);
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

type DayRule = (dayNumber: number) => boolean;

/** The search skips months that the expression leaves out, so that a yearly one is not looked for day by day. */
function nextDay({ months }: Cron, fires: DayRule, after: number): number {
  for (let day = after + 1; ; day += 1) {
    if (fires(day)) return day;
    if (months.length === 12) continue;
    const { year, month } = civilOf(day);
    if (!months.includes(month)) day = dayNumberOf(year, month + 1, 1) - 1;
  }
}

function previousDay({ months }: Cron, fires: DayRule, before: number): number {
  for (let day = before - 1; ; day -= 1) {
    if (fires(day)) return day;
    if (months.length === 12) continue;
    const { year, month } = civilOf(day);
    if (!months.includes(month)) day = dayNumberOf(year, month, 1);
  }
}

function dayRule({ months, daysOfMonth, daysOfWeek }: Cron): DayRule {
  if (months.length === 12 && daysOfMonth === undefined && daysOfWeek === undefined) return () => true;
  if (months.length === 12 && daysOfMonth === undefined && daysOfWeek?.nth.length === 0) {
    const { days } = daysOfWeek;
    return (dayNumber) => days.includes(weekdayOf(dayNumber));
  }
  return (dayNumber) => {
    const { year, month, day } = civilOf(dayNumber);
    if (!months.includes(month)) return false;
    if (daysOfMonth === undefined && daysOfWeek === undefined) return true;
    // Both restricted: either is enough, as in Vixie cron and croniter.
    if (daysOfMonth?.days.includes(day)) return true;
    if (daysOfMonth?.last && day === daysInMonth(year, month)) return true;
    if (daysOfWeek === undefined) return false;
    const weekday = weekdayOf(dayNumber);
    if (daysOfWeek.days.includes(weekday)) return true;
    return daysOfWeek.nth.some(
      (rule) =>
        rule.weekday === weekday &&
        (rule.nth === 'last' ? day + 7 > daysInMonth(year, month) : rule.nth === Math.ceil(day / 7)),
    );
  };
}
