import type { CommonTable, FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { isQualified, lastNamePart } from '../../sql/model/name-parts.ts';
import { within } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { WriteFact } from '../facts/facts.ts';
import { readTerm } from '../repeats/read-term.ts';
import { placeOf, type RowScope, scopeOf } from '../repeats/row-scope.ts';
import { ownColumns } from '../repeats/term.ts';
import { askedForNone } from './leaves-out-own.ts';
import { isOpen, leavesOutOwnRow, plain, readingOf, type StatementOfTask, terms, writtenRow } from './own-row.ts';

/**
 * What becomes of the rows of a table that a task makes anew out of that table itself: `added`: all of them stay, and others
 * come beside them. `apart`: others come beside them that are not there yet. `replaced`: those stay that are not the ones
 * that come in. `rewritten`: none come beside them, or one is chosen of old and new ones. `open`: some of them stay.
 */
type KeptRows = 'added' | 'apart' | 'replaced' | 'rewritten' | 'open';

type MadeOfItself = Pick<WriteFact, 'mode' | 'leavesOut' | 'keepsRows'>;

const said: Readonly<Record<KeptRows, MadeOfItself>> = {
  added: { mode: 'append', keepsRows: true },
  apart: { mode: 'append', leavesOut: 'sure' },
  replaced: { mode: 'delete+insert' },
  rewritten: { mode: 'update' },
  open: { mode: 'append', leavesOut: 'open' },
};

/**
 * How a task writes a table that it makes anew out of that table itself, which is no replacement of it by the rows of one run.
 * `undefined`: no row of it comes from there. `columns`: those of the table in order, where they are known.
 */
export function madeOfItself(
  statements: readonly StatementOfTask[],
  isSame: (name: string) => boolean,
  columns: readonly string[],
): MadeOfItself | undefined {
  const kept = keptRows(statements, isSame, columns);
  return kept && said[kept];
}

/** A query that fills a table, in its text. */
interface Fill {
  readonly query: QueryBlock;
  readonly statement: Statement;
  readonly text: string;
  /** The table was emptied before, so that what it shows came in just now. */
  readonly isEmptied: boolean;
}

function keptRows(
  statements: readonly StatementOfTask[],
  isSame: (name: string) => boolean,
  columns: readonly string[],
): KeptRows | undefined {
  const made = new Map<string, readonly Fill[]>();
  /** Names that the table has been given to make room for the new one. */
  const aside = new Set<string>();
  let filled: readonly Fill[] = [];
  let isEmptied = false;
  for (const { statement, sql } of statements) {
    const { kind, target, query, renamedTo } = statement;
    if (target === undefined) continue;
    // A bare new name stays in the schema of the old one.
    const schema =
      renamedTo === undefined || isQualified(renamedTo.name)
        ? ''
        : target.name.slice(0, -lastNamePart(target.name).length);
    const renamed = renamedTo && `${schema}${renamedTo.name}`;
    const fill: readonly Fill[] = query === undefined ? [] : [{ query, statement, text: sql.source.text, isEmptied }];
    if (isSame(target.name)) {
      if (/^(truncate|drop|create_table|insert_overwrite|create_table_as)$/.test(kind)) isEmptied = true;
      if (kind === 'delete' && statement.whereSpan === undefined && statement.from.length === 0) isEmptied = true;
      if (renamed !== undefined) aside.add(renamed);
      if (kind === 'create_table_as' || kind === 'insert_overwrite' || kind === 'insert') filled = [...filled, ...fill];
    } else if (kind === 'create_table' || kind === 'truncate') made.set(target.name, []);
    else if (kind === 'create_table_as') made.set(target.name, fill);
    else if (kind === 'insert') made.set(target.name, [...(made.get(target.name) ?? []), ...fill]);
    if (renamed !== undefined && isSame(renamed)) filled = made.get(target.name) ?? [];
  }
  const parts = filled.flatMap((fill) => partsOf(fill, fill.query, [], { isSame, aside, made }, 0));
  const kept = parts.filter(({ kind }) => kind === 'kept');
  const fresh = parts.filter(({ kind }) => kind === 'new');
  if (kept.length === 0) return parts.some(({ kind }) => kind === 'chosen') ? 'rewritten' : undefined;
  if (fresh.length === 0) return 'rewritten';
  const isDistinct = filled.length === 1 && filled[0]?.query.then.some(({ operator }) => operator === 'union') === true;
  const isAnew = fresh.some(({ fill, block }) =>
    fill.statement.nondeterministic.some(({ start, end }) => block.start <= start && end <= block.end),
  );
  if (isDistinct && !isAnew) return 'apart';
  const ways = new Set(kept.flatMap((one) => fresh.map((other) => isLeftOut(one, other, isSame, columns))));
  if (ways.has(false)) return 'added';
  return ways.has(undefined) ? 'open' : 'replaced';
}

interface Part {
  /** Rows of the table, rows of other tables, or some chosen among both. */
  readonly kind: 'kept' | 'new' | 'chosen';
  readonly fill: Fill;
  readonly block: QueryBlock;
  /** What queries around ask of its rows, by the names that they have there. */
  readonly filters: readonly { readonly condition: SqlExpression; readonly block: QueryBlock; readonly fill: Fill }[];
}

interface Sources {
  readonly isSame: (name: string) => boolean;
  readonly aside: ReadonlySet<string>;
  readonly made: ReadonlyMap<string, readonly Fill[]>;
}

/** Queries behind queries beyond this are not followed. */
const maxDepth = 12;

function partsOf(
  fill: Fill,
  query: QueryBlock,
  outer: Part['filters'],
  sources: Sources,
  depth: number,
): readonly Part[] {
  if (depth > maxDepth) return [];
  const blocks = [query, ...query.then.flatMap(({ operator, query: next }) => (operator === 'except' ? [] : [next]))];
  return blocks.flatMap((block): readonly Part[] => {
    const filters = [...block.where.map((condition) => ({ condition, block, fill })), ...outer];
    const [first] = block.from;
    const as = (kind: Part['kind']): readonly Part[] => [{ kind, fill, block, filters }];
    if (first === undefined) return as('new');
    const chooses = groups(block) || block.from.some(({ join }) => join === 'full' || join === 'right');
    const isOwn = (item: FromItem): boolean =>
      item.kind === 'table' &&
      item.cte === undefined &&
      (sources.aside.has(item.table.name) || (!fill.isEmptied && sources.isSame(item.table.name)));
    if (isOwn(first)) return as(chooses ? 'chosen' : 'kept');
    const behind = fillsOf(fill, first, sources).flatMap((one) => partsOf(one, one.query, filters, sources, depth + 1));
    if (!behind.some(({ kind }) => kind !== 'new')) {
      return as(chooses && block.from.some(isOwn) ? 'chosen' : 'new');
    }
    return chooses ? as('chosen') : behind;
  });
}

/** Gives one row for several, or tells them apart by their order. */
const groups = (block: QueryBlock): boolean =>
  block.distinct ||
  block.distinctOn !== undefined ||
  [block.groupBy, block.having, block.qualify].some(({ length }) => length > 0) ||
  block.select.some(({ expression }) =>
    within(expression).some((one) => one.kind === 'call' && one.window !== undefined),
  );

function fillsOf(fill: Fill, item: FromItem, { made }: Sources): readonly Fill[] {
  if (item.kind === 'query') return [{ ...fill, query: item.query }];
  if (item.kind !== 'table') return [];
  if (item.cte === undefined) return made.get(item.table.name) ?? [];
  const table = commonOf(fill).find(({ name }) => name === item.cte);
  return table === undefined ? [] : [{ ...fill, query: table.query }];
}

const commonOf = ({ statement }: Fill): readonly CommonTable[] => [...statement.with, ...(statement.query?.with ?? [])];

/** Whether what is asked of the kept rows leaves out those that come in beside them. */
function isLeftOut(
  kept: Part,
  fresh: Part,
  isSame: (name: string) => boolean,
  columns: readonly string[],
): boolean | undefined {
  if (kept.filters.length === 0) return false;
  // Rows whose key comes in are left out: what comes in is put there in their place.
  if (kept.filters.some(({ condition }) => askedForNone(condition) !== undefined)) return true;
  if (kept.block.from.some(({ join }) => join === 'left')) return undefined;
  const scopeIn = (fill: Fill, block: QueryBlock): RowScope =>
    scopeOf(placeOf(block, fill.text, commonOf(fill), new Map()), readingOf(isSame));
  const asks = kept.filters.map(({ condition, block, fill }) =>
    plain(readTerm(condition, scopeIn(fill, block), terms)),
  );
  const scope = scopeIn(fresh.fill, fresh.block);
  const source = fresh.filters
    .map(({ condition, block, fill }) => plain(readTerm(condition, scopeIn(fill, block), terms)))
    .filter((one) => one.kind === 'apply' && ownColumns(one).size === 0 && !isOpen(one));
  const { row } = writtenRow(fresh.fill.statement, fresh.block, scope, columns, fresh.fill.text);
  return leavesOutOwnRow(asks, source, row);
}
