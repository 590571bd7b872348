import { viewDefinition } from '../../lineage/queries/view-definition.ts';
import type { FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { blocksBelow, blocksOf, queriesIn, tablesOf, within } from '../../sql/model/sql-search.ts';
import type { LintContext } from '../context/lint-context.ts';
import { lastPart, type StatementView, sameTable, sourceText, tableKey } from '../source/statement-view.ts';
import { nestedDeletes } from './nested-deletes.ts';

/**
 * The INSERT looks into its own target, itself or through views of the workspace, to leave out what is there, or
 * deletes from it in its own WITH.
 */
export function readsTargetAsGuard(context: LintContext, view: StatementView, key: string): boolean {
  if (nestedDeletes(view, key)) return true;
  const views = viewsThatRead(context, key);
  const shows = (item: FromItem): boolean => {
    if (item.kind !== 'table' || item.cte !== undefined) return false;
    const name = tableKey(view, item.table);
    return sameTable(name, key) || views.some((one) => sameTable(one.name, name));
  };
  const readsTarget = (block: QueryBlock): boolean => blocksBelow(block).some((one) => one.from.some(shows));
  for (const block of blocksOf(view.statement)) {
    const guardNames = new Set(block.with.filter((common) => readsTarget(common.query)).map((common) => common.name));
    const commons = (view.statement.query?.with ?? []).filter((common) => readsTarget(common.query));
    for (const common of commons) guardNames.add(common.name);
    const namesGuard = (item: FromItem): boolean =>
      item.kind === 'table' && item.cte !== undefined && guardNames.has(item.cte);
    const guards = (query: QueryBlock): boolean =>
      readsTarget(query) || blocksBelow(query).some((one) => one.from.some(namesGuard));
    for (const conjunct of [...block.where, ...block.having, ...block.qualify]) {
      for (const query of queriesIn(conjunct)) if (guards(query)) return true;
    }
    if (block.then.some(({ operator, query }) => operator === 'except' && guards(query))) return true;
    const outer = block.from.filter(({ join }) => join === 'left' || join === 'right' || join === 'full');
    const isJoined = outer.some((item) =>
      item.kind === 'query' ? guards(item.query) : shows(item) || namesGuard(item),
    );
    if (isJoined && block.where.some((conjunct) => asksForNull(view, conjunct))) return true;
    const current = tablesOf({ ...block, from: outer }).filter(({ table }) =>
      views.some(({ name, chooses }) => chooses && sameTable(name, tableKey(view, table))),
    );
    if (current.some((item) => block.where.some((conjunct) => asksForChange(view, conjunct, item)))) return true;
  }
  return false;
}

/** It joins its own target and keeps what differs from the row there: equal rows stay out, changed ones come as often as they are asked for. */
export function comparesWithTarget(view: StatementView, key: string): boolean {
  return blocksOf(view.statement).some((block) => {
    const outer = block.from.filter(({ join }) => join === 'left' || join === 'right' || join === 'full');
    const own = tablesOf({ ...block, from: outer }).filter(({ table }) => sameTable(tableKey(view, table), key));
    return own.some((item) => block.where.some((conjunct) => asksForChange(view, conjunct, item)));
  });
}

type TableItem = Extract<FromItem, { kind: 'table' }>;

/** A view of the workspace that shows rows of a table as they are when it is read. */
interface ShowingView {
  readonly name: string;
  /** It shows a choice of the rows, such as the latest of each key, rather than all there ever were. */
  readonly chooses: boolean;
}

/** Views over views beyond this are not followed. */
const maxViews = 4;

function viewsThatRead(context: LintContext, key: string, depth = 0): readonly ShowingView[] {
  if (depth >= maxViews) return [];
  return context.viewsOn(key).flatMap((other): readonly ShowingView[] => {
    const { target, reads } = other.statement;
    const definition = viewDefinition(other.statement, other.sql);
    if (target === undefined || definition === undefined) return [];
    if (!reads.some((read) => sameTable(tableKey(other, read), key))) return [];
    const name = tableKey(other, target);
    const chooses = blocksBelow(definition.query).some((block) => choosesRows(other, block));
    const above = viewsThatRead(context, name, depth + 1);
    return [{ name, chooses }, ...above.map((one) => ({ ...one, chooses: one.chooses || chooses }))];
  });
}

const choosesRows = (view: StatementView, block: QueryBlock): boolean =>
  block.distinct ||
  [block.where, block.having, block.qualify, block.groupBy].some((clause) => clause.length > 0) ||
  /\bdistinct\s+on\b/i.test(sourceText(view, block));

const asksForNull = (view: StatementView, conjunct: SqlExpression): boolean =>
  within(conjunct).some((one) => /\bis\s+null\b/i.test(sourceText(view, one)));

/** `coalesce(joined.hash, '') <> s.hash`, `joined.hash IS DISTINCT FROM s.hash`: keeps what is new or has changed. */
function asksForChange(view: StatementView, conjunct: SqlExpression, { alias, table }: TableItem): boolean {
  const text = sourceText(view, conjunct);
  const ofItem = within(conjunct).some(
    (one) => one.kind === 'column' && one.qualifier === (alias ?? lastPart(table.name)),
  );
  if (!ofItem) return false;
  const isPresumed = /\b(?:coalesce|ifnull|nvl|isnull)\s*\(/i.test(text) && /<>|!=|\bnot\s+like\b/i.test(text);
  return isPresumed || /\bis\s+distinct\s+from\b/i.test(text);
}
