import type { CommonTable, FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { type ColumnRange, either } from '../columns/column-range.ts';
import { comparedColumn } from '../columns/compared-column.ts';
import { valueOfSide } from '../columns/compared-range.ts';
import { namedTime } from '../columns/named-time.ts';
import { queryIn } from '../columns/query-in.ts';
import {
  emptyScope,
  nameOfItem,
  noRanges,
  openScope,
  outputNames,
  type Ranges,
  type Scope,
} from '../columns/query-scope.ts';
import type { SqlContext } from '../times/sql-context.ts';
import { timeBound } from '../times/time-bound.ts';
import { endOfUnit, noOffset, shiftReadings } from '../times/time-readings.ts';
import { type ColumnsOf, fromRanges } from './from-ranges.ts';
import { outputType } from './output-type.ts';
import type { TableColumns } from './table-columns.ts';

/** What is known of the rows that a query gives: the range of each output column that has one. */
export interface OutputRanges {
  /** By position, where the select list has no star. */
  readonly positions: readonly (ColumnRange | undefined)[];
  /** In the order of the select list; a star stands for the columns of its tables. */
  readonly byName: Ranges;
}

/** Outputs of tables that the task made itself, by name. */
export type KnownTables = ReadonlyMap<string, Ranges>;

/** Derives the range of each output column from the conditions on the rows that were read. */
export function outputRanges(
  query: QueryBlock,
  context: SqlContext,
  tables: TableColumns,
  known: KnownTables,
  outer: Scope = emptyScope,
): OutputRanges {
  const scope = new Map(known);
  const common = openScope(query, outer);
  for (const table of query.with) scope.set(table.name, ofCommonTable(table, context, tables, scope, common));
  const first = ofBlock(query, context, tables, scope, common);
  const all = [first, ...query.then.map((next) => outputRanges(next.query, context, tables, scope, common))];
  if (all.length === 1) return first;
  const names = [...first.byName.keys()];
  const positions = first.positions.map((_, index) => unionAt(all.map((one) => one.positions[index])));
  const byName = new Map<string, ColumnRange>();
  for (const [index, item] of query.select.entries()) {
    const range = positions[index];
    if (item.name !== undefined && range !== undefined) byName.set(item.name, range);
  }
  if (positions.length === 0) {
    for (const name of names) {
      const range = unionAt(all.map((one) => one.byName.get(name)));
      if (range !== undefined) byName.set(name, range);
    }
  }
  return { positions, byName };
}

function unionAt(ranges: readonly (ColumnRange | undefined)[]): ColumnRange | undefined {
  const found = ranges.flatMap((range) => range ?? []);
  return found.length === ranges.length ? either(found) : undefined;
}

function ofCommonTable(
  table: CommonTable,
  context: SqlContext,
  tables: TableColumns,
  known: KnownTables,
  outer: Scope,
): Ranges {
  const output = outputRanges(table.query, context, tables, known, outer);
  if (table.columns.length === 0) return output.byName;
  const renamed = new Map<string, ColumnRange>();
  for (const [index, name] of table.columns.entries()) {
    const range = output.positions[index];
    if (range !== undefined) renamed.set(name, range);
  }
  return renamed;
}

function ofBlock(
  query: QueryBlock,
  context: SqlContext,
  tables: TableColumns,
  scope: KnownTables,
  common: Scope,
): OutputRanges {
  const typeOf: ColumnsOf['typeOf'] = (item, column) => {
    if (item.kind === 'query') return outputType(item.query, column, [], typeOf);
    return item.kind === 'table' && item.cte === undefined ? tables.typeOf(item.table.name, column) : undefined;
  };
  const columns: ColumnsOf = {
    has: (item, column) => {
      const behind = queryIn(common, item);
      if (behind !== undefined) return outputNames(behind.query, behind.columns)?.includes(column);
      return item.kind === 'table' && item.cte === undefined ? tables.has(item.table.name, column) : undefined;
    },
    typeOf,
    outputOf: (inner) => outputRanges(inner, context, tables, scope, common).positions[0],
    queryOf: (item) => queryIn(common, item),
  };
  const own = fromRanges(query.from, query.where, context, columns);
  for (const [index, item] of query.from.entries()) {
    // The unmatched rows of an outer join have no value at all there, so a range still holds for those that have one.
    for (const [name, range] of rangesOfItem(item, context, tables, scope, common)) own.ask(index, name, range);
  }
  own.settle();

  const starred = query.select.some(({ expression }) => expression.kind === 'star');
  const byName = new Map<string, ColumnRange>();
  const positions = query.select.map((item) => {
    if (item.expression.kind === 'star') {
      const { qualifier } = item.expression;
      for (const [index, from] of query.from.entries()) {
        if (qualifier !== undefined && nameOfItem(from) !== qualifier) continue;
        for (const [name, range] of own.ranges[index] ?? []) if (!byName.has(name)) byName.set(name, range);
      }
      return undefined;
    }
    const range = rangeOfExpression(item.expression);
    if (range !== undefined && item.name !== undefined) byName.set(item.name, range);
    return range;
  });
  return { positions: starred ? [] : positions, byName };

  function rangeOfExpression(expression: SqlExpression): ColumnRange | undefined {
    const side = comparedColumn(expression, context.dialect);
    if (side !== undefined) {
      const [index, ...others] = own.owners(side.column);
      if (index === undefined || others.length > 0 || side.zone !== undefined) return undefined;
      const range = own.ranges[index]?.get(side.column.name);
      return range && valueOfSide(range, side, own.typeAt(index, side.column.name), context);
    }
    return constantRange(expression, context);
  }
}

function rangesOfItem(
  item: FromItem,
  context: SqlContext,
  tables: TableColumns,
  scope: KnownTables,
  common: Scope,
): Ranges {
  if (item.kind === 'query') return outputRanges(item.query, context, tables, scope, common).byName;
  if (item.kind === 'function') return noRanges;
  return scope.get(item.cte ?? item.table.name) ?? noRanges;
}

/** `'{{ ds }}'::date as day`: one value for all rows of an interval. */
export function constantRange(expression: SqlExpression, context: SqlContext): ColumnRange | undefined {
  const bound = timeBound(expression, context);
  const value = bound.kind === 'time' ? bound : namedTime(expression, context);
  if (value === undefined) return undefined;
  const hi =
    value.unit === undefined
      ? shiftReadings(value, { ...noOffset, ms: 1 }, context.zones)
      : endOfUnit(value, value.unit, context.zones);
  return { lo: value, hi, unreadLo: undefined, unreadHi: undefined };
}
