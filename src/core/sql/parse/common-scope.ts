import type { TableReference } from '../model/table-reference.ts';
import type { Cursor } from './cursor.ts';

/** Brings a common table into force until its scope is left. */
export function declareCommonTable(c: Cursor, name: string): void {
  c.commonTables.push(name);
  const lower = name.toLowerCase();
  const spellings = c.commonSpellings.get(lower);
  if (spellings === undefined) c.commonSpellings.set(lower, [name]);
  else spellings.push(name);
}

/** Takes all but the first names out of force. */
export function leaveCommonScope(c: Cursor, length: number): void {
  while (c.commonTables.length > length) c.commonSpellings.get(c.commonTables.pop()?.toLowerCase() ?? '')?.pop();
}

/** The common table in force that a name means. */
export function commonTableNamed(c: Cursor, table: TableReference): string | undefined {
  const name = table.name.toLowerCase();
  // DuckDB: `recurring.t` is what a recursive `t` with USING KEY has found so far.
  const own = c.dialect === 'duckdb' && name.startsWith('recurring.') ? name.slice('recurring.'.length) : name;
  return c.commonSpellings.get(own)?.at(-1);
}
