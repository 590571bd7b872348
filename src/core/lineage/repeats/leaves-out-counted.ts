import { filtersOf, tablesOf, within } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { TableReference } from '../../sql/model/table-reference.ts';

/** Rows that were counted before are left out: by an anti-join on another table, or by a flag of what was done. */
export function leavesOutCounted(statement: Statement, isSame: (table: TableReference) => boolean): boolean {
  for (const { conjunct } of filtersOf(statement)) {
    // `booked_on = '{{ ds }}'` is the day of the row, and no mark of what was done to it.
    const isDated = within(conjunct).some(({ kind }) => kind === 'hole' || kind === 'template-string');
    for (const one of within(conjunct)) {
      if ((one.kind === 'exists' || one.kind === 'in') && one.negated && one.query) {
        if (tablesOf(one.query).some((item) => !isSame(item.table))) return true;
      }
      const isMark =
        one.kind === 'column' && /(^|_)(processed|applied|counted|consumed|posted|booked)(_|$)/.test(one.name);
      if (isMark && !isDated) return true;
    }
  }
  return false;
}
