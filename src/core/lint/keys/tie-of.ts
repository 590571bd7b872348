import { queryOf } from '../../lineage/columns/query-scope.ts';
import { isSliceColumn } from '../../lineage/facts/table-roles.ts';
import type { CommonTable, QueryBlock, SelectItem, SqlExpression } from '../../sql/model/expression.ts';
import { blocksOf, within } from '../../sql/model/sql-search.ts';
import type { LintContext } from '../context/lint-context.ts';
import { type StatementView, sourceText, tableKey } from '../source/statement-view.ts';
import type { Pick } from './picks.ts';
import { isConstant, volatileValue } from './volatile-value.ts';

/** Why it is left to chance which of several rows a statement keeps. */
export type Tie =
  /** The order itself is drawn by lot. */
  | { readonly kind: 'random' }
  /** Nothing orders the rows. */
  | { readonly kind: 'unordered' }
  /** Rows that are alike in these stand in any order, as they are written; `unique` are the columns that would tell them apart. */
  | { readonly kind: 'equal'; readonly by: readonly string[]; readonly unique: readonly string[] | undefined };

/** `undefined` where the order tells all rows apart, where it makes no difference which is kept, and where it is not known. */
export function tieOf(context: LintContext, view: StatementView, pick: Pick): Tie | undefined {
  const { block } = pick;
  const order = (pick.order?.by ?? []).map((one) => (pick.by === 'row_number' ? one : meant(block, one)));
  if (order.some((one) => volatileValue(view, one)?.kind === 'random')) return { kind: 'random' };
  const ordering = order.filter((one) => !isConstant(one));
  if ([...ordering, ...pick.within].some(isUnread)) return undefined;
  const columns = namesIn(ordering);
  if (columns.some(mayBeUnique)) return undefined;
  const known = new Set([...columns, ...namesIn(pick.within)]);
  const scope = view.statement.query?.with ?? view.statement.with;
  const unique = uniqueSets(context, view, block, scope);
  if (unique.some((names) => names.every((name) => known.has(name)))) return undefined;
  if (isIndifferent(view, pick, known)) return undefined;
  if (ordering.length === 0) return { kind: 'unordered' };
  return {
    kind: 'equal',
    by: ordering.map((one) => inWords(view, one)),
    unique: unique[0]?.filter((name) => !known.has(name)),
  };
}

/** A column by its name; rows that are alike in a value made of columns need not be so in the columns. */
const inWords = (view: StatementView, expression: SqlExpression): string => {
  const text = sourceText(view, expression).replace(/\s+/g, ' ');
  return expression.kind === 'column' ? expression.name : text.length <= longest ? text : `${text.slice(0, longest)}…`;
};

/** Of a value in a message, in characters. */
const longest = 50;

/** What an item of a query's ORDER BY stands for: a place in the select list, or a name given there. */
function meant(block: QueryBlock, expression: SqlExpression): SqlExpression {
  if (expression.kind === 'literal' && expression.type === 'number')
    return block.select[Number(expression.text) - 1]?.expression ?? expression;
  if (expression.kind !== 'column' || expression.qualifier !== undefined) return expression;
  return (
    block.select.find(({ name, alias }) => alias !== undefined && name === expression.name)?.expression ?? expression
  );
}

const isUnread = (expression: SqlExpression): boolean =>
  within(expression).some(({ kind }) => /^(?:hole|template-string|opaque|subquery)$/.test(kind));

const namesIn = (expressions: readonly SqlExpression[]): readonly string[] => [
  ...new Set(expressions.flatMap(within).flatMap((one) => (one.kind === 'column' ? [one.name] : []))),
];

/** As far as its name tells a column may be another one in each row, or in each row of a day. */
const mayBeUnique = (name: string): boolean =>
  isSliceColumn(name) ||
  /id$|(?:^|_)(?:uuid|guid|key|sk|pk|seq|sequence|seqno|offset|lsn|scn|dsn|gtid|binlog\w*|row_?num(?:ber)?|rn|row|line|version|ver|revision|hash|md5|sha\d*|checksum|position|pos|index|idx|ordinal|number|num|no|nr|nbr|code|token|ctid)$/.test(
    name,
  );

