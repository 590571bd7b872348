import type { DeclaredTask } from '../facts/declared-facts.ts';
import type { WriteFact } from '../facts/facts.ts';
import { tableBehind } from '../queries/table-behind.ts';
import type { KnownTablesOfWorkspace } from './workspace-tables.ts';

/**
 * Writes of views that show the rows of one table, as writes of that: its rows change, and whoever reads it. A table that the
 * task writes in another way as well stays apart, because what both come to is told by neither.
 */
export function throughViews(
  writes: readonly WriteFact[],
  tables: Pick<KnownTablesOfWorkspace, 'viewOf' | 'same'>,
): readonly WriteFact[] {
  const behind = writes.map((write) =>
    write.naming === undefined ? tableBehind(write.table, tables.viewOf) : undefined,
  );
  if (behind.every((one) => one === undefined)) return writes;
  const meant = writes.map(({ table }, index) => behind[index]?.table ?? table);
  return writes.map((write, index): WriteFact => {
    const one = behind[index];
    const isAlone = meant.filter((table) => tables.same(table, meant[index] ?? '')).length === 1;
    if (one === undefined || !isAlone) return write;
    return { ...write, table: one.table, through: { view: write.table, isFiltered: one.isFiltered } };
  });
}

/** What is declared of such a view is declared of its table. */
export const declaredBehind = (
  writes: DeclaredTask['writes'],
  { viewOf }: Pick<KnownTablesOfWorkspace, 'viewOf'>,
): DeclaredTask['writes'] =>
  writes.map((write) => ({ ...write, table: tableBehind(write.table, viewOf)?.table ?? write.table }));
