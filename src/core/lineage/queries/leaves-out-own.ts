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
  if (block.where.some((conjunct) => asksForNone(conjunct, false, scope))) return true;
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

/** `NOT EXISTS (SELECT … FROM target)`, `key NOT IN (SELECT key FROM target)`. */
function asksForNone(condition: SqlExpression, negated: boolean, scope: Scope): boolean {
  if (condition.kind === 'unary' && condition.operator === 'not')
    return asksForNone(condition.operand, !negated, scope);
  if (condition.kind !== 'exists' && condition.kind !== 'in') return false;
  return condition.negated !== negated && condition.query !== undefined && readsTarget(condition.query, scope);
}

const asksForNull = (condition: SqlExpression, { text }: Scope): boolean =>
  within(condition).some(({ start, end }) => /\bis\s+null\b/i.test(text.slice(start, end)));

const readsTarget = (block: QueryBlock, { target, reading }: Scope): boolean =>
  blocksBelow(block).some(({ from }) => from.some((item) => names(item, target, reading)));

const shows = (item: FromItem, scope: Scope): boolean =>
  item.kind === 'query' ? readsTarget(item.query, scope) : names(item, scope.target, scope.reading);

const needed: ReadonlySet<string> = new Set(['first', 'inner', 'comma', 'cross']);
