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

interface ComingSums {
  readonly live: string;
  readonly predicate: string | undefined;
  readonly stage: string;
  readonly gone: string;
  readonly come: string;
  readonly by: readonly [live: string, moved: string];
}

const sumsOf = (by: string, from: string, columns: readonly ColumnDescription[]): string =>
  `(select ${by} as g, ${columns.map((column, index) => `sum(${decimalOf(column)}) as s${index}`).join(', ')} from ${from} group by 1)`;

/**
 * The sums of slices before and after, from their rows before and those that went and came: which slice, then before and after of
 * each column. `by`: the slice of a live row and of one in the other relations, as SQL.
 */
export function movedSumsSql(
  { live, predicate, gone, come, by }: ComingSums,
  columns: readonly ColumnDescription[],
): string {
  const each = columns.flatMap((_, index) => {
    const [before, went, came] = ['b', 'o', 'n'].map((side) => `coalesce(${side}.s${index}, 0)`);
    return [`${before}::text`, `(${before} - ${went} + ${came})::text`];
  });
  return (
    `select g, ${each.join(', ')} from ${sumsOf(by[0], `${live}${where(predicate)}`, columns)} b ` +
    `full join ${sumsOf(by[1], come, columns)} n using (g) left join ${sumsOf(by[1], gone, columns)} o using (g)`
  );
}

/** The same from all rows of both sides. */
export function bothSumsSql({ live, predicate, stage, by }: ComingSums, columns: readonly ColumnDescription[]): string {
  const each = columns.flatMap((_, index) => [`b.s${index}::text`, `n.s${index}::text`]);
  return (
    `select g, ${each.join(', ')} from ${sumsOf(by[0], `${live}${where(predicate)}`, columns)} b ` +
    `full join ${sumsOf(by[1], stage, columns)} n using (g)`
  );
}

/** Floats are added in decimal, as they are written: their own sum depends on the order of the rows. */
export const decimalOf = ({ name, float }: ColumnDescription): string =>
  `${quoteIdentifier(name)}${float ? '::text::numeric' : ''}`;

const sumOf = (column: ColumnDescription): string => `sum(${decimalOf(column)})::text`;
