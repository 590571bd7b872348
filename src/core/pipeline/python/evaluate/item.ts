import type { SourceSpan } from '../../../text/span.ts';
import { isMadeToCall } from '../values/made-to-call.ts';
import { clocksOf, dictKey, listOf, unknown } from '../values/make-value.ts';
import { optionLimit } from '../values/merge.ts';
import { unprintedClocks } from '../values/printed-clocks.ts';
import { sliceText } from '../values/text-value.ts';
import type { DictValue, Interpreter, TextValue, Value } from '../values/value.ts';

/** `value[key]`; a slice comes as an open or closed tuple of its bounds. */
export function itemOf(value: Value, key: Value, at: SourceSpan, run: Interpreter): Value {
  switch (value.kind) {
    case 'dict': {
      const name = dictKey(key);
      const entry = name === undefined ? undefined : value.entries.get(name);
      return entry?.value ?? anyOf(value, name) ?? unknown('an item that is not known', clocksOf(value));
    }
    case 'list': {
      if (key.kind === 'scalar' && typeof key.value === 'number' && !value.open)
        return value.items.at(key.value) ?? unknown('no such item');
      const range = rangeOf(key, value.items.length);
      if (range !== undefined && !value.open) return listOf(value.items.slice(...range), value.tuple);
      return unknown('an item that is not known', clocksOf(value));
    }
    case 'text': {
      const range = rangeOf(key, value.mapped.text.length);
      if (range !== undefined && (value.holes.length === 0 || keepsHoles(key, value, range)))
        return sliceText(value, ...range);
      return unknown('part of a text', unprintedClocks(value.clocks));
    }
    case 'host':
      return value.host.item?.(key, at, run) ?? unknown('an item that is not known');
    case 'external':
      return run.host.externalItem(value.name, key, run) ?? unknown(`an item of ${value.name}`);
    default:
      return unknown('an item of a value that is not known', unprintedClocks(clocksOf(value)));
  }
}

/** A table of functions or operators: what is called is one of them, whichever the key says when it runs. */
function anyOf({ entries, open, unnamed = [] }: DictValue, name: string | undefined): Value | undefined {
  const named = name === undefined ? [...entries.values()].map(({ value }) => value) : [];
  const options = [...new Set([...named, ...unnamed])];
  const [only] = options;
  if (only === undefined || options.length > optionLimit || !options.every(isMadeToCall)) return undefined;
  if (options.length === 1 && (open || name === undefined)) return only;
  return { ...unknown('an item that is not known'), options };
}

/** `query[:-4]`: what is cut off at either end is known text, counted from that end. */
function keepsHoles(key: Value, { holes }: TextValue, [start, end]: readonly [number, number]): boolean {
  const [from, to] = key.kind === 'list' ? key.items.map((bound) => (bound.kind === 'scalar' ? bound.value : 0)) : [];
  const isFromStart = from === null || (typeof from === 'number' && from >= 0);
  const isFromEnd = to === null || (typeof to === 'number' && to < 0);
  return isFromStart && isFromEnd && holes.every((hole) => start <= hole.start && hole.end <= end);
}

function rangeOf(key: Value, length: number): [number, number] | undefined {
  if (key.kind !== 'list' || !key.tuple || key.open || key.items.length !== 2) return undefined;
  const [from, to] = key.items.map((bound) => (bound.kind === 'scalar' ? bound.value : undefined));
  if (from === undefined || to === undefined || typeof from === 'boolean' || typeof to === 'boolean') return undefined;
  const place = (bound: number | null, otherwise: number): number =>
    bound === null ? otherwise : Math.min(Math.max(bound < 0 ? length + bound : bound, 0), length);
  const start = place(from, 0);
  return [start, Math.max(start, place(to, length))];
}
