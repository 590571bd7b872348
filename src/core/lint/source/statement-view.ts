import type { CalledRoutine, Pipeline, Task, TaskSql } from '../../pipeline/model/model.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { TableReference } from '../../sql/model/table-reference.ts';
import { locate } from '../../text/mapped-text.ts';
import type { SourceSpan, Span } from '../../text/span.ts';

/** One task with its statements in the order in which they run. */
export interface TaskView {
  readonly pipeline: Pipeline;
  readonly task: Task;
  readonly statements: readonly StatementView[];
}

/** One statement of a task with everything around it that a rule may ask for. */
export interface StatementView {
  readonly pipeline: Pipeline;
  readonly task: Task;
  readonly sql: TaskSql;
  /** Position in the task, over all its texts. */
  readonly order: number;
  readonly statement: Statement;
  /** The call in whose body it stands; its text is then that of one call, not what its file says. */
  readonly routine?: CalledRoutine;
}

/** The source text of a span of the statement's SQL. */
export const sourceText = (view: StatementView, span: Span): string => view.sql.source.text.slice(span.start, span.end);

/** Where a span of the SQL was written; the task itself when a reader made the text up. */
export const placeOf = (view: StatementView, span: Span): SourceSpan =>
  locate(view.sql.source, span) ?? view.task.nameAt;

/** A name as written, with what the parameters of the task put into it. */
function writtenName(view: StatementView, table: TableReference): string {
  let text = '';
  let at = table.start;
  for (const { start, end, value } of view.sql.masked.holes) {
    if (end <= table.start || start >= table.end || start < at) continue;
    const given = value.kind === 'parameter' && value.source === 'params' ? view.task.params[value.name] : undefined;
    if (typeof given !== 'string') continue;
    text += view.sql.source.text.slice(at, start) + given;
    at = end;
  }
  return text + view.sql.source.text.slice(at, table.end);
}

/**
 * What tells one table from another inside a task: its name, or the source text where a part of it is a template
 * expression, so that `{{ var.value.schema }}.orders` equals itself.
 */
export const tableKey = (view: StatementView, table: TableReference): string =>
  table.templated ? writtenName(view, table).replace(/\s+/g, '').toLowerCase() : table.name;

/** False where even the last part of the name is a placeholder, so that nothing tells which table it is. */
export const isKnownTable = (view: StatementView, table: TableReference): boolean => {
  const written = writtenName(view, table).replace(/\{\{.*?\}\}|\{[^{}]*\}|%\(\w+\)s|%s|\$\{[^}]*\}|[`"'\s]/gs, '');
  return /\w[^.]*$/.test(written);
};

/** The table as a person wrote it, for messages. */
export const tableLabel = (view: StatementView, table: TableReference): string =>
  table.templated ? sourceText(view, table) : table.name;

/** Whether one of the statement's targets is the table; names match when one ends with the other. */
export const writesTo = (view: StatementView, key: string): boolean =>
  view.statement.targets.some((target) => sameTable(tableKey(view, target), key));

/** `orders` may be `mart.orders` through the search path; `a.orders` and `b.orders` are two tables. */
export const sameTable = (a: string, b: string): boolean => a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);

/** Equal for all names that may mean one table by `sameTable`. */
export const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** The subject of findings about one table that a task writes. */
export const writeSubject = (view: StatementView, key: string): string => `${view.task.id} writes ${key}`;
