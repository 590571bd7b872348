import type { TableReference } from '../../sql/model/table-reference.ts';
import { type Comparison, comparisonOf } from '../bounds/comparison.ts';
import { unqualifiedText } from '../bounds/deleted-slice.ts';
import { usesInterval } from '../bounds/interval-columns.ts';
import type { LintContext } from '../context/lint-context.ts';
import type { Fix } from '../model/finding.ts';
import { type StatementView, sourceText } from '../source/statement-view.ts';
import { editSql, indentAt, statementEnd } from './sql-edit.ts';

/** The DELETE of the slice that an INSERT … SELECT adds to, as the condition of its WHERE. */
export interface SliceDeletion {
  readonly cuts: readonly Comparison[];
  readonly condition: string;
}

/**
 * The rows that an INSERT's own query is cut by, said of its target: only where the slice can be read off one table's
 * filter and the column arrives in the target under the same name, so that both statements have one and the same bound.
 */
export function sliceDeletion(view: StatementView): SliceDeletion | undefined {
  const block = view.statement.query;
  if (block === undefined || block.from.length !== 1 || block.then.length > 0 || block.with.length > 0)
    return undefined;
  if (block.from[0]?.kind !== 'table') return undefined;
  const bounded = block.where.filter((conjunct) => usesInterval(view, conjunct));
  const cuts = bounded.flatMap((conjunct) => comparisonOf(conjunct) ?? []);
  const column = cuts[0]?.column.name;
  if (column === undefined || cuts.length !== bounded.length || cuts.some((cut) => cut.column.name !== column))
    return undefined;
  if (!arrivesAs(view, column)) return undefined;
  return { cuts, condition: cuts.map((cut) => unqualifiedText(view, cut)).join(' AND ') };
}

/**
 * A DELETE of the INSERT's own slice before it: both in one transaction where the text is sent so.
 */
export function replaceSliceFix(context: LintContext, view: StatementView, target: TableReference): Fix | undefined {
  // Sent as one text, these engines keep both statements in one transaction unless autocommit splits them.
  if (!['postgres', 'redshift', 'snowflake', 'duckdb', 'ansi'].includes(view.sql.dialect)) return undefined;
  if (view.task.autocommit?.value === true) return undefined;
  const deletion = sliceDeletion(view);
  if (deletion === undefined) return undefined;

  const indent = indentAt(view.sql.source.text, view.statement.start);
  const deleting = `DELETE FROM ${sourceText(view, target)} WHERE ${deletion.condition};\n${indent}`;
  const standAlone = view.pipeline.format === 'sql-file';
  const hasTransaction = view.sql.reading.statements.some(({ kind }) => kind === 'begin' || kind === 'commit');
  const begin = standAlone && !hasTransaction;
  const end = statementEnd(view);
  const edits = editSql(context, view, [
    {
      start: view.statement.start,
      end: view.statement.start,
      newText: `${begin ? `BEGIN;\n${indent}` : ''}${deleting}`,
    },
    ...(begin
      ? [{ start: end.offset, end: end.offset, newText: `${end.terminated ? '' : ';'}\n${indent}COMMIT;` }]
      : []),
  ]);
  return edits && { title: 'Delete the same slice first, in one transaction', edits, preferred: true };
}

function arrivesAs(view: StatementView, column: string): boolean {
  const { query, columns } = view.statement;
  const items = query?.select ?? [];
  if (items.length === 1 && items[0]?.expression.kind === 'star')
    return columns.length === 0 || columns.includes(column);
  if (items.some((item) => item.expression.kind === 'star')) return false;
  return items.some(
    (item, at) =>
      item.expression.kind === 'column' && item.expression.name === column && (columns[at] ?? item.name) === column,
  );
}
