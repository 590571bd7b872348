import { dayMs, dayNumberOf, daysInMonth } from '../../time/zones/civil.ts';
import { monthNames } from '../../time/zones/month-names.ts';
import type { PythonDatetime } from './python-value.ts';
import { refuse } from './refusal.ts';
import { dayNames, patternPieces } from './strftime.ts';

const names = (list: readonly string[], length?: number): string =>
  [...list]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.slice(0, length))
    .join('|');

const directives: Readonly<Record<string, string>> = {
  Y: '\\d\\d\\d\\d',
  y: '\\d\\d',
  m: '1[0-2]|0[1-9]|[1-9]',
  d: '3[01]|[12]\\d|0[1-9]|[1-9]| [1-9]',
  H: '2[0-3]|[01]\\d|\\d',
  I: '1[0-2]|0[1-9]|[1-9]',
  M: '[0-5]\\d|\\d',
  S: '6[01]|[0-5]\\d|\\d',
  f: '\\d{1,6}',
  j: '36[0-6]|3[0-5]\\d|[12]\\d\\d|0[1-9]\\d|00[1-9]|[1-9]\\d|0[1-9]|[1-9]',
  p: 'am|pm',
  z: '[+-]\\d\\d:?[0-5]\\d(?::?[0-5]\\d(?:\\.\\d{1,6})?)?|Z',
  B: names(monthNames),
  b: names(monthNames, 3),
  A: names(dayNames),
  a: names(dayNames, 3),
};

/**
 * `datetime.strptime(text, pattern)`, by the expressions that Python itself matches with: a naive datetime, or one of
 * UTC where the pattern has an offset; other offsets are refused.
 */
export function strptime(text: string, pattern: string): PythonDatetime {
  if (/[^\x20-\x7e]/.test(text + pattern)) return refuse('strptime() with special characters');
  let expression = '';
  const seen = new Set<string>();
  for (const piece of patternPieces(pattern)) {
    if ('text' in piece) expression += piece.text.replace(/[\\.^$*+?(){}[\]|]/g, '\\$&').replace(/\s+/g, '\\s+');
    else {
      const { directive } = piece;
      const match = Object.hasOwn(directives, directive)
        ? directives[directive]
        : refuse(`strptime() with "%${directive}"`);
      if (seen.has(directive)) return refuse(`"%${directive}" twice in one pattern`);
      seen.add(directive);
      expression += `(?<${directive}>${match})`;
    }
  }
  const found = new RegExp(`^(?:${expression})$`, 'i').exec(text)?.groups;
  if (found === undefined && !(seen.size === 0 && new RegExp(`^(?:${expression})$`, 'i').test(text)))
    return refuse(`"${text}" does not match "${pattern}"`);
  return datetimeOf(found ?? {}, text);
}

function datetimeOf(found: Readonly<Record<string, string | undefined>>, text: string): PythonDatetime {
  const number = (directive: string): number | undefined => {
    const digits = found[directive];
    return digits === undefined ? undefined : Number(digits);
  };
  const short = number('y');
  const year = number('Y') ?? (short === undefined ? 1900 : short + (short <= 68 ? 2000 : 1900));
  if (year < 1) return refuse(`the year of "${text}" is out of range`);
  const ofYear = number('j');
  const month = number('m') ?? monthOf(found.B ?? found.b) ?? 1;
  const day = number('d') ?? 1;
  if (ofYear !== undefined && (found.m ?? found.d ?? found.B ?? found.b) !== undefined)
    return refuse('"%j" beside a month or a day');
  if (day > daysInMonth(year, month)) return refuse(`"${text}" is not a day of the calendar`);
  const dayNumber = dayNumberOf(year, ofYear === undefined ? month : 1, ofYear ?? day);
  const fraction = Number((found.f ?? '').padEnd(6, '0'));
  const second = number('S') ?? 0;
  if (second > 59) return refuse(`the second of "${text}" is out of range`);
  const clock = ((hourOf(number('H'), number('I'), found.p) * 60 + (number('M') ?? 0)) * 60 + second) * 1000;
  const reading = {
    wallMs: dayNumber * dayMs + clock + Math.floor(fraction / 1000),
    microseconds: fraction % 1000,
    offsetMs: found.z === undefined ? undefined : 0,
  };
  if (found.z !== undefined && !/^(?:[+-]00:?00(?::?00(?:\.0+)?)?|Z)$/.test(found.z))
    return refuse(`the offset "${found.z}" is not UTC`);
  return { kind: 'datetime', reading, zone: found.z === undefined ? undefined : 'UTC', pendulum: false };
}

function hourOf(hour: number | undefined, hour12: number | undefined, half: string | undefined): number {
  if (hour12 === undefined) return hour ?? 0;
  if (hour !== undefined) return refuse('"%H" beside "%I"');
  return (hour12 % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0);
}

function monthOf(name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  return monthNames.findIndex((month) => month.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase()) + 1;
}
