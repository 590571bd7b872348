import type { Sourced } from '../../../model/sourced.ts';
import { unknown } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Keyword, Value } from '../../../python/values/value.ts';
import { type TaskBuilder, taskArgument } from './program.ts';

export function numberOf(keyword: Keyword | undefined): Sourced<number> | undefined {
  return keyword?.value.kind === 'scalar' && typeof keyword.value.value === 'number'
    ? { value: keyword.value.value, at: keyword.at }
    : undefined;
}

export function booleanOf(keyword: Keyword | undefined): Sourced<boolean> | undefined {
  return keyword?.value.kind === 'scalar' && typeof keyword.value.value === 'boolean'
    ? { value: keyword.value.value, at: keyword.at }
    : undefined;
}

export const isNone = (value: Value): boolean => value.kind === 'scalar' && value.value === null;

/**
 * An argument of a task by its path, `configuration.query.query` being a key of a dict of a dict. Where a dict on the
 * way is not known, neither is the value; `undefined` only when nothing is given there.
 */
export function argumentAt(task: TaskBuilder, path: string): Keyword | undefined {
  const [name = '', ...keys] = path.split('.');
  let found = taskArgument(task, name);
  for (const key of keys) {
    if (found === undefined || isNone(found.value)) return undefined;
    const { value }: Keyword = found;
    if (value.kind === 'unknown') return found;
    if (value.kind !== 'dict') return { ...found, value: unknown(`${found.name} is no dict that the file spells out`) };
    const entry = value.entries.get(key);
    if (entry === undefined)
      return value.open ? { ...found, value: unknown(`${found.name} has entries that are not known`) } : undefined;
    found = { name: key, ...entry };
  }
  return found;
}

/** A value as the word that a table of known values has: `true`, `WRITE_APPEND`; `undefined` when it is not known. */
export function wordOf(value: Value): string | undefined {
  if (value.kind === 'scalar') return String(value.value);
  if (value.kind === 'external') return value.name.slice(value.name.lastIndexOf('.') + 1);
  const text = plainText(value);
  return text === undefined || text.includes('{{') ? undefined : text;
}