/** Sets of columns that are together another one in each row of what a block orders. */
function uniqueSets(
  context: LintContext,
  view: StatementView,
  block: QueryBlock,
  outer: readonly CommonTable[],
  depth = 0,
): readonly (readonly string[])[] {
  if (block.groupBy.length > 0) {
    const groups = block.groupBy.map((one) => meant(block, one));
    return groups.some((one) => one.kind !== 'column') ? [] : [namesIn(groups)];
  }
  const [only] = block.from;
  if (only === undefined || block.from.length > 1 || depth > 4) return [];
  if (only.kind === 'table' && only.cte === undefined) return context.table(tableKey(view, only.table))?.keys ?? [];
  const scope = [...block.with, ...outer];
  const inner = queryOf(only, scope)?.query;
  if (inner === undefined || inner.then.length > 0) return [];
  if (inner.distinct && inner.distinctOn === undefined) return [inner.select.map((item) => item.name ?? '*')];
  const below = uniqueSets(context, view, inner, scope, depth + 1);
  // Only what comes up under its own name still tells the rows apart.
  const carried = (name: string): boolean =>
    inner.select.some(
      ({ expression, name: own }) =>
        expression.kind === 'star' || (own === name && expression.kind === 'column' && expression.name === name),
    );
  return below.filter((names) => names.every(carried));
}

/** What is taken of the rows is the same in all that are alike, or nothing is. */
function isIndifferent(view: StatementView, { block, number }: Pick, known: ReadonlySet<string>): boolean {
  const items = block.select.filter((item) => item !== number);
  // Engines that let an item name another one of the list: what is made of the key alone is the same in all alike.
  const aliased = usesAliases.has(view.sql.dialect)
    ? items.flatMap(({ alias, name, expression }) =>
        alias !== undefined && name !== undefined && namesIn([expression]).every((one) => known.has(one)) ? [name] : [],
      )
    : [];
  const isKnown = (names: readonly string[]): boolean =>
    names.every((name) => known.has(name) || aliased.includes(name));
  if (isPlain(items) && isKnown(namesIn(items.map(({ expression }) => expression)))) return true;
  if (block.groupBy.length === 0 && items.length > 0 && items.every(isAggregate)) return true;
  const users = blocksOf(view.statement).filter((other) => other !== block && reads(view, other, block));
  if (users.length === 0) return false;
  return users.every((user) => {
    const used = [
      ...user.select.map(({ expression }) => expression),
      ...user.where,
      ...user.groupBy,
      ...user.from.flatMap(({ on }) => on),
    ];
    return (
      user.from.length === 1 && isPlain(user.select) && isKnown(namesIn(used).filter((name) => name !== number?.name))
    );
  });
}

/** A name of the select list stands in it for its expression, unless a table has a column of that name. */
const usesAliases: ReadonlySet<string> = new Set(['ansi', 'snowflake', 'redshift', 'spark', 'duckdb']);

const isPlain = (items: readonly SelectItem[]): boolean =>
  items.every(({ expression }) => within(expression).every(({ kind }) => !/^(?:star|subquery|opaque)$/.test(kind)));

const isAggregate = ({ expression }: SelectItem): boolean =>
  within(expression).some(
    (one) =>
      one.kind === 'call' &&
      one.window === undefined &&
      /^(?:count|sum|min|max|avg|bool_and|bool_or|any_value)$/.test(one.name),
  );

/** Whether a block has another one in its FROM. */
const reads = (view: StatementView, user: QueryBlock, block: QueryBlock): boolean => {
  const commons = [...user.with, ...(view.statement.query?.with ?? []), ...view.statement.with];
  return user.from.some((item) => queryOf(item, commons)?.query === block);
};
