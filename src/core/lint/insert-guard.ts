import type { SqlExpression } from '../sql/expression.ts';
import type { QueryBlock } from '../sql/query-block.ts';
import type { Span } from '../text/span.ts';
import type { LintContext, TaskView } from './lint-context.ts';
import { isRetention } from './retention.ts';
import { blocksBelow, blocksOf, filtersOf, queriesIn, within } from './sql-search.ts';
import { type StatementView, sameTable, sourceText, tableKey, writesTo } from './statement-view.ts';

/**
 * Why a second run of this INSERT adds no row twice: something of the same run empties its target, or the INSERT
 * itself leaves out what is there. `undefined` when nothing does.
 */
export function insertGuard(
  context: LintContext,
  task: TaskView,
  view: StatementView,
  key: string,
): string | undefined {
  if (view.statement.conflict !== undefined) return 'upsert';
  if (readsTargetAsGuard(view, key)) return 'anti-join';
  const own = task.statements.filter((other) => other !== view);
  if (own.some((other) => other.order < view.order && clearsSource(other, view, key))) return 'anti-join before';
  // Code that updates a row and inserts it where there was none: the condition is Python's.
  const byRow = view.statement.valueRows > 0 && view.sql.session !== undefined;
  if (byRow && own.some((other) => other.statement.kind === 'update' && writesTo(other, key)))
    return 'update or insert';
  if (own.some((other) => empties(other, key) || deletesSameRows(other, view, key))) return 'emptied in the task';
  if (own.some((other) => moves(other, key))) return 'moved in the task';
  if (context.runEarlier(task, key).some((other) => empties(other, key))) return 'emptied upstream';
  if (context.emptyingBefore(task, key).some((other) => emptiesByOperator(other, key))) return 'emptied upstream';
  if (context.runLater(task, key).some((other) => moves(other, key) || dropsWhole(other, key)))
    return 'used up downstream';
  return undefined;
}

/** DELETE, TRUNCATE, DROP or a CREATE that is not conditional; also a DELETE inside another statement's WITH. */
export function empties(view: StatementView, key: string): boolean {
  const { statement } = view;
  switch (statement.kind) {
    case 'delete':
      return writesTo(view, key) && !isRetention(statement);
    case 'truncate':
    case 'drop':
    case 'create_table_as':
    case 'insert_overwrite':
    case 'insert_replace_where':
      return writesTo(view, key);
    case 'create_table':
      return writesTo(view, key) && (!statement.ifNotExists || statement.temporary);
    case 'alter_partition':
      return writesTo(view, key) && /\b(drop|truncate)\b/i.test(sourceText(view, statement));
    case 'do':
    case 'other':
      // Bodies of procedures and blocks are not read as statements; a DELETE in them still counts.
      return deletesInside(view, key);
    default:
      return false;
  }
}

const emptyingOperator = /delete|truncate|drop|clear|clean|empty/i;

/** An operator whose name says that it empties what one of its arguments names, or a command that holds such SQL. */
function emptiesByOperator({ task }: TaskView, key: string): boolean {
  const sql = new RegExp(
    `\\b(delete\\s+from|truncate(\\s+table)?|drop\\s+table(\\s+if\\s+exists)?)\\s+["\`]?${escaped(key)}\\b`,
    'i',
  );
  return task.arguments.some(({ value, name }) => {
    if (value.kind !== 'literal' || typeof value.value !== 'string') return false;
    const names =
      emptyingOperator.test(task.operator) && name !== 'task_id' && sameTable(value.value.toLowerCase(), key);
    return names || sql.test(value.value);
  });
}

/** A DELETE by the very predicates of the INSERT replaces its rows, also where the range is open to the past. */
function deletesSameRows(other: StatementView, view: StatementView, key: string): boolean {
  if (other.statement.kind !== 'delete' || other.statement.where.length === 0 || !writesTo(other, key)) return false;
  const plain = (of: StatementView, span: Span): string =>
    sourceText(of, span)
      .replace(/\s+/g, ' ')
      .replace(/\b\w+\./g, '')
      .toLowerCase();
  const filters = new Set(filtersOf(view.statement).map(({ conjunct }) => plain(view, conjunct)));
  return other.statement.where.every((conjunct) => filters.has(plain(other, conjunct)));
}

