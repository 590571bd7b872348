import type { Assignment, MergeBranch, Statement } from '../../../sql/model/statement.ts';
import type { Value } from '../../repeats/term.ts';
import { NotRun, Refused } from '../rows/not-run.ts';
import type { RowInSight, Scene, Sight, WorldTable } from '../rows/relation.ts';
import { type Common, joined } from '../rows/run-query.ts';
import { type Change, type Evaluate, type Row, rowOf } from './change.ts';
import { clashes } from './world-keys.ts';

interface Merging {
  readonly value: Evaluate;
  readonly blank: Sight;
  readonly scene: Scene;
  readonly common: readonly Common[];
  readonly own: (values: Row | undefined) => RowInSight;
  readonly set: (row: Row, assignments: readonly Assignment[], sight: Sight) => Row;
  readonly sightOf: (level: readonly RowInSight[]) => Sight;
  readonly identity: (row: Row) => Value;
}

/** What a MERGE does. Throws {@link NotRun} and {@link Refused}. */
export function merged(statement: Statement, table: WorldTable, by: Merging): Change {
  const { value, own, sightOf } = by;
  const removed = new Set<Value>();
  const added: Row[] = [];
  let affected = 0;
  const branch = (matched: MergeBranch['matched'], sight: Sight): MergeBranch | undefined =>
    statement.branches.find(
      (one) => one.matched === matched && one.condition.every((asked) => value(asked, sight) === true),
    );
  if (statement.branches.some(({ matched }) => matched === 'not-matched-by-source'))
    throw new NotRun('MERGE by source');
  for (const from of joined(statement.from, by.blank, by.scene, by.common, value)) {
    const found = table.rows.filter((row) =>
      statement.on.every((one) => value(one, sightOf([own(row), ...from])) === true),
    );
    for (const row of found) {
      const sight = sightOf([own(row), ...from]);
      const taken = branch('matched', sight);
      if (taken === undefined || taken.action === 'nothing') continue;
      if (removed.has(by.identity(row))) throw new Refused('a row twice');
      removed.add(by.identity(row));
      affected++;
      if (taken.action === 'update') added.push(by.set(row, taken.assignments, sight));
    }
    if (found.length > 0) continue;
    const sight = sightOf([...from]);
    const taken = branch('not-matched', sight);
    if (taken?.action !== 'insert') continue;
    if (taken.values.length === 0) throw new NotRun('INSERT *');
    const row = rowOf(
      table,
      taken.columns,
      [],
      taken.values.map((one) => value(one, sight)),
      by.scene,
    );
    if (table.rows.some((one) => table.keys.some((key) => clashes(key, table.columns, row, one))))
      throw new Refused('a key');
    added.push(row);
    affected++;
  }
  return { table: statement.target?.name ?? '', removed, added, putOut: { columns: [], rows: [] }, affected };
}
