import { scalar } from './make-value.ts';
import { derivedText } from './text-value.ts';
import type { Value } from './value.ts';

/** The values that a loop over this one goes through; `open` when they are not all known. */
export function iterate(value: Value): { readonly values: readonly Value[]; readonly open: boolean } {
  if (value.kind === 'list') return { values: value.items, open: value.open };
  if (value.kind === 'dict') return { values: [...value.entries.keys()].map(keyValue), open: value.open };
  if (value.kind === 'text' && value.holes.length === 0 && value.mapped.text.length <= 64)
    return { values: [...value.mapped.text].map((character) => derivedText(character)), open: false };
  return { values: [], open: true };
}

/** The Python value of a dict's key. */
export function keyValue(key: string): Value {
  if (!key.startsWith('\u0000')) return derivedText(key);
  const text = key.slice(1);
  if (text === 'null') return scalar(null);
  if (text === 'true' || text === 'false') return scalar(text === 'true');
  return scalar(Number(text));
}
