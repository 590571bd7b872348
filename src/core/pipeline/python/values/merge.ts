import { unionOfClocks, unknown } from './make-value.ts';
import type { Frame, Value } from './value.ts';

/** One value for "either of these": the same constant stays, a task beats None, everything else is not known. */
export function mergeValues(values: readonly Value[]): Value {
  const [first, ...rest] = values;
  if (first === undefined) return unknown('no value');
  if (rest.every((value) => same(first, value))) return first;
  const hosts = values.filter((value) => value.kind === 'host');
  const others = values.filter((value) => value.kind !== 'host' && !(value.kind === 'scalar' && value.value === null));
  const [host] = hosts;
  if (host !== undefined && others.length === 0 && hosts.every((value) => same(value, host))) return host;
  const either = others.length > 0 ? undefined : host?.host.either?.(hosts.slice(1).map((value) => value.host));
  if (either !== undefined) return either;
  if (hosts.length > 0 && others.length === 0) return { kind: 'list', items: [...hosts], tuple: false, open: false };
  return {
    ...unknown('depends on a condition that is not known before it runs', unionOfClocks(values)),
    options: optionsOf(values),
  };
}

/** More ways than these say nothing any more. */
export const optionLimit = 12;

function optionsOf(values: readonly Value[]): readonly Value[] | undefined {
  const options = values.flatMap((value) => (value.kind === 'unknown' ? (value.options ?? [value]) : [value]));
  return options.length > optionLimit ? undefined : options;
}

function same(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.kind === 'text' && b.kind === 'text')
    return a.mapped.text === b.mapped.text && a.holes.length === 0 && b.holes.length === 0;
  if (a.kind === 'host' && b.kind === 'host') return a.host === b.host;
  if (a.kind === 'list' && b.kind === 'list')
    return (
      !a.open &&
      !b.open &&
      a.items.length === b.items.length &&
      a.items.every((item, index) => sameItem(item, b.items[index]))
    );
  if (a.kind === 'datetime' && b.kind === 'datetime')
    return a.wall === b.wall && a.zone === b.zone && a.dateOnly === b.dateOnly;
  if (a.kind === 'duration' && b.kind === 'duration')
    return a.offset.months === b.offset.months && a.offset.days === b.offset.days && a.offset.ms === b.offset.ms;
  if (a.kind === 'scalar' && b.kind === 'scalar') return a.value === b.value;
  if (a.kind === 'zone' && b.kind === 'zone') return a.zone === b.zone;
  if (a.kind === 'path' && b.kind === 'path') return a.path === b.path;
  return a.kind === 'external' && b.kind === 'external' && a.name === b.name;
}

/** Items of lists are compared one level deep, as a list may hold itself. */
const sameItem = (a: Value, b: Value | undefined): boolean =>
  b !== undefined && (a === b || (a.kind !== 'list' && same(a, b)));

/** Sets the frame to what holds whichever of two sets of names was reached; a name in one of them only is kept. */
export function mergeFrames(frame: Frame, a: ReadonlyMap<string, Value>, b: ReadonlyMap<string, Value>): void {
  frame.names.clear();
  for (const [name, value] of a) {
    const other = b.get(name);
    frame.names.set(name, other === undefined || other === value ? value : mergeValues([value, other]));
  }
  for (const [name, value] of b) if (!a.has(name)) frame.names.set(name, value);
}
