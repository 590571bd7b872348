import type { Call, FunctionValue, Value } from '../values/value.ts';

/** Longer texts and collections are told apart by who they are. */
const textLimit = 2000;
const itemLimit = 50;
const depthLimit = 4;

/** Numbers for what is known by identity. */
export class Identities {
  private readonly numbers = new WeakMap<object, number>();
  private next = 0;

  of(thing: object): string {
    let number = this.numbers.get(thing);
    if (number === undefined) {
      number = this.next++;
      this.numbers.set(thing, number);
    }
    return `#${number}`;
  }
}

/** Equal for two calls that are bound to give the same: one function with arguments that are known to be the same. */
export function callKey({ node, frame, bound, name }: FunctionValue, call: Call, identities: Identities): string {
  const key = (value: Value): string => valueKey(value, identities, 0);
  const own = frame.parent === undefined ? frame.file : identities.of(frame);
  const keywords = [...call.keywords.values()].map((keyword) => `${keyword.name}=${key(keyword.value)}`);
  const given = [...(bound?.positional ?? []), ...call.positional].map(key);
  const kept = [...(bound?.keywords.values() ?? [])].map((keyword) => `${keyword.name}=${key(keyword.value)}`);
  const spread = call.spread === undefined ? '' : identities.of(call.spread);
  return [name, own, node.start, call.open, spread, ...given, '|', ...kept, ...keywords].join('\u0001');
}

/** Equal for values that are known to be the same. */
export function valueKey(value: Value, identities: Pick<Identities, 'of'>, depth: number): string {
  if (depth > depthLimit) return identities.of(value);
  const key = (inner: Value): string => valueKey(inner, identities, depth + 1);
  switch (value.kind) {
    case 'scalar':
      return String(value.value);
    case 'text':
      return value.mapped.text.length > textLimit
        ? identities.of(value.mapped)
        : JSON.stringify([value.mapped.text, value.rendered, value.holes.map((hole) => [hole.start, hole.value])]);
    case 'symbol':
      return JSON.stringify(value.symbol);
    case 'unknown':
      return value.options === undefined
        ? `?${value.clocks.map((clock) => identities.of(clock)).join()}${value.moment ? '!' : ''}`
        : identities.of(value);
    case 'path':
      return `path ${value.path}`;
    case 'external':
      return value.name;
    case 'list':
      return value.items.length > itemLimit
        ? identities.of(value)
        : `${value.tuple ? 't' : 'l'}${value.open ? '+' : ''}[${value.items.map(key).join()}]`;
    case 'dict':
      return value.entries.size > itemLimit
        ? identities.of(value)
        : `${value.open ? '+' : ''}{${[...value.entries].map(([name, entry]) => `${name}:${key(entry.value)}`).join()}}`;
    case 'instance':
      return `${value.type}(${value.call.at.start},${value.call.positional.map(key).join()},${[...value.call.keywords.values()].map((keyword) => key(keyword.value)).join()})${[...(value.attributes?.values() ?? [])].map(key).join()}`;
    case 'object':
      return `${identities.of(value)}.${value.version}`;
    case 'bound-method':
      return `${key(value.self)}.${value.name}`;
    case 'function':
      return `${identities.of(value.node)}${(value.bound?.positional ?? []).map(key).join()}`;
    case 'host':
      return identities.of(value.host);
    case 'module':
      return value.frame.file;
    case 'datetime':
    case 'duration':
    case 'zone':
      return JSON.stringify(value);
    default:
      return identities.of(value);
  }
}
