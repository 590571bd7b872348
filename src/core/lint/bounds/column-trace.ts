import { isNamed } from '../../lineage/columns/query-scope.ts';
import type { CommonTable, FromItem, QueryBlock, SelectItem, SqlExpression } from '../../sql/model/expression.ts';
import { within } from '../../sql/model/sql-search.ts';
import type { TableReference } from '../../sql/model/table-reference.ts';
import type { CalendarUnit } from '../../time/zones/calendar.ts';
import { type Comparison, comparisonOf, flooredColumn, mentionsColumn } from './comparison.ts';

/** Where one output column of a query comes from, and what cuts it on the way. One for each branch of a UNION. */
export type ColumnTrace =
  /** The same value for every row. */
  | { readonly kind: 'constant'; readonly value: SqlExpression }
  | {
      readonly kind: 'column';
      /** The table that holds the column; `undefined` when several could. */
      readonly table: TableReference | undefined;
      /** Its name there. */
      readonly name: string;
      /** The output is the column floored to this unit. */
      readonly unit: CalendarUnit | undefined;
      readonly cuts: readonly Comparison[];
      /** The block of the branch, for filters on other columns. */
      readonly block: QueryBlock;
    }
  | { readonly kind: 'unknown' };

/** The column by its place in the select list, or by its output name. */
export function traceColumn(query: QueryBlock, name: string, position: number | undefined): ColumnTrace[] {
  return [query, ...query.then.map((next) => next.query)].map((block) => traceIn(block, name, position, query.with, 0));
}

function traceIn(
  block: QueryBlock,
  name: string,
  position: number | undefined,
  outer: readonly CommonTable[],
  depth: number,
): ColumnTrace {
  if (depth > 12) return { kind: 'unknown' };
  const item = outputItem(block, name, position);
  if (item === 'unknown') return { kind: 'unknown' };
  if (item === undefined) return traceSource(block, undefined, name, undefined, outer, depth);
  const { expression } = item;
  if (![...within(expression)].some((one) => one.kind === 'column' || one.kind === 'subquery' || one.kind === 'star')) {
    return { kind: 'constant', value: expression };
  }
  const floored = flooredColumn(expression);
  if (floored === undefined) return { kind: 'unknown' };
  return traceSource(block, floored.column.qualifier, floored.column.name, floored.unit, outer, depth);
}

/** `undefined`: it comes through a star. */
function outputItem(block: QueryBlock, name: string, position: number | undefined): SelectItem | undefined | 'unknown' {
  const stars = block.select.some((item) => item.expression.kind === 'star');
  if (position !== undefined && !stars) return block.select[position] ?? 'unknown';
  const named = block.select.find((item) => item.name === name);
  if (named) return named;
  // Rows go in by place: beside a star a stamp of the template may be the column, whatever it is called.
  return stars && !block.select.some(isStamp) ? undefined : 'unknown';
}

function isStamp({ expression }: SelectItem): boolean {
  const all = [...within(expression)];
  return (
    all.some((one) => one.kind === 'hole' || one.kind === 'template-string') &&
    !all.some((one) => one.kind === 'column' || one.kind === 'subquery')
  );
}

function traceSource(
  block: QueryBlock,
  qualifier: string | undefined,
  name: string,
  unit: CalendarUnit | undefined,
  outer: readonly CommonTable[],
  depth: number,
): ColumnTrace {
  const cuts: Comparison[] = [];
  for (const conjunct of conjunctsOf(block)) {
    const comparison = comparisonOf(conjunct);
    const same = (other: string | undefined): boolean =>
      other === qualifier || other === undefined || qualifier === undefined;
    if (comparison?.column.name === name && same(comparison.column.qualifier)) cuts.push(comparison);
    else if (comparison === undefined && mentionsColumn(conjunct, name) && !isHarmless(conjunct))
      return { kind: 'unknown' };
  }
  const source = sourceOf(block.from, qualifier);
  const scope = [...block.with, ...outer];
  const inner =
    source?.kind === 'query'
      ? source.query
      : source?.kind === 'table' && source.cte !== undefined
        ? scope.find((common) => common.name === source.cte)?.query
        : undefined;
  if (inner === undefined) {
    const table = source?.kind === 'table' && source.cte === undefined ? source.table : undefined;
    return { kind: 'column', table, name, unit, cuts, block };
  }
  const below = traceIn(inner, name, undefined, scope, depth + 1);
  if (below.kind !== 'column') return below;
  return { ...below, unit: unit ?? below.unit, cuts: [...cuts, ...below.cuts] };
}

/** A conjunct that joins the column with another one, or asks for NULL, cuts nothing of the interval. */
const isHarmless = (conjunct: SqlExpression): boolean =>
  conjunct.kind === 'binary' &&
  flooredColumn(conjunct.left) !== undefined &&
  flooredColumn(conjunct.right) !== undefined;

function* conjunctsOf(block: QueryBlock): Generator<SqlExpression> {
  for (const item of block.from) if (item.join === 'inner' || item.join === 'first') yield* item.on;
  yield* block.where;
  yield* block.having;
  yield* block.qualify;
}

const sourceOf = (from: readonly FromItem[], qualifier: string | undefined): FromItem | undefined =>
  qualifier === undefined ? (from.length === 1 ? from[0] : undefined) : from.find((item) => isNamed(item, qualifier));
