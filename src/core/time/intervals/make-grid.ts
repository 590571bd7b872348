import { parseCron } from '../schedules/cron.ts';
import { cronTicks } from '../schedules/cron-ticks.ts';
import type { IntervalShape, Schedule, ScheduleAnchor } from '../schedules/schedule.ts';
import { dayMs } from '../zones/civil.ts';
import { instant } from '../zones/instant.ts';
import { isZone } from '../zones/zone.ts';
import type { Grid } from './grid.ts';
import { cronSteps, deltaSteps, endingSteps, type GridSteps, mergedSteps } from './grid-steps.ts';
import { steppedGrid } from './stepped-grid.ts';

export type GridResult =
  | {
      readonly grid: Grid;
      /** What the file alone cannot say about these ticks, in words; `undefined` where they are certain. */
      readonly caveat: string | undefined;
    }
  | { readonly grid: undefined; readonly reason: string };

/** Grids keep the steps that they have walked, and most pipelines of a workspace run on a handful of schedules. */
const mostKept = 64;
const kept = new Map<string, GridResult>();

/**
 * The data intervals that Airflow would make of a schedule: from the first tick at or after the start date to the
 * last one at or before the end date. Without a start date a cron grid goes on to both sides. The same schedule and
 * anchor give the same grid while it is among those made last, so that pipelines share what it has found.
 */
export function makeGrid(schedule: Schedule, anchor: ScheduleAnchor): GridResult {
  const key = JSON.stringify([schedule, anchor]);
  const made = kept.get(key) ?? newGrid(schedule, anchor);
  kept.delete(key);
  kept.set(key, made);
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
  return made;
}

function newGrid(schedule: Schedule, anchor: ScheduleAnchor): GridResult {
  switch (schedule.kind) {
    case 'cron':
      return cronGrid(schedule, anchor);
    case 'delta':
      return deltaGrid(schedule, anchor);
    case 'none':
      return noGrid('it has no schedule');
    case 'once':
      return noGrid('it runs once, so it has no data intervals');
    case 'continuous':
      return noGrid('it runs continuously, so its data intervals depend on when runs end');
    case 'assets':
      return noGrid('it runs when assets are updated, not at fixed times');
    case 'unknown':
      return noGrid(schedule.reason);
  }
}

const noGrid = (reason: string): GridResult => ({ grid: undefined, reason });

function cronGrid(schedule: Extract<Schedule, { kind: 'cron' }>, anchor: ScheduleAnchor): GridResult {
  if (!isZone(schedule.zone)) return noGrid(`unknown time zone '${schedule.zone}'`);
  const { zone, intervals, expression, others = [] } = schedule;
  const all: GridSteps[] = [];
  for (const text of [expression, ...others]) {
    const parsed = parseCron(text);
    if (parsed.cron === undefined) return noGrid(`cron '${text}': ${parsed.reason}`);
    all.push(cronSteps(cronTicks(parsed.cron), zone, intervals === 'tick-to-tick' ? intervals : 'zero-width'));
  }
  const [only] = all;
  const ticks = only !== undefined && all.length === 1 ? only : mergedSteps(all);
  return { grid: shapedGrid(ticks, intervals, anchor), caveat: undefined };
}

/** `ticks` as they are, or each at the end of its data interval. */
function shapedGrid(ticks: GridSteps, intervals: IntervalShape, anchor: ScheduleAnchor): Grid {
  if (typeof intervals === 'string') return steppedGrid(ticks, anchor);
  const { before } = intervals;
  // Start and end date bound the ticks, not the logical dates.
  const endDate = anchor.endDate === undefined ? undefined : instant(anchor.endDate - before);
  return steppedGrid(endingSteps(ticks, before), { ...anchor, endDate }, before);
}

function deltaGrid(schedule: Extract<Schedule, { kind: 'delta' }>, anchor: ScheduleAnchor): GridResult {
  const { step, intervals } = schedule;
  // The shortest month decides whether a mixed step always goes forward.
  if (!(step.months >= 0 && step.months * 28 * dayMs + step.days * dayMs + step.ms > 0)) {
    return noGrid('its timedelta is not positive');
  }
  // Instants are whole milliseconds: a part of one would drift from tick to tick.
  if (!Number.isInteger(step.ms)) return noGrid('its timedelta is no whole number of milliseconds');
  const calendar = step.months !== 0;
  const snapped = !anchor.catchup && !calendar && intervals === 'tick-to-tick';
  if (anchor.startDate === undefined && !snapped) return noGrid('a timedelta schedule needs a start date');
  const origin = snapped ? instant(0) : (anchor.startDate ?? instant(0));
  const ticks = deltaSteps(step, origin, intervals === 'tick-to-tick' ? intervals : 'zero-width');
  return { grid: shapedGrid(ticks, intervals, anchor), caveat: deltaCaveat(schedule, anchor) };
}

function deltaCaveat(
  { step, intervals }: Extract<Schedule, { kind: 'delta' }>,
  anchor: ScheduleAnchor,
): string | undefined {
  if (anchor.catchup) return undefined;
  if (intervals !== 'tick-to-tick') {
    return 'without catchup, Airflow counts a timedelta from the moment the DAG was switched on; these ticks are counted from the start date, as a backfill does';
  }
  if (step.months !== 0) {
    return 'without catchup, Airflow 2 counts months from the moment the DAG was switched on; these ticks are counted from the start date, as Airflow 3 does';
  }
  return undefined;
}
