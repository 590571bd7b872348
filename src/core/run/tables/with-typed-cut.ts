import {
  cutSubject,
  expressionTypeSql,
  type SliceBounds,
  timeTypeOf,
} from '../../warehouse/dialects/postgres/slice-predicate.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { TableDescription } from '../../warehouse/port/table-description.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';

/**
 * A slice that is cut by an expression with the type of that, as the server has it; any other one as it is. Throws
 * {@link WarehouseError} where the expression says no time, or not the same one at each look.
 */
export async function withTypedCut<T extends Pick<SliceBounds, 'cut'>>(
  session: Session,
  table: TableDescription,
  slice: T,
): Promise<T> {
  const { cut } = slice;
  if (cut?.kind !== 'expression' || cut.type !== undefined) return slice;
  const { rows } = await session.query(expressionTypeSql(table, cutSubject(cut)), [textArray(cut.calls)]);
  const [type = 'unknown', volatile] = (rows[0] ?? []).map((value) => value ?? undefined);
  if (volatile !== undefined) {
    const message = `The expression ${cut.sql} over ${table.qualified} calls ${volatile}, which gives another value each time.`;
    const hint = 'Say under writes in backfill.yaml an expression that a row keeps, or declare that function stable.';
    throw new WarehouseError('other', message, false, { hint });
  }
  return { ...slice, cut: { ...cut, type: timeTypeOf(table, cut.sql, type) } };
}

const textArray = (names: readonly string[]): string => `{${names.map((name) => JSON.stringify(name)).join(',')}}`;
