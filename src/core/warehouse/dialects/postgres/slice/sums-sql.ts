import type { ColumnDescription } from '../../../port/table-description.ts';
import { quoteIdentifier } from '../quote.ts';
import { where } from './figures-sql.ts';

/** One row of sums of the old rows of a slice, then one of its new ones; exact, and as text so that nothing is rounded. */
export const columnSumsSql = (
  { old, live, predicate }: { readonly old: string; readonly live: string; readonly predicate: string | undefined },
  columns: readonly ColumnDescription[],
): string => {
  const sums = columns.map(sumOf).join(', ');
  return `select ${sums} from ${old} union all select ${sums} from ${live}${where(predicate)}`;
};

/** Floats are added in decimal, as they are written: their own sum depends on the order of the rows. */
const sumOf = ({ name, float }: ColumnDescription): string =>
  `sum(${quoteIdentifier(name)}${float ? '::text::numeric' : ''})::text`;
