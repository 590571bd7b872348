import type { TimeStep } from '../../time/expressions/time-expression.ts';
import type { CalendarOffset, CalendarUnit } from '../../time/zones/calendar.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import { type SymbolicValue, type TimeForm, unknownValue } from '../names/symbolic-value.ts';
import type { TimeName } from '../names/time-names.ts';
import { patternPieces } from '../python/strftime.ts';
import { formPatterns } from './format-time.ts';

/** A time inside an expression, before it is known what is made of it. */
export interface Moment {
  readonly kind: 'moment';
  readonly anchor: 'start' | 'end';
  readonly steps: readonly TimeStep[];
  readonly zone: ZoneName;
  /** `object` is an aware pendulum datetime, `plain` an aware standard one and `naive` one of either without a zone. */
  readonly type: 'object' | 'plain' | 'naive' | 'date' | 'text';
  /** How it is written when printed now: strftime, with `%:z` for an offset like `+01:00`. */
  readonly pattern: string;
  /**
   * The finest unit that the steps tell truly: `replace(day=1)` keeps the time of day, which steps cannot say, so
   * the result may only be written by a pattern of days or coarser. `instant` when nothing is lost.
   */
  readonly precision: 'instant' | 'second' | 'day';
}

const objectPattern = '%Y-%m-%d %H:%M:%S%:z';
const isoPattern = '%Y-%m-%dT%H:%M:%S%:z';

export function momentOf(name: TimeName): Moment {
  const pattern = typeof name.form === 'object' ? name.form.strftime : patternOf(name.form);
  const moment: Moment = {
    kind: 'moment',
    anchor: name.anchor,
    steps: [],
    zone: 'UTC',
    type: 'object',
    pattern,
    precision: 'instant',
  };
  if (name.type !== 'text') return { ...moment, type: name.type };
  const text = written(moment, pattern) as Moment;
  return name.days === 0 ? text : shifted(text, { months: 0, days: name.days, ms: 0 });
}

function patternOf(form: Exclude<TimeForm, object>): string {
  if (form === 'datetime') return objectPattern;
  if (form === 'timestamp') return isoPattern;
  return form === 'epoch-seconds' ? '%s' : formPatterns[form];
}

const rank: Readonly<Record<CalendarUnit, number>> = {
  second: 0,
  minute: 1,
  hour: 2,
  day: 3,
  week: 3.5,
  month: 4,
  quarter: 5,
  year: 6,
};

/** Whether the steps already end on a boundary of the unit in the zone. */
export function isFloored(steps: readonly TimeStep[], unit: CalendarUnit, zone: ZoneName): boolean {
  for (const step of [...steps].reverse()) {
    if (step.zone !== zone) return false;
    if (step.kind === 'floor') {
      if (step.unit === 'week') return rank[unit] <= rank.day || unit === 'week';
      return unit !== 'week' && rank[step.unit] >= rank[unit];
    }
    if (step.kind === 'wall') return false;
    const { months, days, ms } = step.offset;
    if (ms !== 0 && !(rank[unit] <= rank.hour && zone === 'UTC' && ms % 3_600_000 === 0)) return false;
    if (days !== 0 && rank[unit] > rank.day && !(unit === 'week' && days % 7 === 0)) return false;
    if (months !== 0 && (unit === 'week' || unit === 'quarter' || (unit === 'year' && months % 12 !== 0))) return false;
  }
  return false;
}

export function floored(moment: Moment, unit: CalendarUnit): Moment {
  if (isFloored(moment.steps, unit, moment.zone)) return moment;
  return { ...moment, steps: [...moment.steps, { kind: 'floor', unit, zone: moment.zone }] };
}

export function shifted(moment: Moment, offset: CalendarOffset): Moment {
  if (offset.months === 0 && offset.days === 0 && offset.ms === 0) return moment;
  return { ...moment, steps: [...moment.steps, { kind: 'shift', offset, zone: moment.zone }] };
}

