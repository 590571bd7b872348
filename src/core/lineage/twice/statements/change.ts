import type { SqlExpression } from '../../../sql/model/expression.ts';
import type { Value } from '../../repeats/term.ts';
import { NotRun } from '../rows/not-run.ts';
import type { Relation, Scene, Sight, WorldTable } from '../rows/relation.ts';

export type Row = readonly Value[];

export type Evaluate = (one: SqlExpression, sight: Sight) => Value;

/** Rows of one table that go and those that come, all found on the tables as they were when the statement began. */
export interface Change {
  readonly table: string;
  readonly removed: ReadonlySet<Value>;
  readonly added: readonly Row[];
  readonly putOut: Relation;
  readonly affected: number;
}

/** A whole row of what is given for some columns: by the list, else by position. */
export function rowOf(
  table: WorldTable,
  listed: readonly string[],
  names: readonly string[],
  row: Row,
  scene: Scene,
): Row {
  const all = table.columns.slice(0, -1);
  if (
    listed.length === 0 &&
    !table.isOrdered &&
    (names.includes('') || new Set(names).size < names.length || names.length === 0)
  )
    throw new NotRun('columns in an order that nobody has said');
  const columns = listed.length > 0 ? listed : table.isOrdered ? all.slice(0, row.length) : names;
  if (listed.length > 0 && listed.length !== row.length) throw new NotRun('a list of columns');
  if (columns.length < row.length) throw new NotRun(`more columns than the table has: ${names.join()}`);
  const made = all.map((name): Value => {
    const index = columns.indexOf(name);
    return index === -1 ? (table.numbered.includes(name) ? scene.anew() : null) : (row[index] ?? null);
  });
  if (columns.some((name) => !all.includes(name))) throw new NotRun('a column that is not known');
  return [...made, scene.anew()];
}
