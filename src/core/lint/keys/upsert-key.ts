import type { QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import type { Span } from '../../text/span.ts';
import { lastPart, type StatementView, sameTable, type TaskView, tableKey } from '../source/statement-view.ts';
import { type ColumnOrigin, columnOrigin } from './column-origin.ts';

/** By what an upsert finds the row that is there. */
export interface UpsertKey {
  /** `ON CONFLICT (id)`; `ON t.id = s.id`. */
  readonly at: Span;
  readonly columns: readonly KeyColumn[];
  /** False where a part of the condition is no plain equality of two columns, so that it may find rows otherwise. */
  readonly isWhole: boolean;
  /** The rows that are put in, where they are a query. */
  readonly rows: QueryBlock | undefined;
}

export interface KeyColumn {
  /** In the target. */
  readonly name: string;
  /** What makes it, where a query of the statement does. */
  readonly origin: ColumnOrigin | undefined;
  /** The value of a row that is written out. */
  readonly value: SqlExpression | undefined;
  /** The equality of a MERGE. */
  readonly equality: Span | undefined;
}

/** The key of an upsert or MERGE that puts rows in; `undefined` where it names none. */
export function upsertKey(view: StatementView): UpsertKey | undefined {
  const { kind, conflict } = view.statement;
  if (kind === 'merge') return mergeKey(view);
  return conflict === undefined || conflict.key.length === 0 ? undefined : conflictKey(view, conflict, conflict.key);
}

/** Of an upsert that names no key: a unique key of the table. */
export const conflictKeyOf = (view: StatementView, key: readonly string[]): UpsertKey | undefined =>
  view.statement.conflict && conflictKey(view, view.statement.conflict, key);

function conflictKey(view: StatementView, conflict: Span, key: readonly string[]): UpsertKey {
  const { columns, query, values, valueRows } = view.statement;
  const names = columns.length > 0 ? columns : view.statement.outputColumns;
  return {
    at: clauseOf(view, conflict),
    isWhole: true,
    rows: query,
    columns: key.map((name) => {
      const place = names.indexOf(name);
      return {
        name,
        origin: query === undefined || place === -1 ? undefined : columnOrigin(query, place),
        value: valueRows > 0 && place !== -1 ? values[place] : undefined,
        equality: undefined,
      };
    }),
  };
}

/** `ON CONFLICT (a, b)` in front of the action; the action where nothing of the kind stands there. */
function clauseOf({ sql, statement }: StatementView, action: Span): Span {
  const before = sql.masked.text.slice(statement.start, action.start);
  const clause = /\bon\s+conflict\b[^;]*$/i.exec(before);
  if (clause === null) return action;
  const start = statement.start + clause.index;
  return { start, end: start + clause[0].trimEnd().length };
}

function mergeKey(view: StatementView): UpsertKey | undefined {
  const { on, branches, query, from, with: common } = view.statement;
  const [first] = on;
  const last = on.at(-1);
  if (first === undefined || last === undefined || !branches.some(({ action }) => action === 'insert'))
    return undefined;
  const source = from[0];
  const rows =
    query ??
    (source?.kind === 'table' && source.cte !== undefined
      ? common.find(({ name }) => name === source.cte)?.query
      : undefined);
  const columns = on.flatMap((conjunct): readonly KeyColumn[] => {
    const sides = sidesOf(view, conjunct);
    if (sides === undefined) return [];
    const origin = rows && columnOrigin(rows, sides.source, common);
    return [{ name: sides.target, origin, value: undefined, equality: conjunct }];
  });
  return {
    at: { start: wordBefore(view, first.start), end: closing(view, last.end) },
    isWhole: columns.length === on.length,
    columns,
    rows,
  };
}

/** The two columns of `t.id = s.id`, either way round. */
function sidesOf(
  view: StatementView,
  conjunct: SqlExpression,
): { readonly target: string; readonly source: string } | undefined {
  if (conjunct.kind !== 'binary' || (conjunct.operator !== '=' && conjunct.operator !== '==')) return undefined;
  const { left, right } = conjunct;
  if (left.kind !== 'column' || right.kind !== 'column') return undefined;
  const [first, second] = [isTarget(view, left.qualifier), isTarget(view, right.qualifier)];
  if (first === second) return undefined;
  return first ? { target: left.name, source: right.name } : { target: right.name, source: left.name };
}

function isTarget(view: StatementView, qualifier: string | undefined): boolean {
  const { target, targetAlias } = view.statement;
  if (target === undefined || qualifier === undefined) return false;
  if (targetAlias !== undefined) return qualifier === targetAlias;
  return sameTable(tableKey(view, target), qualifier) || lastPart(target.name) === qualifier;
}

/** From the `ON` in front of the condition, brackets between them included. */
function wordBefore({ sql, statement }: StatementView, at: number): number {
  const word = /\bon[\s(]*$/i.exec(sql.masked.text.slice(statement.start, at));
  return word === null ? at : statement.start + word.index;
}

/** Behind the brackets that the condition closes. */
const closing = ({ sql }: StatementView, at: number): number =>
  at + (/^(?:\s*\))*/.exec(sql.masked.text.slice(at))?.[0].length ?? 0);

/** A task's own statement that fills the table which a MERGE takes its rows from. */
export function filledBefore(task: TaskView, view: StatementView): StatementView | undefined {
  const source = view.statement.from[0];
  if (source?.kind !== 'table' || source.cte !== undefined) return undefined;
  const key = tableKey(view, source.table);
  const fills = task.statements.filter(
    (other) =>
      other.order < view.order &&
      other.statement.query !== undefined &&
      /^(?:insert|create_table_as)$/.test(other.statement.kind) &&
      other.statement.targets.some((target) => sameTable(tableKey(other, target), key)),
  );
  return fills.length === 1 ? fills[0] : undefined;
}
