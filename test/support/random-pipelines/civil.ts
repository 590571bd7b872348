/**
 * Zones and grids, worked out by search and not by the code under test. A wall time is written as the milliseconds that
 * a clock in UTC would have for it.
 */
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

export const zones = ['UTC', 'Europe/Berlin', 'America/New_York'] as const;
export type Zone = (typeof zones)[number];

const formats = new Map<string, Intl.DateTimeFormat>();

/** What a clock in the zone shows at an instant. */
export function wallOf(instant: number, zone: Zone): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  const part = new Map<string, number>(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const of = (name: string): number => part.get(name) ?? 0;
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

/** The instants that a clock shows as `wall`, tried at every quarter hour of offset; none in a spring gap. */
function instantsOf(wall: number, zone: Zone): readonly number[] {
  const found: number[] = [];
  for (let offset = 14; offset >= -14; offset -= 0.25) {
    const instant = wall - offset * hourMs;
    if (wallOf(instant, zone) === wall) found.push(instant);
  }
  return found;
}

const ticks = new Map<string, number>();

/** A scheduler's reading: moved forward over a gap, the second of two. */
export function tickAt(wall: number, zone: Zone): number {
  const name = `${wall} ${zone}`;
  const tick = ticks.get(name) ?? instantsOf(wall, zone).at(-1) ?? tickAt(wall + hourMs, zone);
  // The same few are asked for again and again, and searching takes long.
  ticks.set(name, tick);
  return tick;
}

/** PostgreSQL's reading: the standard offset for a repeated time, moved forward over a gap. */
export const databaseInstant = tickAt;

export const floorDay = (wall: number): number => Math.floor(wall / dayMs) * dayMs;

export function floorMonth(wall: number): number {
  const date = new Date(wall);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** The Monday that begins the week. */
export const floorWeek = (wall: number): number => floorDay(wall) - ((Math.floor(wall / dayMs) + 3) % 7) * dayMs;

/** The same day and time of the month before, its last day where it is shorter. */
export function monthBefore(wall: number): number {
  const date = new Date(wall);
  const last = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 0);
  const day = Math.min(date.getUTCDate(), new Date(last).getUTCDate());
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, day) + (wall - floorDay(wall));
}

export const grains = ['hourly', 'six-hourly', 'daily', 'half-past-two', 'weekly', 'monthly'] as const;
export type Grain = (typeof grains)[number];

export interface Interval {
  readonly start: number;
  readonly end: number;
}

const wallStep: Readonly<Record<Exclude<Grain, 'hourly' | 'monthly'>, readonly [first: number, step: number]>> = {
  'six-hourly': [0, 6 * hourMs],
  daily: [0, dayMs],
  'half-past-two': [2.5 * hourMs, dayMs],
  // 4 January 1970 was a Sunday.
  weekly: [3 * dayMs, 7 * dayMs],
};

/** All intervals from the first tick at or after `from` that end no later than `to`. */
export function intervalsOf(grain: Grain, zone: Zone, from: number, to: number): readonly Interval[] {
  const ticks: number[] = [];
  if (grain === 'hourly') {
    for (let at = Math.ceil(from / hourMs) * hourMs; at <= to; at += hourMs) ticks.push(at);
  } else if (grain === 'monthly') {
    for (let wall = floorMonth(wallOf(from, zone)); ; wall = floorMonth(wall + 40 * dayMs)) {
      const tick = tickAt(wall, zone);
      if (tick > to) break;
      if (tick >= from) ticks.push(tick);
    }
  } else {
    const [first, step] = wallStep[grain];
    const begin = Math.floor((wallOf(from, zone) - first) / step) * step + first;
    for (let wall = begin; ; wall += step) {
      const tick = tickAt(wall, zone);
      if (tick > to) break;
      if (tick >= from) ticks.push(tick);
    }
  }
  return ticks.slice(1).map((end, index) => ({ start: ticks[index] as number, end }));
}
