import type { SliceDiff } from '../../diff/slice-diff.ts';

/** Figures and the sampled rows of one version of a slice, a value a line, so that a text diff shows the very column. */
export function versionText(slice: SliceDiff, which: 'before' | 'after'): string {
  const figures = slice[which];
  const lines = [
    slice.table,
    `rows          ${figures?.rows ?? '—'}`,
    `key checksum  ${figures?.keyChecksum ?? '—'}`,
    `row checksum  ${figures?.rowChecksum ?? '—'}`,
    '',
  ];
  for (const sample of slice.samples) {
    const row = sample[which];
    const key = Object.entries(sample.key ?? {}).map(([column, value]) => `${column}=${value ?? 'NULL'}`);
    if (row === undefined) continue;
    lines.push(key.length > 0 ? key.join(', ') : 'row');
    for (const [column, value] of Object.entries(row)) lines.push(`  ${column}: ${value ?? 'NULL'}`);
    lines.push('');
  }
  if (slice.samples.length > 0)
    lines.push('(differing rows that were sampled; the rest of the slice is not shown)', '');
  return lines.join('\n');
}
