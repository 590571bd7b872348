import type { CommonTable, FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { lastNamePart } from '../../sql/model/name-parts.ts';
import { within } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { TableReference } from '../../sql/model/table-reference.ts';

/**
 * Whether a statement makes rows or values of those that a table holds. A condition that only leaves rows out for which the
 * table has one (NOT EXISTS, NOT IN, an anti-join, EXCEPT) makes nothing of them, unless a LIMIT picks among what is left;
 * nor does a DELETE. `text` is what the offsets refer to.
 */
export function buildsOn(statement: Statement, text: string, isOwn: (table: TableReference) => boolean): boolean {
  const { kind, query, with: with_, from, assignments, branches, conflict, modifying } = statement;
  if (kind === 'delete') return false;
  const scope: Scope = {
    isOwn,
    text,
    common: new Map([...with_, ...(query?.with ?? [])].map((one) => [one.name, one])),
    // RETURNING hands old rows on.
    taken: modifying.filter(({ kind, target }) => handsOn.has(kind) && target !== undefined && isOwn(target)),
  };
  const values = [
    ...statement.values,
    ...assignments.map(({ value }) => value),
    ...branches.flatMap((one) => one.values),
  ];
  const conditions = [
    ...statement.where,
    ...statement.on,
    ...(conflict?.where ?? []),
    ...branches.flatMap(({ condition }) => condition),
  ];
  return (
    (query !== undefined && blockBuilds(query, scope, false)) ||
    from.some((item) => itemBuilds(item, scope, false)) ||
    values.some((one) => asks(one, scope, 'value')) ||
    conditions.some((one) => asks(one, scope, 'condition'))
  );
}

const handsOn: ReadonlySet<Statement['kind']> = new Set(['delete', 'update', 'merge']);

interface Scope {
  readonly isOwn: (table: TableReference) => boolean;
  readonly text: string;
  readonly common: ReadonlyMap<string, CommonTable>;
  readonly taken: readonly Statement[];
}

/** `isPicked`: a LIMIT around it picks among its rows. */
function blockBuilds(block: QueryBlock, outer: Scope, isPicked: boolean): boolean {
  const scope =
    block.with.length === 0
      ? outer
      : { ...outer, common: new Map([...outer.common, ...block.with.map((one) => [one.name, one] as const)]) };
  const picked = isPicked || block.limit !== undefined;
  const as = picked ? 'value' : 'condition';
  const values = [
    ...block.select.map(({ expression }) => expression),
    ...block.groupBy,
    ...block.having,
    ...(block.orderBy?.by ?? []),
  ];
  return (
    block.from.some((item) => !isAntiJoin(item, block, scope, picked) && itemBuilds(item, scope, picked)) ||
    block.then.some(({ operator, query }) => (operator !== 'except' || picked) && blockBuilds(query, scope, picked)) ||
    values.some((one) => asks(one, scope, 'value')) ||
    [...block.where, ...block.qualify, ...block.from.flatMap(({ on }) => on)].some((one) => asks(one, scope, as))
  );
}

function itemBuilds(item: FromItem, scope: Scope, isPicked: boolean): boolean {
  if (item.kind === 'query') return blockBuilds(item.query, scope, isPicked);
  if (item.kind !== 'table') return false;
  if (item.cte === undefined) return scope.isOwn(item.table);
  const found = scope.common.get(item.cte);
  if (found === undefined) return false;
  const { start, end } = found.query;
  if (scope.taken.some((one) => start <= one.start && one.end <= end)) return true;
  // One that names itself is asked once.
  const rest = new Map(scope.common);
  rest.delete(item.cte);
  return blockBuilds(found.query, { ...scope, common: rest }, isPicked);
}

/** `LEFT JOIN target t … WHERE t.id IS NULL`, without any value of the target among those that are given. */
function isAntiJoin(item: FromItem, { where, select }: QueryBlock, { text }: Scope, isPicked: boolean): boolean {
  if (isPicked || item.join !== 'left') return false;
  const name = item.alias ?? (item.kind === 'table' ? lastNamePart(item.table.name) : undefined);
  const isGiven = select
    .flatMap(({ expression }) => within(expression))
    .some(
      (one) => (one.kind === 'column' || one.kind === 'star') && one.qualifier !== undefined && one.qualifier === name,
    );
  return !isGiven && where.some(({ start, end }) => /\bis\s+null\b/i.test(text.slice(start, end)));
}

/** Queries inside an expression; as a condition it may ask that there is none. */
function asks(expression: SqlExpression, scope: Scope, as: 'value' | 'condition'): boolean {
  const inside = within(expression);
  const denied = new Set(inside.flatMap((one) => (one.kind === 'unary' && one.operator === 'not' ? one.operand : [])));
  return inside.some((one) => {
    if (one.kind !== 'subquery' && one.kind !== 'exists' && one.kind !== 'in') return false;
    if (one.query === undefined) return false;
    const asksForNone = one.kind !== 'subquery' && one.negated !== denied.has(one);
    return !(as === 'condition' && asksForNone) && blockBuilds(one.query, scope, false);
  });
}