const unitOfDirective: Readonly<Record<string, CalendarUnit>> = {
  Y: 'year',
  y: 'year',
  '-y': 'year',
  C: 'year',
  m: 'month',
  '-m': 'month',
  B: 'month',
  b: 'month',
  h: 'month',
  d: 'day',
  '-d': 'day',
  e: 'day',
  j: 'day',
  '-j': 'day',
  F: 'day',
  D: 'day',
  a: 'day',
  A: 'day',
  w: 'day',
  u: 'day',
  H: 'hour',
  '-H': 'hour',
  I: 'hour',
  '-I': 'hour',
  M: 'minute',
  '-M': 'minute',
  R: 'minute',
  S: 'second',
  '-S': 'second',
  T: 'second',
  f: 'second',
  s: 'second',
};

/** The finest unit that a pattern shows; `undefined` when it shows none, or a week. */
function finestUnit(pattern: string): CalendarUnit | undefined {
  let finest: CalendarUnit | undefined;
  for (const piece of patternPieces(pattern)) {
    if (!('directive' in piece)) continue;
    if (/^[UWVG]$/.test(piece.directive)) return undefined;
    const unit = unitOfDirective[piece.directive];
    if (unit !== undefined && (finest === undefined || rank[unit] < rank[finest])) finest = unit;
  }
  return finest;
}

/** Why a time that is only known by its day is not written finer. */
export const keptTimeOfDay = 'the time of day that it keeps is not a fixed bound of the interval';

/** The text that a pattern makes of a time: the part that it does not show is floored away. */
export function written(moment: Moment, pattern: string): Moment | string {
  const expanded =
    moment.type === 'naive' || moment.type === 'date'
      ? withOffset(pattern, 'z', '')
      : moment.zone === 'UTC'
        ? withOffset(pattern, 'z', '+0000')
        : pattern;
  const finest = finestUnit(expanded);
  if (moment.precision === 'day' && finest !== undefined && rank[finest] < rank.day) return keptTimeOfDay;
  if (
    moment.precision === 'second' &&
    (expanded === isoPattern || expanded === objectPattern || expanded.includes('%f'))
  )
    return 'end_of() ends in microseconds';
  const base = finest === undefined || finest === 'second' ? moment : floored(moment, finest);
  return { ...base, type: 'text', pattern: expanded, precision: 'instant' };
}

/** The pattern with its offset directive (`z` or `:z`) replaced by the offset itself. */
const withOffset = (pattern: string, directive: string, offset: string): string =>
  patternPieces(pattern)
    .map((piece) =>
      'text' in piece ? escaped(piece.text) : piece.directive === directive ? offset : `%${piece.directive}`,
    )
    .join('');

/** `isoformat()` of the value's type. */
export const isoPatternOf = (moment: Moment): string =>
  moment.type === 'date' ? formPatterns.date : moment.type === 'naive' ? formPatterns['naive-timestamp'] : isoPattern;

/** `str()` of the value's type. */
export const printPatternOf = (moment: Moment): string => {
  if (moment.type === 'text') return moment.pattern;
  if (moment.type === 'date') return formPatterns.date;
  return moment.type === 'naive' ? '%Y-%m-%d %H:%M:%S' : objectPattern;
};

/** The same instant on the clock of another zone. */
export const inZone = (moment: Moment, zone: ZoneName): Moment => ({ ...moment, zone });

/** What the expression as a whole stands for. */
export function exported(moment: Moment): SymbolicValue {
  const text = moment.type === 'text' ? moment : written(moment, printPatternOf(moment));
  if (typeof text === 'string') return unknownValue(text);
  const form = formOf(text.pattern);
  if (form === undefined) return unknownValue(`the pattern ${text.pattern} is written differently by platform or zone`);
  const time = { anchor: text.anchor, steps: text.steps };
  return { kind: 'time', time, form, ...(text.zone === 'UTC' ? {} : { zone: text.zone }) };
}

