import { keyValue } from '../values/iterate.ts';
import { clocksOf, dictKey, listOf, none, unknown } from '../values/make-value.ts';
import { plainText } from '../values/text-value.ts';
import type { Call, DictValue, Interpreter, ListValue, Value } from '../values/value.ts';

/** Methods that change a list, a set or a dict. */
const changing: ReadonlySet<string> = new Set([
  ...['append', 'add', 'insert', 'extend', 'update', 'pop', 'setdefault', 'remove', 'discard', 'clear', 'reverse'],
  'popitem',
]);

export const listMethod = (list: ListValue, name: string, call: Call, run: Interpreter): Value =>
  changing.has(name) ? run.change(list, () => listResult(list, name, call)) : listResult(list, name, call);

export const dictMethod = (dict: DictValue, name: string, call: Call, run: Interpreter): Value =>
  changing.has(name) ? run.change(dict, () => dictResult(dict, name, call)) : dictResult(dict, name, call);

/** `del holder[key]`: which item it was need not be known, and then none of them is. */
export function deleteItem(holder: Value, key: Value, run: Interpreter): void {
  if (holder.kind === 'list') {
    run.change(holder, () => {
      if (key.kind !== 'scalar' || takeAt(holder, key.value) === undefined) forgetItems(holder);
    });
  } else if (holder.kind === 'dict') {
    run.change(holder, () => {
      const known = dictKey(key);
      if (known === undefined) forgetItems(holder);
      else holder.entries.delete(known);
    });
  }
}

/** Takes out the item at an index, counted from the end where it is negative; `undefined` where that is not known. */
function takeAt(list: ListValue, index: unknown): Value | undefined {
  return list.open || typeof index !== 'number' ? undefined : list.items.splice(index, 1)[0];
}

/** One of the items is gone, and which is not known: none is said to be there. */
function forgetItems(holder: ListValue | DictValue): void {
  if (holder.kind === 'list') holder.items.length = 0;
  else holder.entries.clear();
  holder.open = true;
}

/** What a text or a scalar is compared by. */
function plainKey(value: Value): string | undefined {
  const text = plainText(value);
  if (text !== undefined) return `text ${text}`;
  return value.kind === 'scalar' ? `${typeof value.value} ${value.value}` : undefined;
}

function listResult(list: ListValue, name: string, call: Call): Value {
  const [first, second] = call.positional;
  switch (name) {
    case 'append':
    case 'add':
      if (first !== undefined) list.items.push(first);
      return none;
    case 'insert':
      if (second !== undefined) list.items.splice(first?.kind === 'scalar' ? Number(first.value) : 0, 0, second);
      return none;
    case 'extend':
    case 'update':
      if (first?.kind === 'list') list.items.push(...first.items);
      if (first?.kind !== 'list' || first.open) list.open = true;
      return none;
    case 'copy':
      return listOf([...list.items], list.tuple, list.open);
    case 'pop': {
      const popped = first === undefined || first.kind === 'scalar' ? takeAt(list, first?.value ?? -1) : undefined;
      if (popped === undefined) forgetItems(list);
      return popped ?? unknown('an item that is not known', clocksOf(list));
    }
    case 'remove':
    case 'discard': {
      const key = first && plainKey(first);
      const at = list.items.findIndex((item) => key !== undefined && plainKey(item) === key);
      const isSure = key !== undefined && list.items.every((item) => plainKey(item) !== undefined);
      if (isSure && at >= 0) list.items.splice(at, 1);
      else if (!isSure) forgetItems(list);
      return none;
    }
    case 'clear':
      list.items.length = 0;
      list.open = false;
      return none;
    case 'reverse':
      list.items.reverse();
      return none;
    default:
      return unknown(`list.${name}(…) is not followed`, clocksOf(list));
  }
}

function dictResult(dict: DictValue, name: string, call: Call): Value {
  const [first, second] = call.positional;
  const key = first === undefined ? undefined : dictKey(first);
  switch (name) {
    case 'get':
    case 'setdefault':
    case 'pop': {
      const entry = key === undefined ? undefined : dict.entries.get(key);
      if (entry !== undefined) {
        if (name === 'pop' && key !== undefined) dict.entries.delete(key);
        return entry.value;
      }
      if (name === 'pop' && key === undefined) forgetItems(dict);
      if (dict.open || key === undefined) return unknown('an item that is not known', clocksOf(dict));
      if (name === 'setdefault' && second !== undefined)
        dict.entries.set(key, { value: second, at: call.at, valueAt: call.at });
      return second ?? none;
    }
    case 'popitem':
      forgetItems(dict);
      return unknown('an item that is not known', clocksOf(dict));
    case 'clear':
      dict.entries.clear();
      dict.open = false;
      return none;
    case 'items':
      return listOf(
        [...dict.entries].map(([entryKey, entry]) => listOf([keyValue(entryKey), entry.value], true)),
        false,
        dict.open,
      );
    case 'keys':
      return listOf([...dict.entries.keys()].map(keyValue), false, dict.open);
    case 'values':
      return listOf(
        [...dict.entries.values()].map((entry) => entry.value),
        false,
        dict.open,
      );
    case 'copy':
      return { kind: 'dict', entries: new Map(dict.entries), open: dict.open };
    case 'update': {
      if (first?.kind === 'dict') for (const [entryKey, entry] of first.entries) dict.entries.set(entryKey, entry);
      for (const keyword of call.keywords.values()) dict.entries.set(keyword.name, keyword);
      if (call.open || (first !== undefined && (first.kind !== 'dict' || first.open))) dict.open = true;
      return none;
    }
    default:
      return unknown(`dict.${name}(…) is not followed`, clocksOf(dict));
  }
}
