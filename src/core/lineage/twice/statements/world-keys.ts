import type { SqlExpression } from '../../../sql/model/expression.ts';
import type { ConflictClause } from '../../../sql/model/statement.ts';
import { sameValue } from '../../repeats/known-functions.ts';
import type { Value } from '../../repeats/term.ts';
import { NotRun } from '../rows/not-run.ts';
import type { NamedRow, WorldKey, WorldTable } from '../rows/relation.ts';

type Row = readonly Value[];

const named = (columns: readonly string[], row: Row): NamedRow =>
  new Map(columns.map((name, index) => [name, row[index] ?? null]));

/** Whether two rows may not stand beside each other. */
export function clashes(key: WorldKey, columns: readonly string[], a: Row, b: Row): boolean {
  const [one, other] = [named(columns, a), named(columns, b)];
  if (key.holds !== undefined && !(key.holds(one) && key.holds(other))) return false;
  return key.columns.every((name) => {
    const [x = null, y = null] = [one.get(name), other.get(name)];
    return x !== null && y !== null && sameValue(x, y);
  });
}

/** The keys by which an upsert finds rows; one that nobody has told of is there, on the rows that the statement names. */
export function arbitersOf(
  { key, constraint, asked = [] }: ConflictClause,
  { keys }: WorldTable,
  holds: (row: NamedRow, conditions: readonly SqlExpression[]) => boolean,
): readonly WorldKey[] {
  if (key.length === 0) {
    if (keys.length === 0 || (constraint !== undefined && keys.length > 1)) throw new NotRun('which key');
    return keys;
  }
  const found = keys.filter(
    ({ columns }) => columns.length === key.length && columns.every((name) => key.includes(name)),
  );
  if (found.length > 0) return found;
  return [{ columns: key, ...(asked.length === 0 ? {} : { holds: (row: NamedRow) => holds(row, asked) }) }];
}