function formOf(pattern: string): TimeForm | undefined {
  if (pattern === objectPattern) return 'datetime';
  if (pattern === isoPattern || pattern === isoPattern.replace('%:z', '+00:00')) return 'timestamp';
  if (pattern === '%s') return 'epoch-seconds';
  for (const [form, known] of Object.entries(formPatterns))
    if (known === pattern) return form as keyof typeof formPatterns;
  return pattern.includes('%:z') || pattern.includes('%s') ? undefined : { strftime: pattern };
}

const widths: Readonly<Record<string, number>> = {
  Y: 4,
  y: 2,
  C: 2,
  m: 2,
  d: 2,
  e: 2,
  H: 2,
  I: 2,
  M: 2,
  S: 2,
  f: 6,
  j: 3,
  p: 2,
  w: 1,
  u: 1,
  b: 3,
  h: 3,
  a: 3,
  U: 2,
  W: 2,
  V: 2,
  G: 4,
};

/** The pieces of a pattern one character at a time, or one fixed-width directive; `undefined` when widths vary. */
function cells(
  moment: Moment,
): readonly { readonly width: number; readonly pattern: string; readonly character: string | undefined }[] | undefined {
  const list: { width: number; pattern: string; character: string | undefined }[] = [];
  const pattern =
    moment.zone === 'UTC' && moment.type === 'text' ? withOffset(moment.pattern, ':z', '+00:00') : moment.pattern;
  for (const piece of patternPieces(pattern)) {
    if ('text' in piece)
      for (const character of piece.text) list.push({ width: 1, pattern: escaped(character), character });
    else {
      const width = widths[piece.directive];
      if (width === undefined) return undefined;
      list.push({ width, pattern: `%${piece.directive}`, character: undefined });
    }
  }
  return list;
}

/** A literal text as part of a strftime pattern. */
export const escaped = (text: string): string => text.replaceAll('%', '%%');

/** `text[from:to]` where both ends fall between directives. */
export function sliced(moment: Moment, from: number | undefined, to: number | undefined): Moment | string {
  const list = cells({ ...moment, pattern: prefixOnly(moment, from, to) });
  if (list === undefined) return 'a slice of a text whose length varies';
  const length = list.reduce((sum, cell) => sum + cell.width, 0);
  const clamp = (index: number): number => Math.min(Math.max(index < 0 ? index + length : index, 0), length);
  const start = clamp(from ?? 0);
  const end = clamp(to ?? length);
  let at = 0;
  let pattern = '';
  for (const cell of list) {
    const next = at + cell.width;
    if (next > start && at < end) {
      if (at < start || next > end) return 'a slice that cuts a field of the date';
      pattern += cell.pattern;
    }
    at = next;
  }
  return written({ ...moment, type: 'object' }, pattern);
}

/** A slice that ends before the offset does not care that the offset is not constant. */
function prefixOnly(moment: Moment, from: number | undefined, to: number | undefined): string {
  const cut = moment.pattern.indexOf('%:z');
  const fixed = cut >= 0 && (from ?? 0) >= 0 && to !== undefined && to >= 0 && to <= 19;
  return fixed && moment.zone !== 'UTC' ? moment.pattern.slice(0, cut) : moment.pattern;
}

/** `text.replace(old, new)` where `old` can only be found in the literal parts. */
export function replaced(moment: Moment, old: string, replacement: string): Moment | string {
  const list = cells(moment);
  const digits = list?.every((cell) => !/^%[BbhAap]$/.test(cell.pattern));
  if (list === undefined || old === '' || /[0-9]/.test(old) || (!digits && /[A-Za-z]/.test(old)))
    return 'a replacement inside the fields of the date';
  let pattern = '';
  for (let index = 0; index < list.length; ) {
    const characters = list.slice(index, index + old.length);
    if (characters.length === old.length && characters.map((cell) => cell.character ?? '').join('') === old) {
      pattern += escaped(replacement);
      index += old.length;
    } else {
      pattern += list[index]?.pattern ?? '';
      index++;
    }
  }
  return { ...moment, type: 'text', pattern };
}

/** A text pattern to compare with the one a text is parsed by. */
export const comparablePattern = (moment: Moment): string =>
  moment.zone === 'UTC' ? withOffset(moment.pattern, ':z', '+00:00') : moment.pattern;
