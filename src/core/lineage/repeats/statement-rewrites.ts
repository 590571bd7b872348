import type { FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import type { Assignment, MergeBranch, Statement } from '../../sql/model/statement.ts';
import type { Span } from '../../text/span.ts';
import { nameOfItem } from '../columns/query-scope.ts';
import { leavesOutCounted } from './leaves-out-counted.ts';
import { readTerm, type TermReading } from './read-term.ts';
import type { Rewrite, RewrittenColumn } from './rewrite.ts';
import {
  type Column,
  equalColumns,
  type Keys,
  type MadeTable,
  placeOf,
  type Reading,
  type RowScope,
  scopeOf,
} from './row-scope.ts';
import type { StatementInText } from './statement-in-text.ts';
import { ownColumns, type Term } from './term.ts';

/** What is known around a statement. */
export interface Around {
  readonly table: string;
  readonly isSame: (name: string) => boolean;
  /** Tables that were filled before it. */
  readonly made: ReadonlyMap<string, MadeTable>;
  /** Variables of loops around it, each of which is a row of the table of this name in `made`. */
  readonly rows: readonly string[];
  /** Of the table's definition, in order; empty where it is not known. */
  readonly columns: readonly string[];
  /** The type of a column of the table, as SQL; `undefined` where nobody has said it. */
  readonly typeOf: (column: string) => string | undefined;
}

/** SET of UPDATE and upsert, and of the branches of a MERGE, as functions of the row that is there. */
export function updateRewrites(item: StatementInText, around: Around): readonly Rewrite[] {
  const { statement } = item;
  const all: readonly (readonly [readonly Assignment[], readonly SqlExpression[]])[] =
    statement.branches.length > 0
      ? statement.branches.map((branch) => [branch.assignments, branch.condition] as const)
      : [[statement.assignments, [...statement.where, ...(statement.conflict?.where ?? [])]] as const];
  return all.flatMap(([assignments, filters]) => {
    if (assignments.length === 0) return [];
    const reading = readingOf(item, around, 'key');
    const scope = updateScope(item, reading, around);
    const terms = termReading(item, around, 'key');
    const columns = assignments.map(
      (one): RewrittenColumn => ({
        column: lastPart(one.column),
        term: readTerm(one.value, scope, terms),
        at: item.placeOf(one),
      }),
    );
    return [rewriteOf(item, columns, filters, scope, reading, terms)];
  });
}

/** The rows that a query puts back into the table out of which they were taken, one rewrite for each part of a UNION. */
export function movedRewrites(
  item: StatementInText,
  query: QueryBlock,
  around: Around,
  more: readonly MadeTable[],
): readonly Rewrite[] {
  const { statement, text } = item;
  const [origin] = more;
  const reading = readingOf(item, around, 'moved');
  const terms = termReading(item, around, 'moved');
  const common = origin === undefined ? [...statement.with, ...query.with] : [...origin.common, ...query.with];
  const named = statement.kind === 'insert' || statement.kind === 'insert_overwrite' ? statement.columns : [];
  const targets = named.length > 0 ? named : around.columns;
  return [query, ...query.then.map((next) => next.query)].flatMap((part) => {
    const scope = scopeOf(placeOf(part, origin?.text ?? text, common, new Map()), reading);
    const columns = outputsOf(part, scope, query).flatMap(
      ({ expression, scope: own, name, index }): RewrittenColumn[] => {
        const term = readTerm(expression, own, terms);
        const old = [...ownColumns(term)];
        const column =
          (index === undefined ? undefined : targets[index]) ?? name ?? (old.length === 1 ? old[0] : undefined);
        return column === undefined ? [] : [{ column, term, at: item.placeOf(expression) }];
      },
    );
    return columns.length === 0 ? [] : [rewriteOf(item, columns, [], scope, reading, terms)];
  });
}

/** What an upsert or a MERGE inserts for a row that is not there yet. */
export function insertedRow(item: StatementInText, around: Around): readonly RewrittenColumn[] {
  const { statement } = item;
  if (statement.kind === 'merge') return mergeChoice(item, around).inserts[0]?.row ?? [];
  const { conflict, head, nondeterministic, query } = statement;
  if (conflict === undefined) return [];
  const reading = readingOf(item, around, 'key');
  const scope = updateScope(item, reading, around);
  const names = statement.columns.length > 0 ? statement.columns : around.columns;
  // A text that a run fills may be any number of columns or values.
  if (names.some((name) => name.includes('{'))) return [];
  return names.flatMap((column, index): RewrittenColumn[] => {
    const given = query?.select[index]?.expression ?? statement.values[index];
    // What the clock or chance gives differs anyway.
    if (given === undefined || given.kind === 'star') return [];
    const set = statement.assignments.find((one) => lastPart(one.column) === column)?.value;
    if (set !== undefined && isSameOfSource(given, set, item.text)) return [];
    if (nondeterministic.some(({ start, end }) => given.start <= start && end <= given.end)) return [];
    const excluded = { ...head, kind: 'column', qualifier: 'excluded', name: column } as const;
    return [{ column, term: readTerm(excluded, scope, termReading(item, around, 'key')), at: undefined }];
  });
}

/** MySQL: SET may take a column from where the INSERT itself takes it. */
const isSameOfSource = (given: SqlExpression, set: SqlExpression, text: string): boolean =>
  given.kind === 'column' && set.kind === 'column'
    ? given.name === set.name && (given.qualifier === undefined || given.qualifier === set.qualifier)
    : text.slice(given.start, given.end) === text.slice(set.start, set.end);

/** A MERGE as functions of its source and of the row that it finds: which branch takes it, and what is inserted. */
export interface MergeChoice {
  /** Branches for rows that are found, in order, with what they ask. */
  readonly found: readonly { readonly branch: MergeBranch; readonly conditions: readonly Term[] }[];
  readonly inserts: readonly { readonly conditions: readonly Term[]; readonly row: readonly RewrittenColumn[] }[];
}

export function mergeChoice(item: StatementInText, around: Around): MergeChoice {
  const { branches } = item.statement;
  const reading = readingOf(item, around, 'key');
  const scope = updateScope(item, reading, around);
  const terms = termReading(item, around, 'key');
  const asked = ({ condition }: MergeBranch): readonly Term[] => condition.map((one) => readTerm(one, scope, terms));
  return {
    found: branches
      .filter(({ matched }) => matched === 'matched')
      .map((branch) => ({ branch, conditions: asked(branch) })),
    inserts: branches
      .filter(({ action, matched }) => action === 'insert' && matched === 'not-matched')
      .map((branch) => {
        const names = branch.columns.length > 0 ? branch.columns : around.columns;
        // There is no row of the target yet: a bare name is one of the source.
        const source: RowScope = { ...scope, own: () => undefined };
        const [using] = item.statement.from;
        const row = branch.values.flatMap((value, index): RewrittenColumn[] => {
          const column = names[index];
          const isBare = value.kind === 'column' && value.qualifier === undefined;
          const given = isBare && using !== undefined ? { ...value, qualifier: nameOfItem(using) } : value;
          return column === undefined ? [] : [{ column, term: readTerm(given, source, terms), at: undefined }];
        });
        return { conditions: asked(branch), row };
      }),
  };
}

interface Output {
  readonly expression: SqlExpression;
  readonly scope: RowScope;
  readonly name: string | undefined;
  /** Its position, where no star stands before it. */
  readonly index: number | undefined;
}

/** What a part of a query gives, `SELECT *` of another query by what that gives. */
function outputsOf(part: QueryBlock, scope: RowScope, first: QueryBlock): readonly Output[] {
  const found: Output[] = [];
  let at: number | undefined = 0;
  for (const [index, { expression, name }] of part.select.entries()) {
    if (expression.kind !== 'star') {
      found.push({ expression, scope, name: first.select[index]?.name ?? name, index: at });
      if (at !== undefined) at++;
      continue;
    }
    const given = scope.starred(expression.qualifier);
    const start: number | undefined = at;
    for (const one of given) {
      const place = one.index === undefined || start === undefined ? undefined : start + one.index;
      const named = one.column.name === '' ? undefined : one.column.name;
      if (named !== undefined) found.push({ expression: one.column, scope, name: named, index: place });
    }
    at =
      start === undefined || given.some((one) => one.index === undefined) || given.length === 0
        ? undefined
        : start + given.length;
  }
  return found;
}

function rewriteOf(
  item: StatementInText,
  columns: readonly RewrittenColumn[],
  filters: readonly SqlExpression[],
  scope: RowScope,
  reading: Reading,
  terms: TermReading,
): Rewrite {
  const conditions: Term[] = filters.map((one) => readTerm(one, scope, terms));
  const seen = new Set(filters);
  // What is read on the way may show further conditions.
  for (const [one, where] of reading.conditions) {
    if (seen.has(one)) continue;
    seen.add(one);
    conditions.push(readTerm(one, where, terms));
  }
  return {
    columns,
    conditions: conditions.filter((one) => ownColumns(one).size > 0),
    isVague: reading.isVague,
    guarded: leavesOutCounted(item.statement, reading.isSame),
  };
}

const readingOf = ({ statement, nameOf }: StatementInText, { isSame, made }: Around, by: Reading['by']): Reading => ({
  isSame: (table) => isSame(nameOf(table)),
  made,
  takes: (query) =>
    statement.modifying.find(
      ({ kind, start, target }) =>
        kind === 'delete' && start === query.start && target !== undefined && isSame(nameOf(target)),
    )?.where,
  by,
  conditions: new Map(),
  isVague: false,
});

const termReading = ({ returned }: StatementInText, { typeOf }: Around, by: Reading['by']): TermReading => ({
  returned,
  by,
  typeOf,
});

/** The scope of SET: the target by its alias or name, FROM and USING, and what an upsert would have inserted. */
function updateScope({ statement, text }: StatementInText, reading: Reading, around: Around): RowScope {
  const { target, targetAlias, query, conflict, head } = statement;
  const from = [...statement.from, ...around.rows.map((name) => rowOfLoop(name, head))];
  const isTarget = (qualifier: string): boolean =>
    targetAlias === undefined
      ? target !== undefined && reading.isSame({ ...target, name: qualifier })
      : qualifier === targetAlias;
  const row: RowScope = {
    text,
    block: undefined,
    own: ({ qualifier, name }) => (qualifier === undefined || isTarget(qualifier) ? name : undefined),
    isAny: () => false,
    follow: () => [],
    starred: () => [],
    inside: (inner) => scopeOf(placeOf(inner, text, [], new Map(), row), reading),
  };
  if (conflict !== undefined) {
    const wanted = query === undefined ? undefined : insertedBy(statement, query, text, reading, around.columns);
    const place = {
      text,
      block: undefined,
      from: [],
      filters: [],
      common: query?.with ?? [],
      keys: new Map(),
      outer: row,
    };
    const scope = scopeOf(place, reading);
    return {
      ...scope,
      follow: (one) => (one.qualifier === 'excluded' && wanted !== undefined ? wanted(one) : scope.follow(one)),
      own: (one) => (one.qualifier === 'excluded' ? undefined : scope.own(one)),
    };
  }
  const filters = [...statement.where, ...statement.on, ...from.flatMap(({ on }) => on)];
  const keys = new Map<string, SqlExpression[]>();
  for (const [left, right] of filters.flatMap(equalColumns)) {
    const [own, other] = isOfTarget(left, isTarget) ? [left, right] : [right, left];
    if (!isOfTarget(own, isTarget) || other.qualifier === undefined || isTarget(other.qualifier)) continue;
    keys.set(own.name, [...(keys.get(own.name) ?? []), other]);
  }
  const common = [...statement.with, ...(query?.with ?? [])];
  return scopeOf({ text, block: undefined, from, filters, common, keys, outer: row, isOuterFirst: true }, reading);
}

/** `FOR r IN SELECT …`: in the loop `r` is a row of the query. */
const rowOfLoop = (name: string, { start, end }: Span): FromItem => ({
  start,
  end,
  kind: 'table',
  table: { name, start, end, templated: false },
  alias: name,
  cte: undefined,
  join: 'comma',
  on: [],
  using: [],
});

const isOfTarget = ({ qualifier }: Column, isTarget: (qualifier: string) => boolean): boolean =>
  qualifier === undefined || isTarget(qualifier);

/** What the INSERT of an upsert has for a column, read by the key on which it finds the row. */
function insertedBy(
  statement: Statement,
  query: QueryBlock,
  text: string,
  reading: Reading,
  known: readonly string[],
): ((one: Column) => readonly { readonly expression: SqlExpression; readonly scope: RowScope }[]) | undefined {
  const { conflict } = statement;
  if (conflict === undefined || conflict.key.length === 0 || query.then.length > 0) return undefined;
  const keys: Keys = new Map(conflict.key.map((key) => [key, givenFor(statement, query, key, known, false)] as const));
  const scope = scopeOf(placeOf(query, text, [], keys), reading);
  return ({ name }) => givenFor(statement, query, name, known, true).map((expression) => ({ expression, scope }));
}

/** What INSERT gives for a column: by the list of columns, else by name. */
function givenFor(
  statement: Statement,
  query: QueryBlock,
  name: string,
  known: readonly string[],
  mayBe: boolean,
): readonly SqlExpression[] {
  const columns = statement.columns.length > 0 ? statement.columns : known;
  const index =
    columns.length > 0
      ? columns.indexOf(name)
      : query.select.findIndex((item) => item.name === name && item.expression.kind !== 'star');
  const found = index === -1 ? undefined : query.select[index]?.expression;
  if (found !== undefined) return [found];
  const unnamed = query.select.filter((item) => item.name === undefined);
  return mayBe && columns.length === 0 && unnamed.length === 1 ? unnamed.map(({ expression }) => expression) : [];
}

const lastPart = (name: string): string => name.split('.').at(-1) ?? name;
