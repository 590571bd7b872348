import type { SliceFigures } from './slice-figures.ts';

/** How many rows there are and the sum of their hashes, which tells their content in whatever order. */
export type RowSum = Pick<SliceFigures, 'rows' | 'rowChecksum'>;

/** A sum of row hashes as checksums write it: two halves of 96 bits, in hexadecimal. */
const halfDigits = 24;

/** The sum of a slice after some of its rows went and others came. */
export function movedSum(before: RowSum, gone: RowSum, come: RowSum): RowSum {
  const half = (sum: RowSum, from: number) => BigInt(`0x${sum.rowChecksum.slice(from, from + halfDigits)}`);
  const moved = [0, halfDigits].map((from) =>
    BigInt.asUintN(halfDigits * 4, half(before, from) - half(gone, from) + half(come, from))
      .toString(16)
      .padStart(halfDigits, '0'),
  );
  return { rows: before.rows - gone.rows + come.rows, rowChecksum: moved.join('') };
}

export const sameSum = (a: RowSum, b: RowSum): boolean => a.rows === b.rows && a.rowChecksum === b.rowChecksum;
