import { floatText, isObject, type PythonValue, typeName } from './python-value.ts';
import { refuse } from './refusal.ts';

/** `json.dumps` with its default separators, other characters than ASCII escaped. */
export function jsonText(value: PythonValue, sortKeys: boolean): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number')
    return Number.isFinite(value) ? floatText(value) : refuse('an infinite number in JSON');
  if (typeof value === 'string')
    return JSON.stringify(value).replace(/[\x7f-\uffff]/g, (character) =>
      character === '\x7f' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  if (isObject(value) && (value.kind === 'list' || value.kind === 'tuple'))
    return `[${value.items.map((item) => jsonText(item, sortKeys)).join(', ')}]`;
  if (!isObject(value) || value.kind !== 'dict') return refuse(`a ${typeName(value)} in JSON`);
  const entries = [...value.entries.values()].map(
    ([key, item]) => [typeof key === 'string' ? key : refuse('a key in JSON that is not a text'), item] as const,
  );
  if (sortKeys) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${jsonText(key, sortKeys)}: ${jsonText(item, sortKeys)}`).join(', ')}}`;
}
