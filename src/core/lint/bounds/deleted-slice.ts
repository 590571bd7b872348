import { type StatementView, sourceText, type TaskView, writesTo } from '../source/statement-view.ts';
import { type ColumnTrace, traceColumn } from './column-trace.ts';
import { type Comparison, comparisonOf } from './comparison.ts';
import { usesInterval } from './interval-columns.ts';

/** The comparisons that cut a DELETE by the interval, if they are about one column and nothing else hides a bound. */
export function deletedSlice(deletion: StatementView): readonly Comparison[] {
  const bounded = deletion.statement.where.filter((conjunct) => usesInterval(deletion, conjunct));
  const cuts = bounded.flatMap((conjunct) => comparisonOf(conjunct) ?? []);
  const [first] = cuts;
  if (first === undefined || cuts.length !== bounded.length) return [];
  return cuts.every((cut) => cut.column.name === first.column.name) ? cuts : [];
}

/** INSERT … SELECT statements into the table of a DELETE, up to the next statement that empties it. */
export function insertsAfter(task: TaskView, deletion: StatementView, key: string): StatementView[] {
  const found: StatementView[] = [];
  for (const other of task.statements) {
    const { kind, query } = other.statement;
    if (other.order <= deletion.order || !writesTo(other, key)) continue;
    if (kind === 'delete' || kind === 'truncate') break;
    if (kind === 'insert' && query !== undefined) found.push(other);
  }
  return found;
}

/** Where the INSERT's values of a target column come from; one trace for each branch of a UNION. */
export function insertedTraces(insert: StatementView, column: string): readonly ColumnTrace[] {
  const { query, columns } = insert.statement;
  if (query === undefined) return [];
  const position = columns.indexOf(column);
  if (columns.length > 0 && position < 0) return [{ kind: 'unknown' }];
  return traceColumn(query, column, position < 0 ? undefined : position);
}

/** The comparison as written, without the qualifier of its column, so that it can stand in another statement. */
export function unqualifiedText(view: StatementView, { conjunct, column }: Comparison): string {
  const text = sourceText(view, conjunct);
  if (column.qualifier === undefined) return text;
  const name = sourceText(view, column).split('.').at(-1) ?? column.name;
  return `${text.slice(0, column.start - conjunct.start)}${name}${text.slice(column.end - conjunct.start)}`;
}
