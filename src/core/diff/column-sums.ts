import { columnSumsSql } from '../warehouse/dialects/postgres/slice/sums-sql.ts';
import type { Session } from '../warehouse/port/ports.ts';
import type { ColumnSum } from './slice-diff.ts';
import type { SliceRelation } from './slice-relation.ts';
import { comparedColumns } from './take-figures.ts';

const exact: ReadonlySet<string> = new Set(['int2', 'int4', 'int8', 'numeric']);

/**
 * What the numeric columns of a slice add up to on both sides. Keys are left out, which are numbers in name only, and
 * so is what the slice is cut by. Servers before 14 cannot add what floats may be.
 */
export async function columnSums(
  session: Session,
  relation: SliceRelation,
  sides: { readonly old: string; readonly live: string; readonly predicate: string | undefined },
  sliceColumn: string | undefined,
): Promise<readonly ColumnSum[]> {
  const isKey = (name: string): boolean =>
    name === sliceColumn || relation.key.includes(name) || relation.table.keys.some((key) => key.includes(name));
  const columns = comparedColumns(relation).filter(
    ({ name, baseType, float }) => !isKey(name) && (exact.has(baseType) || (float && relation.hash === 'hash')),
  );
  if (columns.length === 0) return [];
  const [before = [], after = []] = (await session.query(columnSumsSql(sides, columns))).rows;
  return columns.map(({ name }, index) => ({
    column: name,
    before: before[index] ?? '0',
    after: after[index] ?? '0',
  }));
}
