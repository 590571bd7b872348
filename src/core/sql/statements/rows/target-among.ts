import type { FromItem } from '../../model/expression.ts';
import type { TableReference } from '../../model/table-reference.ts';
import type { Cursor } from '../../parse/cursor.ts';

/** The entry that a name in front of FROM or SET means: its alias, its name, or the last part of it. */
export function targetAmong(items: readonly FromItem[], name: string): FromItem | undefined {
  return (
    items.find((item) => item.alias === name) ??
    items.find((item) => item.kind === 'table' && item.table.name === name) ??
    items.find((item) => item.kind === 'table' && item.table.name.endsWith(`.${name}`))
  );
}

/** Takes a table out of the reads: it stands among the sources but is what the statement writes. */
export function withoutRead(c: Cursor, from: number, table: TableReference): void {
  const index = c.reads.indexOf(table, from);
  if (index >= 0) c.reads.splice(index, 1);
}
