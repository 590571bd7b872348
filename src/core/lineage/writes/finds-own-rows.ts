import type { QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { blocksOf } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { rowDrawer } from '../repeats/draw-rows.ts';
import { evaluateTerm } from '../repeats/evaluate-term.ts';
import { readTerm, type TermReading } from '../repeats/read-term.ts';
import { placeOf, type Reading, type RowScope, scopeOf } from '../repeats/row-scope.ts';
import { holding, samples } from '../repeats/second-run.ts';
import { apply, ownColumns, type Term, termsIn, type Value } from '../repeats/term.ts';

/**
 * Whether an INSERT that leaves out rows for which it finds one in its own target finds those that it has put there itself.
 * A guard that looks at other days only, or compares with the time of the run, finds none of them, so that a second
 * run adds them again. What cannot be told finds them. `columns`: those of the table in order, where they are known.
 */
export function findsOwnRows(statement: Statement, text: string, columns: readonly string[]): boolean {
  const { query, target } = statement;
  if (query === undefined || target === undefined) return true;
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
  const rows = writtenRow(statement, query, scopeOfBlock(query), columns, text);
  const blocks = blocksOf(statement);
  const guards = blocks.flatMap((block) => guardsIn(block, isSame, text, scopeOfBlock));
  const source = blocks
    .flatMap((block) => block.where.map((one) => plain(readTerm(one, scopeOfBlock(block), terms))))
    .filter((one) => one.kind === 'apply' && ownColumns(one).size === 0 && !isOpen(one));
  return guards.length === 0 || guards.some((asks) => holdsForOwn(asks, source, rows) !== false);
}

const terms: TermReading = { returned: () => [], by: 'moved' };

/** For each guard what has to hold of a row of the target so that it keeps one out. */
function guardsIn(
  block: QueryBlock,
  isSame: (name: string) => boolean,
  text: string,
  scopeOfBlock: (block: QueryBlock, outer?: RowScope) => RowScope,
): readonly (readonly Term[])[] {
  const scope = scopeOfBlock(block);
  const reads = ({ from }: QueryBlock): boolean =>
    from.some((item) => item.kind === 'table' && item.cte === undefined && isSame(item.table.name));
  const asked = (conditions: readonly SqlExpression[], inner: RowScope): readonly Term[] =>
    conditions.map((one) => plain(readTerm(one, inner, terms)));
  const found: (readonly Term[])[] = [];
  for (const conjunct of block.where) {
    const inside = queryOf(conjunct);
    if (inside === undefined || !reads(inside.query)) continue;
    const inner = scopeOfBlock(inside.query, scope);
    const guard = asked([...inside.query.where, ...inside.query.from.flatMap(({ on }) => on)], inner);
    const [first] = inside.query.select;
    const operand = inside.operand;
    if (operand === undefined) found.push(guard);
    else if (first !== undefined) {
      const [looked, among] = [readTerm(operand, scope, terms), readTerm(first.expression, inner, terms)];
      found.push([...guard, apply('=', plain(looked), plain(among))]);
    }
  }
  const outer = block.from.filter(
    (item) => item.join === 'left' && item.kind === 'table' && item.cte === undefined && isSame(item.table.name),
  );
  const isNull = block.where.some(({ start, end }) => /\bis\s+null\b/i.test(text.slice(start, end)));
  for (const item of isNull ? outer : []) {
    const using = item.using.map(
      (name): Term => apply('=', { kind: 'own', column: name }, { kind: 'fixed', name: `.${name}`, isGiven: false }),
    );
    found.push([...asked(item.on, scope), ...using]);
  }
  for (const { operator, query } of block.then) {
    if (operator !== 'except' || !reads(query)) continue;
    const inner = scopeOfBlock(query);
    const pairs = query.select.flatMap(({ expression }, index): readonly Term[] => {
      const given = block.select[index]?.expression;
      if (given === undefined || given.kind === 'star' || expression.kind === 'star') return [];
      return [
        apply('is not distinct from', plain(readTerm(given, scope, terms)), plain(readTerm(expression, inner, terms))),
      ];
    });
    found.push([...pairs, ...asked(query.where, inner)]);
  }
  return found;
}

/** The query of NOT EXISTS and NOT IN, with what is looked for in it. */
function queryOf(
  one: SqlExpression,
): { readonly query: QueryBlock; readonly operand: SqlExpression | undefined } | undefined {
  if (one.kind === 'unary' && one.operator === 'not' && (one.operand.kind === 'exists' || one.operand.kind === 'in'))
    return (
      one.operand.query && {
        query: one.operand.query,
        operand: one.operand.kind === 'in' ? one.operand.operand : undefined,
      }
    );
  if (one.kind !== 'exists' && one.kind !== 'in') return undefined;
  if (!one.negated || one.query === undefined) return undefined;
  return { query: one.query, operand: one.kind === 'in' ? one.operand : undefined };
}

/** By column: what the INSERT gives for it, made anew where the clock or chance gives it. */
function writtenRow(
  statement: Statement,
  query: QueryBlock,
  scope: RowScope,
  columns: readonly string[],
  text: string,
): ReadonlyMap<string, Term> {
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
    const column = isOpen ? name : (names[index] ?? name);
    if (column !== undefined && expression.kind !== 'star')
      found.set(column, anew(plain(readTerm(expression, scope, terms))));
  }
  return found;
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
    for (const column of columns) {
      const term = row.get(column);
      const given = term === undefined ? 'open' : evaluateTerm(term, around);
      if (typeof given !== 'string' && given.value !== null) values.set(column, given.value);
    }
    if (values.size < columns.length) continue;
    const holds = holding(own, { fixed: around.fixed, own: values }, () => true);
    if (typeof holds !== 'boolean') continue;
    asked++;
    if (holds) found++;
  }
  return asked < 20 ? undefined : isForAll ? found > 0 : found > asked * 0.95;
}

const isOpen = (term: Term): boolean => termsIn(term).some(({ kind }) => kind === 'open');
