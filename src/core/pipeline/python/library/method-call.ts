import { wholeFile } from '../../../text/mapped-text.ts';
import type { CalendarUnit } from '../../../time/zones/calendar.ts';
import { wallTime } from '../../../time/zones/wall-time.ts';
import { argument } from '../calls/call.ts';
import { formatWall } from '../values/interpolate.ts';
import { unknown } from '../values/make-value.ts';
import { clockMethod } from '../values/printed-clocks.ts';
import { derivedText, plainText } from '../values/text-value.ts';
import { floorSymbol, formatSymbol, shiftSymbol, withoutDashes } from '../values/time-symbol.ts';
import type { Call, Interpreter, Value } from '../values/value.ts';
import { dictMethod, listMethod } from './collection-methods.ts';
import { moveWall } from './move-wall.ts';
import { joinWorkspacePath, normalPath, workspaceFile } from './paths.ts';
import { textMethod } from './text-methods.ts';
import { renderedTemplate, substituted } from './text-templates.ts';
import { timeCall, zoneOf } from './time-call.ts';

/** Methods of values whose kind is known; `undefined` when the receiver or the method is not. */
export function methodCall(self: Value, name: string, call: Call, run: Interpreter): Value | undefined {
  switch (self.kind) {
    case 'text':
      return textMethod(self, name, call);
    case 'list':
      return listMethod(self, name, call, run);
    case 'dict':
      return dictMethod(self, name, call, run);
    case 'datetime':
      return datetimeMethod(self, name, call, run);
    case 'symbol':
      return symbolMethod(self, name, call, run);
    case 'path':
      return pathMethod(self.path, name, call, run);
    case 'zone':
      return name === 'localize' && call.positional[0]?.kind === 'datetime'
        ? { ...call.positional[0], zone: self.zone }
        : unknown(`a zone's ${name}`);
    case 'instance':
      if (self.type === openedFile && name === 'read') return contentOf(self, run);
      if (self.type === 'string.Template') return substituted(self, name, call);
      return renderedTemplate(self, name, call);
    case 'unknown':
      return self.clocks.length > 0 ? clockMethod(self, name, call) : undefined;
    default:
      return undefined;
  }
}

function fileText(path: string, run: Interpreter): Value {
  const file = workspaceFile(run.files, path);
  const text = file === undefined ? undefined : run.files.read(file);
  if (file === undefined || text === undefined) return unknown(`the file ${normalPath(path)} is not in the workspace`);
  return { kind: 'text', mapped: wholeFile(file, text), holes: [], clocks: [] };
}

/** The text of an opened file. */
export function contentOf(value: Value | undefined, run: Interpreter): Value | undefined {
  if (value?.kind === 'path') return fileText(value.path, run);
  return value?.kind === 'instance' && value.type === openedFile
    ? fileText(plainText(value.call.positional[0]) ?? '', run)
    : undefined;
}

const openedFile = 'file of the workspace';

/** The path of what `open(path)` gave. */
export const openedPath = (value: Value | undefined): string | undefined =>
  value?.kind === 'instance' && value.type === openedFile ? plainText(value.call.positional[0]) : undefined;

/** `open(path)` of a file of the workspace; its text is taken by `.read()`. */
export function readWorkspaceFile(path: string | undefined, call: Call): Value | undefined {
  if (path === undefined) return undefined;
  const file = derivedText(normalPath(path));
  return { kind: 'instance', type: openedFile, call: { ...call, positional: [file], keywords: new Map() } };
}

function datetimeMethod(self: Value & { kind: 'datetime' }, name: string, call: Call, run: Interpreter): Value {
  const [first] = call.positional;
  switch (name) {
    case 'strftime': {
      const pattern = plainText(first);
      const text = pattern === undefined ? undefined : formatWall(self.wall, pattern);
      return text === undefined ? unknown('a formatted date') : derivedText(text, call.at);
    }
    case 'isoformat':
    case 'to_date_string': {
      const text = formatWall(self.wall, self.dateOnly || name === 'to_date_string' ? '%Y-%m-%d' : '%Y-%m-%dT%H:%M:%S');
      return text === undefined || (self.zone !== undefined && name === 'isoformat')
        ? unknown('a formatted date')
        : derivedText(text, call.at);
    }
    case 'date':
      return {
        ...self,
        wall: wallTime(Math.floor(self.wall / 86_400_000) * 86_400_000),
        zone: undefined,
        dateOnly: true,
      };
    case 'replace': {
      const zone = argument(call, 'tzinfo')?.value;
      const named = zone === undefined ? undefined : zoneOf(zone);
      if (zone !== undefined && named?.kind === 'zone' && call.keywords.size === 1)
        return { ...self, zone: named.zone };
      return replacedFields(self, call);
    }
    case 'subtract':
    case 'add': {
      const by = timeCall('pendulum.duration', call, run);
      if (by?.kind !== 'duration') return unknown('a date that is not known');
      const sign = name === 'add' ? 1 : -1;
      return {
        ...self,
        wall: moveWall(self.wall, {
          months: sign * by.offset.months,
          days: sign * by.offset.days,
          ms: sign * by.offset.ms,
        }),
      };
    }
    default:
      return unknown(`a date's ${name}(…) is not followed`);
  }
}

