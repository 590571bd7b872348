import type { CommonTable, FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { blocksBelow, within } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';

/**
 * Whether an INSERT leaves out the rows for which it finds one in its own target (NOT IN, NOT EXISTS, an anti-join, EXCEPT), in
 * its query or where all of the query's rows come from. Whether what it looks for is what it adds is not asked.
 */
export function leavesOutOwn(statement: Statement, text: string): boolean {
  const { kind, target, query } = statement;
  if (kind !== 'insert' || target === undefined || query === undefined) return false;
  const common = [...statement.with, ...query.with];
  return isGuarded(query, {
    target: target.name,
    common,
    text,
    known: new Map(),
    reading: readingTarget(common, target.name),
  });
}

interface Scope {
  readonly target: string;
  readonly common: readonly CommonTable[];
  readonly text: string;
  /** Common tables that read the target, themselves or through others. */
  readonly reading: ReadonlySet<string>;
  /** Whether a common table is guarded, as far as it was asked; one that names itself is not. */
  readonly known: Map<string, boolean>;
}

function readingTarget(common: readonly CommonTable[], target: string): ReadonlySet<string> {
  const reading = new Set<string>();
  const tables = common.map(({ name, query }) => ({ name, items: blocksBelow(query).flatMap(({ from }) => from) }));
  for (let before = -1; before < reading.size; ) {
    before = reading.size;
    for (const { name, items } of tables) if (items.some((item) => names(item, target, reading))) reading.add(name);
  }
  return reading;
}

const names = (item: FromItem, target: string, reading: ReadonlySet<string>): boolean =>
  item.kind === 'table' && (item.cte === undefined ? item.table.name === target : reading.has(item.cte));

function isGuarded(block: QueryBlock, scope: Scope): boolean {
  const leftOver = block.then.some(({ operator, query }) => operator === 'except' && readsTarget(query, scope));
  if (leftOver) return true;
  if (!block.then.every(({ query }) => isGuarded(query, scope))) return false;
  if (block.where.some((conjunct) => asksForNone(conjunct, scope))) return true;
  const isJoined = block.from.some((item) => item.join === 'left' && shows(item, scope));
  if (isJoined && block.where.some((conjunct) => asksForNull(conjunct, scope))) return true;
  return block.from.some((item) => needed.has(item.join) && comesGuarded(item, scope));
}

function comesGuarded(item: FromItem, scope: Scope): boolean {
  if (item.kind === 'query') return isGuarded(item.query, scope);
  if (item.kind !== 'table' || item.cte === undefined) return false;
  const found = scope.common.find(({ name }) => name === item.cte);
  const known = scope.known.get(item.cte);
  if (known !== undefined || found === undefined) return known ?? false;
  scope.known.set(item.cte, false);
  const guarded = isGuarded(found.query, scope);
  scope.known.set(item.cte, guarded);
  return guarded;
}

function asksForNone(condition: SqlExpression, scope: Scope): boolean {
  const asked = askedForNone(condition);
  return asked !== undefined && readsTarget(asked.query, scope);
}

/**
 * The query of which a condition asks that it gives no row: `NOT EXISTS (SELECT …)`, `key NOT IN (SELECT key …)` with the key as
 * `operand`, `(SELECT count(*) …) = 0`.
 */
export function askedForNone(
  one: SqlExpression,
  negated = false,
): { readonly query: QueryBlock; readonly operand: SqlExpression | undefined } | undefined {
  if (one.kind === 'unary' && one.operator === 'not') return askedForNone(one.operand, !negated);
  if (one.kind === 'binary' && !negated) {
    const { left, right, operator } = one;
    const isNone = right.kind === 'literal' && `${operator} ${right.text}`;
    return left.kind === 'subquery' && isCount(left.query) && (isNone === '= 0' || isNone === '< 1')
      ? { query: left.query, operand: undefined }
      : undefined;
  }
  if ((one.kind !== 'exists' && one.kind !== 'in') || one.negated === negated || one.query === undefined)
    return undefined;
  return { query: one.query, operand: one.kind === 'in' ? one.operand : undefined };
}

/** `SELECT count(*) …`, which counts the rows that the query would give. */
function isCount({ select, groupBy, having, then }: QueryBlock): boolean {
  const [only, ...others] = select;
  const counted = only?.expression;
  return (
    others.length + groupBy.length + having.length + then.length === 0 &&
    counted?.kind === 'call' &&
    counted.name === 'count' &&
    !counted.filtered &&
    counted.window === undefined &&
    counted.arguments.every(({ kind }) => kind === 'star' || kind === 'literal')
  );
}

const asksForNull = (condition: SqlExpression, { text }: Scope): boolean =>
  within(condition).some(({ start, end }) => /\bis\s+null\b/i.test(text.slice(start, end)));

const readsTarget = (block: QueryBlock, { target, reading }: Scope): boolean =>
  blocksBelow(block).some(({ from }) => from.some((item) => names(item, target, reading)));

const shows = (item: FromItem, scope: Scope): boolean =>
  item.kind === 'query' ? readsTarget(item.query, scope) : names(item, scope.target, scope.reading);

const needed: ReadonlySet<string> = new Set(['first', 'inner', 'comma', 'cross']);
