import { derivedText, plainText } from './text-value.ts';
import type { DictEntry, Value } from './value.ts';
import { listOf, none, scalar } from './value.ts';

/** The value of a JSON text; `undefined` when the text is not known or is none. */
export function jsonValue(text: Value | undefined): Value | undefined {
  const plain = plainText(text);
  if (plain === undefined || text?.kind !== 'text') return undefined;
  const at = text.mapped.pieces[0]?.source;
  try {
    return at && dataValue(JSON.parse(plain), at);
  } catch {
    return undefined;
  }
}

/** Plain data of a file as a value; `at` stands for all of its parts. */
export function dataValue(data: unknown, at: DictEntry['at']): Value {
  if (typeof data === 'string') return derivedText(data, at);
  if (typeof data === 'number' || typeof data === 'boolean') return scalar(data);
  if (Array.isArray(data)) return listOf(data.map((item) => dataValue(item, at)));
  if (typeof data !== 'object' || data === null) return none;
  const entries = Object.entries(data).map(
    ([key, item]) => [key, { value: dataValue(item, at), at, valueAt: at }] as const,
  );
  return { kind: 'dict', entries: new Map(entries), open: false };
}