function replacedFields(self: Value & { kind: 'datetime' }, call: Call): Value {
  const date = new Date(self.wall);
  for (const { name, value } of call.keywords.values()) {
    if (value.kind !== 'scalar' || typeof value.value !== 'number') return unknown('a date that is not known');
    if (name === 'year') date.setUTCFullYear(value.value);
    else if (name === 'month') date.setUTCMonth(value.value - 1);
    else if (name === 'day') date.setUTCDate(value.value);
    else if (name === 'hour') date.setUTCHours(value.value);
    else if (name === 'minute') date.setUTCMinutes(value.value);
    else if (name === 'second') date.setUTCSeconds(value.value);
    else if (name !== 'microsecond') return unknown('a date that is not known');
  }
  return { ...self, wall: wallTime(date.getTime()) };
}

const units: readonly string[] = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];

function symbolMethod(self: Value & { kind: 'symbol' }, name: string, call: Call, run: Interpreter): Value | undefined {
  const { symbol } = self;
  const [first] = call.positional;
  const as = (changed: typeof symbol): Value => ({ kind: 'symbol', symbol: changed });
  switch (name) {
    case 'strftime': {
      const pattern = plainText(first);
      return pattern === undefined ? unknown('a pattern that is not known') : as(formatSymbol(symbol, pattern));
    }
    case 'to_date_string':
      return as(formatSymbol(symbol, '%Y-%m-%d'));
    case 'isoformat':
    case 'to_iso8601_string':
      return symbol.kind === 'time' && symbol.form === 'datetime' ? as({ ...symbol, form: 'timestamp' }) : self;
    case 'date':
      return as(floorSymbol(symbol, 'day'));
    case 'subtract':
    case 'add': {
      const by = timeCall('pendulum.duration', call, run);
      if (by?.kind !== 'duration') return unknown('a shift that is not known');
      const sign = name === 'add' ? 1 : -1;
      return as(
        shiftSymbol(symbol, { months: sign * by.offset.months, days: sign * by.offset.days, ms: sign * by.offset.ms }),
      );
    }
    case 'start_of': {
      const unit = plainText(first);
      return unit !== undefined && units.includes(unit)
        ? as(floorSymbol(symbol, unit as CalendarUnit))
        : unknown('a unit that is not known');
    }
    case 'replace':
      if (symbol.kind === 'time' && symbol.form !== 'datetime')
        return plainText(first) === '-' && plainText(call.positional[1]) === ''
          ? as(withoutDashes(symbol))
          : unknown('characters of a date replaced');
      return replacedSymbol(self, call);
    case 'in_timezone':
    case 'astimezone':
    case 'in_tz':
      return unknown('a time in another zone');
    case 'get':
    case 'strip':
    case 'lower':
    case 'upper':
    case 'format':
      return symbol.kind === 'time' ? unknown(`a time's ${name}(…) is not followed`) : self;
    default:
      return undefined;
  }
}

/** `logical_date.replace(day=1, hour=0, minute=0, second=0)`: the start of a unit, when the fields are its first ones. */
function replacedSymbol(self: Value & { kind: 'symbol' }, call: Call): Value {
  const first = new Map([
    ['month', 1],
    ['day', 1],
    ['hour', 0],
    ['minute', 0],
    ['second', 0],
    ['microsecond', 0],
  ]);
  const given = new Set<string>();
  for (const { name, value } of call.keywords.values()) {
    if (name === 'tzinfo') continue;
    if (value.kind !== 'scalar' || first.get(name) !== value.value) return unknown('a time with other fields');
    given.add(name);
  }
  const unitOf: Readonly<Record<string, CalendarUnit>> = {
    month: 'year',
    day: 'month',
    hour: 'day',
    minute: 'hour',
    second: 'minute',
  };
  const order = ['month', 'day', 'hour', 'minute', 'second'];
  const largest = order.find((name) => given.has(name));
  if (largest === undefined) return self;
  const needed = order.slice(order.indexOf(largest));
  // `.replace(day=1)` alone keeps the time of day: the same month, later in it.
  return needed.every((name) => given.has(name) || name === 'second')
    ? { kind: 'symbol', symbol: floorSymbol(self.symbol, unitOf[largest] ?? 'day') }
    : unknown('a time with other fields');
}

function pathMethod(path: string, name: string, call: Call, run: Interpreter): Value | undefined {
  switch (name) {
    case 'read_text':
    case 'read_bytes': {
      return fileText(path, run);
    }
    case 'open':
      return readWorkspaceFile(path, call);
    case 'joinpath': {
      const parts = call.positional.map((part) => plainText(part));
      if (parts.some((part) => part === undefined)) return unknown('a path that is not known');
      return { kind: 'path', path: (parts as string[]).reduce(joinWorkspacePath, path) };
    }
    case 'resolve':
    case 'absolute':
    case 'expanduser':
      return { kind: 'path', path };
    case 'as_posix':
    case '__str__':
      return { kind: 'path', path };
    case 'with_suffix': {
      const suffix = plainText(call.positional[0]);
      return suffix === undefined ? undefined : { kind: 'path', path: path.replace(/(?<=[^/])\.[^./]*$/, '') + suffix };
    }
    case 'exists':
    case 'is_file':
      return workspaceFile(run.files, path) === undefined
        ? unknown('a file that is not in the workspace')
        : { kind: 'scalar', value: true };
    default:
      return unknown(`a path's ${name}(…) is not followed`);
  }
}
