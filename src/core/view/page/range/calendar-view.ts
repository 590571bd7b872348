import type { TaskId } from '../../../pipeline/model/model.ts';
import type { PlannableTask } from '../../../plan/model/plan-request.ts';
import { unitId } from '../../../plan/model/unit-id.ts';
import { formatInterval } from '../../../time/intervals/format-interval.ts';
import type { GridInterval } from '../../../time/intervals/grid.ts';
import { lastFinished } from '../../../time/intervals/last-finished.ts';
import { dayMs } from '../../../time/zones/civil.ts';
import { type Instant, instant } from '../../../time/zones/instant.ts';
import type { ZoneName } from '../../../time/zones/zone-name.ts';
import { typedRun } from '../../words/typed-run.ts';

/** How the intervals of a task are laid out: weeks as columns, a day a row, or one strip. */
export type CalendarLayout = 'days' | 'hours' | 'strip';

/** The intervals of one task up to now, oldest first. */
export interface CalendarGrid {
  readonly task: TaskId;
  readonly name: string;
  readonly layout: CalendarLayout;
  readonly cells: readonly CalendarCell[];
  /** Whether there are older ones. */
  readonly more: boolean;
}

export interface CalendarCell {
  /** Id of the unit that makes it. */
  readonly unit: string;
  /** As they would be typed into the range, in the zone of the pipeline; `to` is not included. */
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** It has not finished yet, so it cannot be run. */
  readonly open: boolean;
}

/** Cells that are sent at a time: fourteen months of days, a month of hours, and the same of anything longer. */
const most: Readonly<Record<CalendarLayout, number>> = { days: 430, hours: 31 * 25, strip: 120 };

/** Intervals of a task as a calendar lays them out, oldest first; all of them have finished. */
export interface LaidOut {
  readonly layout: CalendarLayout;
  readonly intervals: readonly GridInterval[];
}

/** As many as are shown at a time, up to the last that has finished at `now`, or to the one before `before`. */
export function laidOut(task: PlannableTask, now: Instant, before?: Instant): LaidOut {
  const { grid } = task;
  if (grid === undefined) return { layout: 'strip', intervals: [] };
  const newest = before === undefined ? lastFinished(grid, now) : grid.containing(instant(before - 1));
  const layout = layoutOf(task, backFrom(grid, newest, 8));
  return { layout, intervals: backFrom(grid, newest, most[layout]) };
}

/** The intervals that begin before `before`, or all that have finished at `now` and the one that is open. */
export function calendarGrid(
  task: PlannableTask,
  name: string,
  now: Instant,
  shownIn: ZoneName,
  before?: Instant,
): CalendarGrid {
  const { grid, id } = task;
  const none: CalendarGrid = { task: id, name, layout: 'strip', cells: [], more: false };
  if (grid === undefined) return none;
  const { layout, intervals } = laidOut(task, now, before);
  const [oldest, newest] = [intervals[0], intervals.at(-1)];
  const next = newest !== undefined && before === undefined ? grid.containing(newest.next) : undefined;
  const cell = (interval: GridInterval, open: boolean): CalendarCell => ({
    unit: unitId(id, interval.start),
    ...typedRun(task, interval),
    label: formatInterval(interval.data, shownIn),
    open,
  });
  return {
    task: id,
    name,
    layout,
    cells: [
      ...intervals.map((interval) => cell(interval, false)),
      ...(next === undefined || next.start > now ? [] : [cell(next, true)]),
    ],
    more: oldest !== undefined && grid.containing(instant(oldest.start - 1)) !== undefined,
  };
}

/** Oldest first, up to and including `newest`. */
function backFrom(
  grid: NonNullable<PlannableTask['grid']>,
  newest: GridInterval | undefined,
  count: number,
): readonly GridInterval[] {
  const found: GridInterval[] = [];
  for (let interval = newest; interval !== undefined && found.length < count; ) {
    found.push(interval);
    interval = grid.containing(instant(interval.start - 1));
  }
  return found.reverse();
}

/** Days, also of working days alone; hours on the hour; anything else stands on a strip. */
function layoutOf(task: PlannableTask, sample: readonly GridInterval[]): CalendarLayout {
  const starts = sample.map((interval) => typedRun(task, interval).from);
  const days = new Set(starts.map((start) => start.slice(0, 10)));
  const longest = Math.max(...sample.map(({ start, next }) => next - start));
  if (days.size === starts.length) return longest <= 4 * dayMs ? 'days' : 'strip';
  return starts.every((start) => start.length === 10 || /T\d\d:00(?:[+-]|$)/.test(start)) ? 'hours' : 'strip';
}
