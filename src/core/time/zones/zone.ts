import { dayMs } from './civil.ts';
import { type Instant, instant } from './instant.ts';
import { type WallTime, wallTime } from './wall-time.ts';
import type { ZoneName } from './zone-name.ts';

const hourMs = 3_600_000;
const fixedOffset = /^([+-])(\d{2}):([0-5]\d)$/;

/** From `at` on the zone has this offset from UTC. */
interface Change {
  readonly at: number;
  readonly offset: number;
}

/** What is known of one stretch of the time line, found when first asked for. */
interface Chunk {
  /** The offset that holds just before the stretch. */
  readonly offset: number;
  readonly changes: readonly Change[];
}

interface Zone {
  /** Undefined for a fixed offset. */
  readonly formatter: Intl.DateTimeFormat | undefined;
  readonly fixed: number;
  readonly chunks: Map<number, Chunk>;
}

const chunkMs = 400 * dayMs;
/** Shorter than the time between any two changes of the tz database (6.96 days, Asia/Gaza 2040), so none is missed. */
const sampleMs = 6 * dayMs;
/** Wider than any offset from UTC that any zone ever had (15 h 13 min). */
const maxOffsetMs = 16 * hourMs;

/** Before the first tz rules and after the last year that any calendar here is asked for, offsets stay as they are. */
const firstInstant = Date.UTC(1800, 0, 1);
const lastInstant = Date.UTC(9999, 0, 1);

const zones = new Map<ZoneName, Zone | undefined>();

/** Whether the runtime knows the zone, or it is a fixed offset such as `+09:00`. */
export function isZone(name: string): boolean {
  return zoneOf(name) !== undefined;
}

/** Local time minus UTC in milliseconds, e.g. +3,600,000 for Berlin in winter. Throws RangeError on an unknown zone. */
export function offsetMs(zone: ZoneName, at: Instant): number {
  return offsetIn(known(zone), at);
}

/** What a clock in the zone shows. Infinite instants give infinite wall times. */
export function toWall(zone: ZoneName, at: Instant): WallTime {
  return wallTime(at + offsetIn(known(zone), at));
}

/**
 * The instant at which a clock in the zone shows `wall`. A wall time that a spring gap skips moves forward by the
 * gap; one that an autumn fold repeats is its second occurrence. These are Airflow's rules, see `make_aware` there.
 */
export function fromWall(zone: ZoneName, wall: WallTime): Instant {
  const { formatter, fixed } = known(zone);
  if (formatter === undefined) return instant(wall - fixed);
  return wallChoices(zone, wall).last;
}

/** Whether clocks of the zone are never changed. */
export const isFixed = (zone: ZoneName): boolean => known(zone).formatter === undefined;

/** The instants that a wall time may stand for: `first < last` in a fold, and both the moved one in a gap. */
export interface WallChoices {
  readonly first: Instant;
  readonly last: Instant;
  /** Where the wall time falls into a gap, the instant of the change that skips it. */
  readonly gapAt: Instant | undefined;
}

/** Both occurrences of a wall time, for callers that must tell them apart. */
export function wallChoices(zone: ZoneName, wall: WallTime): WallChoices {
  const rules = known(zone);
  const before = offsetIn(rules, wall - maxOffsetMs);
  const after = offsetIn(rules, wall + maxOffsetMs);
  const early = wall - before;
  if (before === after) return { first: instant(early), last: instant(early), gapAt: undefined };
  const late = wall - after;
  const earlyHolds = offsetIn(rules, early) === before;
  const lateHolds = offsetIn(rules, late) === after;
  if (earlyHolds && lateHolds) return { first: instant(early), last: instant(late), gapAt: undefined };
  if (earlyHolds || lateHolds) {
    const only = instant(earlyHolds ? early : late);
    return { first: only, last: only, gapAt: undefined };
  }
  return { first: instant(early), last: instant(early), gapAt: lastChangeIn(rules, early) };
}

/** The zone's latest change of offset at or before `at`; `-Infinity` if there is none in the year before. */
export function lastChange(zone: ZoneName, at: Instant): Instant {
  return lastChangeIn(known(zone), at);
}

