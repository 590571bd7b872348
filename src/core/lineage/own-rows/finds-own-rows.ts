import type { CommonTable, FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { blocksBelow, blocksOf } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { WriteFact } from '../facts/facts.ts';
import { readTerm } from '../repeats/read-term.ts';
import { placeOf, type RowScope, scopeOf } from '../repeats/row-scope.ts';
import { apply, ownColumns, type Term, termsIn, valueTerm } from '../repeats/term.ts';
import { askedForNone, leavesOutOwn } from './leaves-out-own.ts';
import { holdsForOwn, isOpen, plain, readingOf, type StatementOfTask, sameName, terms, writtenRow } from './own-row.ts';

/**
 * Whether an INSERT that leaves out rows for which it finds one in its own target finds those that it has put there itself.
 * A guard that looks at other days only, for other values than are written, or compares with the time of the run, finds
 * none of them, so that a second run adds them again; one that looks for what is NULL finds some of them not.
 * `undefined`: it cannot be told. `columns`: those of the table in order, where they are known.
 */
export function findsOwnRows(statement: Statement, text: string, columns: readonly string[]): boolean | undefined {
  const { query, target } = statement;
  if (query === undefined || target === undefined) return undefined;
  const isSame = (name: string): boolean => name === target.name;
  const reading = readingOf(isSame);
  const common = [...statement.with, ...query.with];
  const scopeOfBlock = (block: QueryBlock, outer?: RowScope): RowScope =>
    scopeOf(placeOf(block, text, common, new Map(), outer), reading);
  const starAt = (index: number): string =>
    columns[index] ?? statement.columns[index] ?? query.select[index]?.name ?? `#${index}`;
  const looking: Looking = { isSame, text, common, scopeOfBlock, starAt };
  const blocks = blocksOf(statement);
  const clock = statement.nondeterministic
    .filter(({ family }) => family === 'clock')
    .map(({ start, end }) => text.slice(start, end).replace(/\s+/g, ' '));
  const source = blocks
    .flatMap((block) => block.where.map((one) => plain(readTerm(one, scopeOfBlock(block), terms))))
    .filter((one) => one.kind === 'apply' && ownColumns(one).size === 0 && !isOpen(one));
  const commonBlocks = statement.with.flatMap((table) => blocksBelow(table.query));
  const left = query.then.filter(({ operator }) => operator === 'except');
  // Each part of a UNION has guards of its own.
  const parts = [query, ...query.then.flatMap((next) => (next.operator === 'except' ? [] : [next.query]))];
  const found = parts.map((part): boolean | undefined => {
    // biome-ignore lint/suspicious/noThenProperty: a list, nothing that await would call
    const whole = { ...part, then: [...part.then, ...(part === query ? [] : left)] };
    const guards = [whole, ...blocksBelow(part, true).slice(1), ...commonBlocks].flatMap((one) =>
      guardsIn(one, looking),
    );
    const asked = guards.flatMap((asks) => asks.flatMap((one) => [...ownColumns(one)]));
    const { row, assumed } = writtenRow(statement, part, scopeOfBlock(part), columns, text);
    const rows = new Map([
      ...asked.filter((column) => assumed && !row.has(column)).map((column) => [column, sameName(column)] as const),
      ...row,
    ]);
    const ofGuards = guards.map((asks) => {
      // Rows that are stamped with the time of their run are found as long as the guard looks back.
      if (asks.some((one) => looksBackFromClock(one, rows, clock))) return undefined;
      const holds = holdsForOwn(asks, source, rows);
      const isAssumed = asks.some((one) => [...ownColumns(one)].some((column) => !row.has(column)));
      return holds === false && isAssumed ? undefined : holds;
    });
    if (ofGuards.includes(true)) return true;
    return ofGuards.length === 0 || ofGuards.includes(undefined) ? undefined : false;
  });
  if (found.includes(false)) return false;
  return found.includes(undefined) ? undefined : true;
}

/**
 * A condition by which the column that holds the time of the run reaches back from the clock, `loaded_at > now() -
 * interval '30 days'`: when the second run is decides whether it finds the rows of the first.
 */
function looksBackFromClock(condition: Term, rows: ReadonlyMap<string, Term>, clock: readonly string[]): boolean {
  if (condition.kind !== 'apply' || !/^[<>]=?$/.test(condition.name)) return false;
  const isOfRun = (column: string): boolean => termsIn(rows.get(column) ?? valueTerm(null)).some(asksClock);
  const asksClock = (term: Term): boolean =>
    term.kind === 'fixed' && clock.some((call) => term.name.toLowerCase().includes(call.toLowerCase()));
  const [bound] = condition.arguments.filter((one) => ownColumns(one).size === 0);
  const moved = bound !== undefined && bound.kind !== 'fixed' && termsIn(bound).some(asksClock);
  return moved && [...ownColumns(condition)].some(isOfRun);
}

/** What guards are read by. */
interface Looking {
  readonly isSame: (name: string) => boolean;
  readonly text: string;
  readonly common: readonly CommonTable[];
  readonly scopeOfBlock: (block: QueryBlock, outer?: RowScope) => RowScope;
  /** The column that `SELECT *` of the target has at a position; one without a known name by its place. */
  readonly starAt: (index: number) => string;
}

/** Whether all that is added leaves out what is there, and what was added itself counts as that. */
export function leftOutByAll(
  mode: WriteFact['mode'],
  items: readonly StatementOfTask[],
  columns: readonly string[],
): WriteFact['leavesOut'] {
  if (mode !== 'append') return undefined;
  const adds = items.filter(({ statement }) => statement.kind !== 'update');
  const found = adds.map(({ statement, sql }) =>
    leavesOutOwn(statement, sql.source.text) ? findsOwnRows(statement, sql.source.text, columns) : false,
  );
  if (found.length === 0 || found.includes(false) || adds.length < items.length) return undefined;
  return found.includes(undefined) ? 'open' : 'sure';
}

/** `(a, b)` before IN is compared with what the query gives, one by one. */
const partsOf = (operand: SqlExpression, count: number): readonly SqlExpression[] =>
  operand.kind === 'opaque' && count > 1 && operand.parts.length === count ? operand.parts : [operand];

/** For each guard what has to hold of a row of the target so that it keeps one out. */
function guardsIn(block: QueryBlock, looking: Looking): readonly (readonly Term[])[] {
  const { text, scopeOfBlock } = looking;
  const scope = scopeOfBlock(block);
  const asked = (conditions: readonly SqlExpression[], inner: RowScope): readonly Term[] =>
    conditions.map((one) => plain(readTerm(one, inner, terms)));
  /** Common tables on the way; one may name itself. */
  const behind = new Set<CommonTable>();
  /** What is asked of the rows of the target that a query gives, also of one behind another; `undefined`: it shows none. */
  const ofRows = (query: QueryBlock, outer?: RowScope): readonly Term[] | undefined => {
    const below = query.from.map(ofItem);
    if (below.every((one) => one === undefined)) return undefined;
    const inner = scopeOfBlock(query, outer);
    const own = asked([...query.where, ...query.from.flatMap(({ on }) => on)], inner);
    return [...own, ...below.flatMap((one) => one ?? [])];
  };
  const ofItem = (item: FromItem): readonly Term[] | undefined => {
    if (item.kind === 'query') return ofRows(item.query);
    if (item.kind !== 'table') return undefined;
    if (item.cte === undefined) return looking.isSame(item.table.name) ? [] : undefined;
    const table = looking.common.find(({ name }) => name === item.cte);
    if (table === undefined || behind.has(table)) return undefined;
    behind.add(table);
    const rows = ofRows(table.query);
    behind.delete(table);
    return rows;
  };
  const found: (readonly Term[])[] = [];
  for (const conjunct of block.where) {
    const inside = askedForNone(conjunct);
    const guard = inside && ofRows(inside.query, scope);
    if (inside === undefined || guard === undefined) continue;
    const { select } = inside.query;
    const { operand } = inside;
    if (operand === undefined) found.push(guard);
    else if (select.length > 0) {
      const inner = scopeOfBlock(inside.query, scope);
      const pairs = partsOf(operand, select.length).map((looked, index): Term => {
        const among = select[index]?.expression ?? operand;
        return apply('=', plain(readTerm(looked, scope, terms)), plain(readTerm(among, inner, terms)));
      });
      found.push([...guard, ...pairs]);
    }
  }
  const isNull = block.where.some(({ start, end }) => /\bis\s+null\b/i.test(text.slice(start, end)));
  for (const item of isNull ? block.from.filter(({ join }) => join === 'left') : []) {
    const rows = ofItem(item);
    if (rows === undefined) continue;
    const using = item.using.map((name): Term => apply('=', { kind: 'own', column: name }, sameName(name)));
    found.push([...rows, ...asked(item.on, scope), ...using]);
  }
  for (const { operator, query } of block.then) {
    const rows = operator === 'except' ? ofRows(query) : undefined;
    if (rows === undefined) continue;
    const inner = scopeOfBlock(query);
    const isAll = query.select.length === 1 && query.select[0]?.expression.kind === 'star';
    const pairs = block.select.flatMap(({ expression: given }, index): readonly Term[] => {
      const other = query.select[index]?.expression;
      if (given.kind === 'star' || (!isAll && (other === undefined || other.kind === 'star'))) return [];
      const among: Term =
        isAll || other === undefined
          ? { kind: 'own', column: looking.starAt(index) }
          : plain(readTerm(other, inner, terms));
      return [apply('is not distinct from', plain(readTerm(given, scope, terms)), among)];
    });
    found.push([...pairs, ...rows]);
  }
  return found;
}
