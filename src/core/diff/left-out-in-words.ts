import type { SliceDiff } from './slice-diff.ts';

/** Which columns were not compared, one line a table; empty where all were. */
export function leftOutInWords(
  slices: readonly Pick<SliceDiff, 'table' | 'leftOut' | 'surrogates'>[],
): readonly string[] {
  const tables = new Map<string, { readonly declared: Set<string>; readonly filled: Set<string> }>();
  for (const { table, leftOut, surrogates = [] } of slices) {
    if (leftOut.length === 0) continue;
    const known = tables.get(table) ?? { declared: new Set(), filled: new Set() };
    tables.set(table, known);
    for (const column of leftOut) known[surrogates.includes(column) ? 'filled' : 'declared'].add(column);
  }
  return [...tables].map(([table, { declared, filled }]) => {
    const parts = [
      ...(declared.size === 0 ? [] : [`${[...declared].join(', ')} (declared volatile)`]),
      ...(filled.size === 0 ? [] : [`${[...filled].join(', ')} (filled by default, named by no INSERT)`]),
    ];
    return `not compared in ${table}: ${parts.join(', ')}`;
  });
}
