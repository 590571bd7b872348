import type { QueryBlock } from '../../sql/model/expression.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { rowDrawer } from '../repeats/draw-rows.ts';
import { evaluateTerm } from '../repeats/evaluate-term.ts';
import { readTerm, type TermReading } from '../repeats/read-term.ts';
import type { Reading, RowScope } from '../repeats/row-scope.ts';
import { holding, samples } from '../repeats/second-run.ts';
import { ownColumns, type Term, termsIn, type Value } from '../repeats/term.ts';

/** A statement with the text that its offsets refer to. */
export interface StatementOfTask {
  readonly statement: Statement;
  readonly sql: { readonly source: { readonly text: string } };
}

/** Rows of the target are those of which a condition asks. */
export const readingOf = (isSame: (name: string) => boolean): Reading => ({
  isSame: ({ name }) => isSame(name),
  made: new Map(),
  takes: () => undefined,
  by: 'moved',
  conditions: new Map(),
  isVague: false,
});

/** What comes in under the name of the column that it fills. */
export const sameName = (column: string): Term => ({ kind: 'fixed', name: `.${column}`, isGiven: false });

export const terms: TermReading = { returned: () => [], by: 'moved', typeOf: () => undefined };

/** By column: what the INSERT gives for it, made anew where the clock or chance gives it; `assumed`: others may come in by a star. */
export function writtenRow(
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
export function plain(term: Term): Term {
  if (term.kind === 'apply' || term.kind === 'open') return { ...term, arguments: term.arguments.map(plain) };
  if (term.kind !== 'fixed') return term;
  const name = /^[\w.]*\.(\w+)$/.exec(term.name)?.[1];
  return name === undefined ? term : { ...term, name: `.${name}` };
}

/** Whether a guard finds the row that was written for the same input; `undefined` where that is not known. */
export function holdsForOwn(
  asks: readonly Term[],
  source: readonly Term[],
  row: ReadonlyMap<string, Term>,
): boolean | undefined {
  const seen = askedOfRow(asks, source, row);
  if (seen === undefined) return undefined;
  if (seen.missesNull && !seen.isForAll) return false;
  if (seen.found > seen.asked * 0.95) return true;
  // One row that is found keeps all out, if there is such a row.
  return seen.isForAll && seen.found > 0 ? undefined : false;
}

/** Whether conditions on rows of the target leave out each row that was written; `undefined` where that is not known. */
export function leavesOutOwnRow(
  asks: readonly Term[],
  source: readonly Term[],
  row: ReadonlyMap<string, Term>,
): boolean | undefined {
  const seen = askedOfRow(asks, source, row);
  if (seen === undefined) return undefined;
  return seen.found === 0 ? true : seen.found > seen.asked * 0.95 ? false : undefined;
}

/** Of how many rows that are written, made up by what their source asks, conditions on rows of the target hold. */
function askedOfRow(
  asks: readonly Term[],
  source: readonly Term[],
  row: ReadonlyMap<string, Term>,
):
  | {
      readonly found: number;
      readonly asked: number;
      /** No word is said of the row that comes in, so that one row decides for all of them. */
      readonly isForAll: boolean;
      /** It does not hold for one that the INSERT itself makes NULL. */
      readonly missesNull: boolean;
    }
  | undefined {
  const own = asks.filter((one) => ownColumns(one).size > 0);
  const isForAll = !own.flatMap(termsIn).some((one) => one.kind === 'fixed' && !one.isGiven);
  const columns = [...new Set(own.flatMap((one) => [...ownColumns(one)]))];
  if (own.length === 0 || columns.some((column) => !row.has(column))) return undefined;
  const given = columns.flatMap((column) => row.get(column) ?? []);
  if ([...own, ...given].some(isOpen)) return undefined;
  const draw = rowDrawer([...own, ...source, ...given], source, []);
  let [found, asked, missesNull] = [0, 0, false];
  for (let sample = 0; sample < samples; sample++) {
    const around = draw();
    if (holding(source, around, () => false) !== true) continue;
    const values = new Map<string, Value>();
    let isMadeNull = false;
    for (const column of columns) {
      const term = row.get(column);
      const value = term === undefined ? 'open' : evaluateTerm(term, around);
      if (term === undefined || typeof value === 'string') continue;
      const comesAsNull = termsIn(term).some((one) => one.kind === 'fixed' && around.fixed.get(one.name) === null);
      // A key that is NULL where it comes from is no row's; one that the INSERT itself makes NULL is, or puts a value for.
      if (value.value !== null) {
        values.set(column, value.value);
        isMadeNull ||= comesAsNull;
      } else if (!comesAsNull) {
        values.set(column, null);
        isMadeNull = true;
      }
    }
    if (values.size < columns.length) continue;
    const holds = holding(own, { fixed: around.fixed, own: values }, () => true);
    if (typeof holds !== 'boolean') continue;
    asked++;
    if (holds) found++;
    else missesNull ||= isMadeNull;
  }
  return asked < 20 ? undefined : { found, asked, isForAll, missesNull };
}

export const isOpen = (term: Term): boolean => termsIn(term).some(({ kind }) => kind === 'open');
