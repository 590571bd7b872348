import { type blocksBelow, blocksOf } from '../../sql/model/sql-search.ts';
import type { LintContext } from '../context/lint-context.ts';
import type { LintTable } from '../context/lint-workspace.ts';
import { type StatementView, sameTable, sourceText, tableKey } from '../source/statement-view.ts';

/**
 * The table refuses the second copy, or its readers undo it: a primary or unique key that the engine enforces (the
 * rerun fails rather than doubles), or a view of the workspace that keeps one row per key.
 */
export const guardedByTable = (context: LintContext, view: StatementView, key: string): boolean =>
  keyThatRefuses(context, view, key) !== undefined || deduplicatedByView(context, key);

/** The primary or unique key that the engine enforces and whose columns the rows bring: with it the same rows fail. */
export function keyThatRefuses(context: LintContext, view: StatementView, key: string): readonly string[] | undefined {
  const enforced = ['postgres', 'mysql', 'duckdb', 'ansi'].includes(view.sql.dialect);
  const table = context.table(key);
  return enforced ? table?.keys.find((columns) => writesColumns(view, table, columns)) : undefined;
}

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

/** Whether rows bring these columns along, by the INSERT's list or, without one, by the order of the table's columns. */
function writesColumns(view: StatementView, table: LintTable, columns: readonly string[]): boolean {
  const { columns: listed, outputColumns, values, valueRows } = view.statement;
  // A list that only the run knows names at least what has to be given.
  const isOpen = listed.some((name) => /[{%]/.test(name)) || (listed.length === 0 && outputColumns.includes('*'));
  if (isOpen) return columns.every((name) => listed.includes(name) || hasToBeGiven(table, name));
  if (listed.length > 0) return columns.every((name) => listed.includes(name));
  const count = valueRows > 0 ? values.length / valueRows : outputColumns.length;
  const inOrder = table.columns.slice(0, count).map(({ name }) => name);
  return columns.every((name) => (inOrder.length > 0 ? inOrder : outputColumns).includes(name));
}

const hasToBeGiven = (table: LintTable, name: string): boolean =>
  table.columns.some((column) => column.name === name && column.notNull && column.isFilled !== true);

const deduplicates = (view: StatementView, block: Parameters<typeof blocksBelow>[0]): boolean =>
  block.distinct || /\b(row_number|rank|dense_rank)\s*\(|\bdistinct\s+on\b/i.test(sourceText(view, block));
