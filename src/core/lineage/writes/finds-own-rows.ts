import type { CommonTable, FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { blocksBelow, blocksOf } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { WriteFact } from '../facts/facts.ts';
import { askedForNone, leavesOutOwn } from '../queries/leaves-out-own.ts';
import { rowDrawer } from '../repeats/draw-rows.ts';
import { evaluateTerm } from '../repeats/evaluate-term.ts';
import { readTerm, type TermReading } from '../repeats/read-term.ts';
import { placeOf, type Reading, type RowScope, scopeOf } from '../repeats/row-scope.ts';
import { holding, samples } from '../repeats/second-run.ts';
import { apply, ownColumns, type Term, termsIn, type Value } from '../repeats/term.ts';
import type { TaskStatement } from './task-statements.ts';

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
  const reading: Reading = {
    isSame: ({ name }) => isSame(name),
    made: new Map(),
    takes: () => undefined,
    by: 'moved',
    conditions: new Map(),
    isVague: false,
  };
  const common = [...statement.with, ...query.with];
  const scopeOfBlock = (block: QueryBlock, outer?: RowScope): RowScope =>
    scopeOf(placeOf(block, text, common, new Map(), outer), reading);
  const starAt = (index: number): string =>
    columns[index] ?? statement.columns[index] ?? query.select[index]?.name ?? `#${index}`;
  const looking: Looking = { isSame, text, common, scopeOfBlock, starAt };
  const blocks = blocksOf(statement);
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

/** What comes in under the name of the column that it fills. */
const sameName = (column: string): Term => ({ kind: 'fixed', name: `.${column}`, isGiven: false });

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
export function leftOutByAll(items: readonly TaskStatement[], columns: readonly string[]): WriteFact['leavesOut'] {
  const adds = items.filter(({ statement }) => statement.kind !== 'update');
  const found = adds.map(({ statement, context, sql }) =>
    leavesOutOwn(statement, context.text) ? findsOwnRows(statement, sql.source.text, columns) : false,
  );
  if (found.length === 0 || found.includes(false) || adds.length < items.length) return undefined;
  return found.includes(undefined) ? 'open' : 'sure';
}

const terms: TermReading = { returned: () => [], by: 'moved' };

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
    const [first] = inside.query.select;
    const { operand } = inside;
    if (operand === undefined) found.push(guard);
    else if (first !== undefined) {
      const inner = scopeOfBlock(inside.query, scope);
      const [looked, among] = [readTerm(operand, scope, terms), readTerm(first.expression, inner, terms)];
      found.push([...guard, apply('=', plain(looked), plain(among))]);
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

/** By column: what the INSERT gives for it, made anew where the clock or chance gives it; `assumed`: others may come in by a star. */
function writtenRow(
  statement: Statement,
  query: QueryBlock,
  scope: RowScope,
  columns: readonly string[],
  text: string,
): { readonly row: ReadonlyMap<string, Term>; readonly assumed: boolean } {
  const names = statement.columns.length > 0 ? statement.columns : columns;
  const calls = statement.nondeterministic.map(({ start, end }) => text.slice(start, end).replace(/\s+/g, ' '));
  const anew = (term: Term): Term =>
    term.kind === 'fixed' && calls.some((one) => term.name.includes(one))
      ? { ...term, name: `anew ${term.name}`, isGiven: true }
      : term.kind === 'apply' || term.kind === 'open'
        ? { ...term, arguments: term.arguments.map(anew) }
        : term;
  const found = new Map<string, Term>();
  let isOpen = false;
  for (const [index, { expression, name }] of query.select.entries()) {
    isOpen ||= expression.kind === 'star';
    const column = isOpen ? name : (names[index] ?? name ?? `#${index}`);
    if (column !== undefined && expression.kind !== 'star')
      found.set(column, anew(plain(readTerm(expression, scope, terms))));
  }
  return { row: found, assumed: isOpen };
}

/** Columns of what comes in by their names alone: which table has them was settled where they were joined. */
function plain(term: Term): Term {
  if (term.kind === 'apply' || term.kind === 'open') return { ...term, arguments: term.arguments.map(plain) };
  if (term.kind !== 'fixed') return term;
  const name = /^[\w.]*\.(\w+)$/.exec(term.name)?.[1];
  return name === undefined ? term : { ...term, name: `.${name}` };
}

/** Whether a guard finds the row that was written for the same input; `undefined` where that is not known. */
function holdsForOwn(
  asks: readonly Term[],
  source: readonly Term[],
  row: ReadonlyMap<string, Term>,
): boolean | undefined {
  const own = asks.filter((one) => ownColumns(one).size > 0);
  // Without a word of the row that comes in one row keeps all of them out.
  const isForAll = !own.flatMap(termsIn).some((one) => one.kind === 'fixed' && !one.isGiven);
  const columns = [...new Set(own.flatMap((one) => [...ownColumns(one)]))];
  if (own.length === 0 || columns.some((column) => !row.has(column))) return undefined;
  if ([...own, ...columns.flatMap((column) => row.get(column) ?? [])].some(isOpen)) return undefined;
  const all = [...own, ...source, ...columns.flatMap((column) => row.get(column) ?? [])];
  const draw = rowDrawer(all, source, []);
  let [found, asked] = [0, 0];
  for (let sample = 0; sample < samples; sample++) {
    const around = draw();
    if (holding(source, around, () => false) !== true) continue;
    const values = new Map<string, Value>();
    let isMadeNull = false;
    for (const column of columns) {
      const term = row.get(column);
      const given = term === undefined ? 'open' : evaluateTerm(term, around);
      if (term === undefined || typeof given === 'string') continue;
      // A key that is NULL where it comes from is no row's; one that the INSERT itself makes NULL is.
      if (given.value !== null) values.set(column, given.value);
      else if (!termsIn(term).some((one) => one.kind === 'fixed' && around.fixed.get(one.name) === null)) {
        values.set(column, null);
        isMadeNull = true;
      }
    }
    if (values.size < columns.length) continue;
    const holds = holding(own, { fixed: around.fixed, own: values }, () => true);
    if (typeof holds !== 'boolean') continue;
    asked++;
    if (holds) found++;
    else if (isMadeNull && !isForAll) return false;
  }
  if (asked < 20) return undefined;
  if (found > asked * 0.95) return true;
  // One row that is found keeps all out, if there is such a row.
  return isForAll && found > 0 ? undefined : false;
}

const isOpen = (term: Term): boolean => termsIn(term).some(({ kind }) => kind === 'open');
