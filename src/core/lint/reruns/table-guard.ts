import {
  hasToBeGiven,
  keyThatRefuses as refusingKey,
  keyMadeAnew as upsertKeyMadeAnew,
} from '../../lineage/writes/insert-keys.ts';
import { type blocksBelow, blocksOf } from '../../sql/model/sql-search.ts';
import type { LintContext } from '../context/lint-context.ts';
import { type StatementView, sameTable, sourceText, tableKey } from '../source/statement-view.ts';

/**
 * The table refuses the second copy, or its readers undo it: a primary or unique key that the engine enforces (the
 * rerun fails rather than doubles), or a view of the workspace that keeps one row per key.
 */
export const guardedByTable = (context: LintContext, view: StatementView, key: string): boolean =>
  keyThatRefuses(context, view, key) !== undefined || deduplicatedByView(context, key);

/** The primary or unique key that the engine enforces and whose columns the rows bring: with it the same rows fail. */
export const keyThatRefuses = (context: LintContext, view: StatementView, key: string): readonly string[] | undefined =>
  refusingKey(view.statement, view.sql.dialect, context.table(key));

/** The key by which an upsert finds rows, where each row gets another value of it. */
export const keyMadeAnew = (context: LintContext, view: StatementView, key: string): readonly string[] | undefined =>
  upsertKeyMadeAnew(view.statement, context.table(key) ?? { columns: [], keys: [] });

/** The same of rows that are put there without SQL, whose columns only the run knows: they bring what has to be given. */
export function guardedFromRows(context: LintContext, key: string, enforces: boolean): boolean {
  const table = context.table(key);
  const given = table?.keys.some((columns) => columns.every((name) => hasToBeGiven(table, name)));
  return (enforces && given === true) || deduplicatedByView(context, key);
}

/** A view of the workspace shows one row per key, so that a second copy is not seen through it. */
export const deduplicatedByView = (context: LintContext, key: string): boolean =>
  context
    .viewsOn(key)
    .some(
      (other) =>
        other.statement.reads.some((read) => sameTable(tableKey(other, read), key)) &&
        [...blocksOf(other.statement)].some((block) => deduplicates(other, block)),
    );

const deduplicates = (view: StatementView, block: Parameters<typeof blocksBelow>[0]): boolean =>
  block.distinct || /\b(row_number|rank|dense_rank)\s*\(|\bdistinct\s+on\b/i.test(sourceText(view, block));
