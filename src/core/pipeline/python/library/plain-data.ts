import { dictKey, listOf, none, scalar, unknown } from '../values/make-value.ts';
import { derivedText, plainText } from '../values/text-value.ts';
import type { DictEntry, Value } from '../values/value.ts';

/** What a text of JSON or YAML stands for; `undefined` when it is not known or not valid. `parse` throws for the latter. */
export function parsedValue(text: Value | undefined, parse: (text: string) => unknown): Value | undefined {
  const plain = plainText(text);
  const at = text?.kind === 'text' ? text.mapped.pieces[0]?.source : undefined;
  if (plain === undefined || at === undefined) return undefined;
  let data: unknown;
  try {
    data = parse(plain);
  } catch {
    return undefined;
  }
  return dataValue(data, at, 0);
}

/** YAML can hold itself through an anchor. */
const depthLimit = 24;

/** Plain data as a value; `at` stands for all of its parts. */
function dataValue(data: unknown, at: DictEntry['at'], depth: number): Value {
  if (typeof data === 'string') return derivedText(data, at);
  if (typeof data === 'number' || typeof data === 'boolean') return scalar(data);
  if (data === null || data === undefined) return none;
  if (typeof data !== 'object' || depth > depthLimit || data instanceof Date) return unknown('data of another kind');
  if (Array.isArray(data)) return listOf(data.map((item) => dataValue(item, at, depth + 1)));
  const entries = new Map<string, DictEntry>();
  for (const [name, item] of Object.entries(data)) {
    const key = dictKey(derivedText(name)) ?? name;
    entries.set(key, { value: dataValue(item, at, depth + 1), at, valueAt: at });
  }
  return { kind: 'dict', entries, open: false };
}
