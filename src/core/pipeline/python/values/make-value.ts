import type { SymbolicValue } from '../../../template/names/symbolic-value.ts';
import {
  type ClockSite,
  describeKind,
  type HostObject,
  type ListValue,
  noClocks,
  type ScalarValue,
  type UnknownValue,
  type Value,
} from './value.ts';

export const scalar = (value: number | boolean | null): ScalarValue => ({ kind: 'scalar', value });
/** A number that is a float to Python, whole or not. */
export const float = (value: number): ScalarValue =>
  Number.isInteger(value) ? { kind: 'scalar', value, isFloat: true } : scalar(value);
export const none: Value = scalar(null);
export const external = (name: string): Value => ({ kind: 'external', name });
export const hostValue = (host: HostObject): Value => ({ kind: 'host', host });
export const listOf = (items: Value[], tuple = false, open = false): ListValue => ({
  kind: 'list',
  items,
  tuple,
  open,
});
export const unknown = (reason: string, clocks: readonly ClockSite[] = []): UnknownValue => ({
  kind: 'unknown',
  reason,
  clocks,
});

/** Text keys and number keys never collide. */
export const dictKey = (key: Value): string | undefined => {
  if (key.kind === 'text') return key.holes.length === 0 ? key.mapped.text : undefined;
  return key.kind === 'scalar' ? `\u0000${String(key.value)}` : undefined;
};

/** Every clock call that a value depends on. */
export function clocksOf(value: Value, depth = 0): readonly ClockSite[] {
  if (depth > 8) return noClocks;
  switch (value.kind) {
    case 'unknown':
      return value.clocks;
    case 'text':
      return value.clocks;
    case 'list':
      return unionOfClocks(value.items, depth);
    case 'dict':
      return unionOfClocks(
        [...value.entries.values()].map((entry) => entry.value),
        depth,
      );
    case 'instance':
      return unionOfClocks([...value.call.positional, ...[...value.call.keywords.values()].map((k) => k.value)], depth);
    default:
      return noClocks;
  }
}

export function unionOfClocks(values: readonly Value[], depth = 0): readonly ClockSite[] {
  let union: ClockSite[] | undefined;
  for (const value of values) {
    const clocks = clocksOf(value, depth + 1);
    if (clocks.length === 0) continue;
    union ??= [];
    for (const clock of clocks) if (!union.includes(clock)) union.push(clock);
  }
  return union ?? noClocks;
}

/** The symbolic reading of a value, for a hole of a text and for an operator's argument. */
export function symbolOf(value: Value): SymbolicValue {
  switch (value.kind) {
    case 'scalar':
      return { kind: 'literal', value: value.value };
    case 'text': {
      const [only] = value.holes;
      if (only === undefined) return { kind: 'literal', value: value.mapped.text };
      if (value.holes.length === 1 && only.start === 0 && only.end === value.mapped.text.length) return only.value;
      const clock = value.holes.find((hole) => hole.value.kind === 'clock');
      return clock?.value ?? { kind: 'unknown', reason: 'text put together from values that are not known' };
    }
    case 'symbol':
      return value.symbol;
    case 'path':
      return { kind: 'literal', value: value.path };
    case 'unknown': {
      const [clock] = value.clocks;
      return clock === undefined ? { kind: 'unknown', reason: value.reason } : symbolOfClock(clock);
    }
    default: {
      const [clock] = clocksOf(value);
      return clock === undefined ? { kind: 'unknown', reason: describeKind(value) } : symbolOfClock(clock);
    }
  }
}

const symbolOfClock = ({ name, printed }: ClockSite): SymbolicValue => ({
  kind: 'clock',
  name,
  ...(printed && { unique: true }),
});

/** True or false where Python's truth of the value is known. */
export function truthOf(value: Value): boolean | undefined {
  switch (value.kind) {
    case 'scalar':
      return Boolean(value.value);
    case 'text':
      // `{% if … %}yes{% endif %}`: rendered, it may be empty.
      if (/^\s*\{%[\s\S]*%\}\s*$/.test(value.mapped.text)) return undefined;
      return value.mapped.text.length > 0 ? true : value.holes.length === 0 ? false : undefined;
    case 'list':
      // What an open list is known to hold may be there under a condition only.
      return value.open ? undefined : value.items.length > 0;
    case 'dict':
      return value.open ? undefined : value.entries.size > 0;
    case 'function':
    case 'class':
    case 'module':
    case 'host':
    case 'object':
    case 'path':
    case 'datetime':
    case 'zone':
      return true;
    default:
      return undefined;
  }
}
