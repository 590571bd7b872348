import type { DeclaredTask } from './declared-facts.ts';
import type { Unknown } from './facts.ts';

/** The unknowns of a task that no declaration has settled. */
export function openUnknowns(
  unknowns: readonly Unknown[],
  declared: DeclaredTask | undefined,
  same: (a: string, b: string) => boolean,
): readonly Unknown[] {
  return declared === undefined ? unknowns : unknowns.filter((unknown) => !isSettled(unknown, declared, same));
}

function isSettled(
  { about, table }: Unknown,
  { complete = false, reads, writes }: DeclaredTask,
  same: (a: string, b: string) => boolean,
): boolean {
  const isTable = (one: { readonly table: string }): boolean => table !== undefined && same(one.table, table);
  switch (about) {
    case 'tables':
    case 'table-name':
      return complete;
    case 'window':
      return reads.some(isTable);
    case 'slice':
      return writes.some((write) => isTable(write) && (write.column !== undefined || write.slice !== undefined));
  }
}
