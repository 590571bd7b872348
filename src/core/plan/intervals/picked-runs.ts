import { type DatedSlice, isDated } from '../../lineage/facts/facts.ts';
import { strayOf } from '../../lineage/facts/window-range.ts';
import { exactTime } from '../../time/expressions/evaluate-time.ts';
import type { TimeExpression } from '../../time/expressions/time-expression.ts';
import type { GridInterval } from '../../time/intervals/grid.ts';
import type { InstantRange } from '../../time/intervals/interval-set.ts';
import { dayMs } from '../../time/zones/civil.ts';
import { floorTo } from '../../time/zones/floor.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';
import { wallTime } from '../../time/zones/wall-time.ts';
import { fromWall, toWall } from '../../time/zones/zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { PlannableTask } from '../model/plan-request.ts';
import { namesPeriod } from './names-period.ts';

/**
 * The runs of a task that write the data of `[from, to)`, finished or not, oldest first: those whose slice overlaps it,
 * whatever hour they have. A slice that another run writes too (month to date, rolling output) does not tell which run
 * is meant, and neither does one that is not known or names a whole week or month by one date: there the data interval
 * decides, or, where it is empty, its moment.
 */
export function pickedRuns(task: PlannableTask, range: InstantRange): readonly GridInterval[] {
  const { grid } = task;
  if (grid === undefined || !(range.from < range.to)) return [];
  const slices = daySlices(task).map((slice) => ({ slice, asked: askedOf(slice, range, task.zone) }));
  const strays = slices.flatMap(({ slice }) => [strayOf(slice.lo), strayOf(slice.hi)]);
  // Two days more: dates of one zone are taken for dates of another.
  const back = 2 * dayMs + Math.max(0, ...strays.map((stray) => stray.back));
  const forward = 2 * dayMs + Math.max(0, ...strays.map((stray) => stray.forward));
  const near = grid.overlapping(instant(range.from - forward - grid.overhangMs), instant(range.to + back));
  const [oldest, newest] = [near[0], near.at(-1)];
  if (oldest === undefined || newest === undefined) return [];
  const [before, after] = [grid.containing(instant(oldest.start - 1)), grid.containing(newest.next)];
  const rows = slices.map(({ slice, asked }) => ({
    asked,
    before: before && rowsOf(slice, before),
    written: near.map((interval) => rowsOf(slice, interval)),
    after: after && rowsOf(slice, after),
  }));
  return near.filter((interval, index) => {
    let [isKnown, isAsked] = [false, false];
    for (const { asked, before: first, written: all, after: last } of rows) {
      const written = all[index];
      if (written === undefined || !saysDays(written, interval)) continue;
      const [earlier, later] = [index === 0 ? first : all[index - 1], index === all.length - 1 ? last : all[index + 1]];
      if ((earlier && meets(written, earlier)) || (later && meets(written, later))) continue;
      isKnown = true;
      isAsked ||= meets(written, asked);
    }
    if (isKnown) return isAsked;
    const { start, end } = interval.data;
    return start < end ? meets({ from: start, to: end }, range) : range.from <= start && start < range.to;
  });
}

/** The slices by which a range means runs of the task. */
export const daySlices = (task: PlannableTask): readonly DatedSlice[] =>
  task.pickedBy ?? task.writes.flatMap(({ slice }) => (isDated(slice) ? [slice] : []));

/** Whether all that a run of the task writes lies in a range of days. */
export function writesWithin(task: PlannableTask, range: InstantRange): (run: GridInterval) => boolean {
  const slices = daySlices(task).map((slice) => ({ slice, asked: askedOf(slice, range, task.zone) }));
  return (run) => {
    let isKnown = false;
    for (const { slice, asked } of slices) {
      const written = rowsOf(slice, run);
      if (!saysDays(written, run)) continue;
      if (written.from < asked.from || written.to > asked.to) return false;
      isKnown = true;
    }
    return isKnown || (run.data.start >= range.from && run.data.end <= range.to);
  };
}

/**
 * The rows that a run writes, from the first slice to the end of the last, where slices tell what days a run is of;
 * otherwise its data interval.
 */
export function daysWritten(task: PlannableTask, run: GridInterval): InstantRange {
  const known = daySlices(task)
    .map((slice) => rowsOf(slice, run))
    .filter((written) => saysDays(written, run));
  if (known.length === 0) return { from: run.data.start, to: run.data.end };
  return hullOf(known);
}

/** The range by which a person means this one run: its days, its data interval, or what lies up to the next moment. */
export function rangeOfRun(task: PlannableTask, run: GridInterval): InstantRange {
  const { start, next, data } = run;
  const days = daySlices(task).flatMap((slice) => {
    const { from, to } = rowsOf(slice, run);
    if (!saysDays({ from, to }, run)) return [];
    const zone = zoneOfDates(slice);
    return zone === undefined
      ? [{ from, to }]
      : [{ from: sameDate(from, zone, task.zone), to: sameDate(to, zone, task.zone) }];
  });
  if (days.length > 0) return hullOf(days);
  return data.start < data.end ? { from: data.start, to: data.end } : { from: start, to: next };
}

/** Whether rows tell the days that a run is of: some, and not one date for a whole week or month. */
const saysDays = (written: InstantRange, run: GridInterval): boolean =>
  written.from < written.to && !namesPeriod(written, run);

const hullOf = (ranges: readonly InstantRange[]): InstantRange => ({
  from: instant(Math.min(...ranges.map(({ from }) => from))),
  to: instant(Math.max(...ranges.map(({ to }) => to))),
});

const rowsOf = ({ lo, hi }: DatedSlice, { data }: Pick<GridInterval, 'data'>): InstantRange => ({
  from: exactTime(lo, data),
  to: exactTime(hi, data),
});

const meets = (a: InstantRange, b: InstantRange): boolean => a.from < b.to && a.to > b.from;

/**
 * What a range means for a slice. Midnights of the pipeline's zone stand for dates, and a slice of dates is of those
 * dates, in whichever zone they are cut: of a pipeline in Warsaw that writes the day of `ds`, 1 March is the UTC day.
 */
export function askedOf(slice: DatedSlice, { from, to }: InstantRange, zone: ZoneName): InstantRange {
  const days = zoneOfDates(slice);
  if (days === undefined || days === zone) return { from, to };
  return { from: sameDate(from, zone, days), to: sameDate(to, zone, days) };
}

/** The midnight of a zone as that of the same date in another; any other instant is itself. */
const sameDate = (at: Instant, zone: ZoneName, other: ZoneName): Instant =>
  zone === other || !Number.isFinite(at) || floorTo(at, 'day', zone) !== at
    ? at
    : fromWall(other, wallTime(Math.round(toWall(zone, at) / dayMs) * dayMs));

/** The zone of whose dates a slice is made, where both of its ends are starts of days. */
export function zoneOfDates({ lo, hi }: DatedSlice): ZoneName | undefined {
  const zone = zoneOfDate(lo);
  return zone === zoneOfDate(hi) ? zone : undefined;
}

function zoneOfDate({ steps }: TimeExpression): ZoneName | undefined {
  const at = steps.findLastIndex((step) => step.kind === 'floor');
  const floor = steps[at];
  if (floor?.kind !== 'floor' || /^(?:second|minute|hour)$/.test(floor.unit)) return undefined;
  const after = steps.slice(at + 1);
  const whole = after.every((step) => step.kind === 'wall' || (step.kind === 'shift' && step.offset.ms % dayMs === 0));
  return whole ? (after.findLast(({ kind }) => kind === 'wall')?.zone ?? floor.zone) : undefined;
}