/** Whether the zone's offset changes at some `t` with `from < t <= to`. Both finite. */
export function changesWithin(zone: ZoneName, from: Instant, to: Instant): boolean {
  const rules = known(zone);
  if (rules.formatter === undefined) return false;
  const last = chunkIndex(to);
  for (let index = chunkIndex(from); index <= last; index += 1) {
    for (const change of chunkOf(rules, index).changes) if (change.at > from && change.at <= to) return true;
  }
  return false;
}

function known(name: ZoneName): Zone {
  const zone = zoneOf(name);
  if (zone === undefined) throw new RangeError(`unknown time zone '${name}'`);
  return zone;
}

function zoneOf(name: ZoneName): Zone | undefined {
  const cached = zones.get(name);
  if (cached !== undefined || zones.has(name)) return cached;
  const zone = openZone(name);
  zones.set(name, zone);
  return zone;
}

function openZone(name: ZoneName): Zone | undefined {
  if (name === 'UTC') return fixedZone(0);
  // Runtimes differ in whether and how they take offsets as names, so those are never asked.
  if (/^[+-]/.test(name)) {
    const [, sign, hours, minutes] = fixedOffset.exec(name) ?? [];
    if (sign === undefined || Number(hours) > 23) return undefined;
    const size = Number(hours) * hourMs + Number(minutes) * 60_000;
    return fixedZone(sign === '-' ? -size : size);
  }
  try {
    const formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    return { formatter, fixed: 0, chunks: new Map() };
  } catch {
    return undefined;
  }
}

const fixedZone = (fixed: number): Zone => ({ formatter: undefined, fixed, chunks: new Map() });

const clamp = (at: number): number => Math.min(Math.max(at, firstInstant), lastInstant);
const chunkIndex = (at: number): number => Math.floor(clamp(at) / chunkMs);

function offsetIn(zone: Zone, at: number): number {
  if (zone.formatter === undefined) return zone.fixed;
  const chunk = chunkOf(zone, chunkIndex(at));
  for (let index = chunk.changes.length - 1; index >= 0; index -= 1) {
    const change = chunk.changes[index];
    if (change !== undefined && change.at <= at) return change.offset;
  }
  return chunk.offset;
}

function lastChangeIn(zone: Zone, at: number): Instant {
  if (zone.formatter !== undefined) {
    const newest = chunkIndex(at);
    for (let index = newest; index >= newest - 1; index -= 1) {
      const change = chunkOf(zone, index).changes.findLast((candidate) => candidate.at <= at);
      if (change !== undefined) return instant(change.at);
    }
  }
  return instant(Number.NEGATIVE_INFINITY);
}

function chunkOf(zone: Zone, index: number): Chunk {
  const cached = zone.chunks.get(index);
  if (cached !== undefined) return cached;
  const start = index * chunkMs;
  const end = start + chunkMs;
  const offset = probe(zone, start - 1);
  const changes: Change[] = [];
  let last = start - 1;
  let lastOffset = offset;
  while (last < end - 1) {
    const next = Math.min(last + sampleMs, end - 1);
    const nextOffset = probe(zone, next);
    if (nextOffset !== lastOffset)
      changes.push({ at: changeBetween(zone, last, lastOffset, next), offset: nextOffset });
    last = next;
    lastOffset = nextOffset;
  }
  const chunk = { offset, changes };
  zone.chunks.set(index, chunk);
  return chunk;
}

/** The first whole second after `from` at which the offset is no longer `offset`, known to be at or before `to`. */
function changeBetween(zone: Zone, from: number, offset: number, to: number): number {
  let low = Math.floor(from / 1000);
  let high = Math.floor(to / 1000);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (probe(zone, middle * 1000) === offset) low = middle;
    else high = middle;
  }
  return high * 1000;
}

const formatted = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/;

/** Asks the runtime for one offset: microseconds each, hence the chunks. */
function probe(zone: Zone, at: number): number {
  const second = Math.floor(at / 1000) * 1000;
  const fields = formatted.exec(zone.formatter?.format(second) ?? '');
  if (fields === null) throw new Error('the runtime writes dates in an unexpected form');
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, secondOfMinute = 0] = fields.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, secondOfMinute) - second;
}