/** Takes the whole table somewhere else: renamed, swapped, exchanged or attached, so that each run fills a fresh one. */
const moves = (view: StatementView, key: string): boolean => {
  const { kind, renamedTo } = view.statement;
  if (!/^(rename|alter_rename|alter_swap|alter_append|alter_partition)$/.test(kind)) return false;
  if (writesTo(view, key) && kind !== 'alter_partition') return true;
  if (renamedTo !== undefined && sameTable(renamedTo, key)) return true;
  return (
    kind === 'alter_partition' &&
    /\b(attach|exchange|move)\b/i.test(sourceText(view, view.statement)) &&
    mentions(view, key)
  );
};

const dropsWhole = (view: StatementView, key: string): boolean => {
  const { kind, where } = view.statement;
  return writesTo(view, key) && (kind === 'drop' || kind === 'truncate' || (kind === 'delete' && where.length === 0));
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const mentions = (view: StatementView, key: string): boolean =>
  new RegExp(`(^|[^\\w.])${escaped(key)}($|[^\\w.])`, 'i').test(sourceText(view, view.statement).replace(/["`]/g, ''));

/** Asked of every INSERT: most texts hold none of the words, and need no pattern of their own. */
const deletingWord = /\b(delete|truncate|update)\b/i;

function deletesInside(view: StatementView, key: string): boolean {
  const text = sourceText(view, view.statement);
  if (!deletingWord.test(text)) return false;
  return new RegExp(
    `\\b(delete\\s+from\\s+(only\\s+)?|truncate\\s+(table\\s+)?|update\\s+(only\\s+)?)${escaped(key)}($|[^\\w.])`,
    'i',
  ).test(text.replace(/["`]/g, ''));
}

/**
 * An earlier statement takes out of the INSERT's source what the target has already: a DELETE from a working table, or
 * a working table that was filled through an anti-join.
 */
function clearsSource(other: StatementView, view: StatementView, key: string): boolean {
  const sources = view.statement.reads.map((read) => tableKey(view, read));
  if (!sources.some((source) => !sameTable(source, key) && writesTo(other, source))) return false;
  if (other.statement.kind !== 'delete') return readsTargetAsGuard(other, key);
  return other.statement.reads.some((read) => sameTable(tableKey(other, read), key)) || mentions(other, key);
}

/** The INSERT looks into its own target to leave out what is there, or deletes from it in its own WITH. */
function readsTargetAsGuard(view: StatementView, key: string): boolean {
  if (deletesInside(view, key)) return true;
  const readsTarget = (block: QueryBlock): boolean =>
    [...blocksBelow(block)].some((one) =>
      one.from.some(
        (item) => item.kind === 'table' && item.cte === undefined && sameTable(tableKey(view, item.table), key),
      ),
    );
  for (const block of blocksOf(view.statement)) {
    const guardNames = new Set(block.with.filter((common) => readsTarget(common.query)).map((common) => common.name));
    const commons = (view.statement.query?.with ?? []).filter((common) => readsTarget(common.query));
    for (const common of commons) guardNames.add(common.name);
    const guards = (query: QueryBlock): boolean =>
      readsTarget(query) ||
      [...blocksBelow(query)].some((one) =>
        one.from.some((item) => item.kind === 'table' && item.cte !== undefined && guardNames.has(item.cte)),
      );
    for (const conjunct of [...block.where, ...block.having, ...block.qualify]) {
      for (const query of queriesIn(conjunct)) if (guards(query)) return true;
    }
    if (block.then.some(({ operator, query }) => operator === 'except' && guards(query))) return true;
    const joined = block.from.some(
      (item) =>
        (item.join === 'left' || item.join === 'right' || item.join === 'full') &&
        ((item.kind === 'query' && guards(item.query)) ||
          (item.kind === 'table' &&
            (item.cte === undefined ? sameTable(tableKey(view, item.table), key) : guardNames.has(item.cte)))),
    );
    if (joined && block.where.some((conjunct) => asksForNull(view, conjunct))) return true;
  }
  return false;
}

const asksForNull = (view: StatementView, conjunct: SqlExpression): boolean =>
  [...within(conjunct)].some((one) => /\bis\s+null\b/i.test(sourceText(view, one)));
