import type { FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { TableReference } from '../../sql/model/table-reference.ts';
import { walkInside, walkQueries } from '../../sql/model/walk.ts';
import { boundBehind } from '../columns/bound-behind.ts';
import { columnConditions } from '../columns/column-conditions.ts';
import { type ColumnName, type ColumnRange, either } from '../columns/column-range.ts';
import type { ColumnType } from '../columns/column-type.ts';
import { comparedColumn } from '../columns/compared-column.ts';
import { comparedRange } from '../columns/compared-range.ts';
import { queryIn } from '../columns/query-in.ts';
import {
  emptyScope,
  lookUp,
  noRanges,
  openScope,
  outputIndex,
  outputNames,
  type Ranges,
  type Scope,
  scopeOf,
  withoutPlaces,
} from '../columns/query-scope.ts';
import type { SqlContext } from '../times/sql-context.ts';
import { type ColumnsOf, type FromRanges, fromRanges } from './from-ranges.ts';
import { outputRanges } from './output-ranges.ts';
import { outputType } from './output-type.ts';
import type { TableColumns } from './table-columns.ts';

/** One place where a statement reads a table, and what it asks of the table's columns there. */
export interface TableRead {
  readonly table: TableReference;
  readonly ranges: Ranges;
  /** A column that a bound names without saying of which table. */
  readonly mayBeBoundBy?: string;
  /** The view of the statement through which it is read; places in `ranges` are then of no text in particular. */
  readonly through: { readonly view: TableReference; readonly context: SqlContext } | undefined;
}

/**
 * Every read of a statement. Conditions reach a table from the block where it is read, from joins, from blocks
 * around it (through columns that pass straight through), and over equalities. A read that no block accounts for
 * is returned without ranges, so that none is lost.
 */
export function tableReads(statement: Statement, context: SqlContext, tables: TableColumns): readonly TableRead[] {
  const found: TableRead[] = [];
  const visitor = makeVisitor(context, tables, found, undefined, new Map(), namedInside(statement.modifying));
  const usingQuery = statement.from.some((item) => item.kind === 'query' && item.query === statement.query);
  if (statement.query !== undefined && !usingQuery) visitor.query(statement.query, noRanges, emptyScope);
  const scope = scopeOf(statement.with, emptyScope);
  if (statement.from.length > 0 || statement.where.length > 0) {
    const target = statement.target === undefined ? [] : [targetItem(statement, statement.target)];
    // A MERGE condition decides which source rows match, not which are read.
    const where = statement.kind === 'merge' ? [] : statement.where;
    const asked = statement.kind === 'merge' ? branchRanges(statement, context) : noRanges;
    visitor.from([...target, ...statement.from], where, asked, target.length, scope);
  }
  const others = [
    ...(statement.kind === 'merge' ? statement.on : []),
    ...statement.values,
    ...statement.assignments.map((assignment) => assignment.value),
    ...statement.branches.flatMap((branch) => branch.condition),
    ...(statement.conflict?.where ?? []),
  ];
  visitor.nested(others, scope);
  visitor.common(scope);

  const seen = new Set(found.map(({ table, through }) => (through?.view ?? table).start));
  for (const table of statement.reads) if (!seen.has(table.start)) visitor.table(table, noRanges);
  return found;
}

/** Deeper than any statement that a person writes. */
const maxDepth = 64;

const targetItem = (statement: Statement, table: TableReference): FromItem => ({
  kind: 'table',
  table,
  alias: statement.targetAlias,
  cte: undefined,
  join: 'first',
  on: [],
  using: [],
  start: table.start,
  end: table.end,
});

/** What all branches that take rows of a MERGE's source ask of them, by column; a branch without a condition takes all. */
function branchRanges(statement: Statement, context: SqlContext): Ranges {
  const source = statement.from[0];
  const taking = statement.branches.filter((branch) => branch.matched !== 'not-matched-by-source');
  const name = source?.alias ?? (source?.kind === 'table' ? source.table.name : undefined);
  if (name === undefined || taking.length === 0) return noRanges;
  const asked = taking.map(
    (branch) =>
      new Map(
        columnConditions(branch.condition, context, () => undefined)
          .filter((condition) => condition.qualifier === name)
          .map((condition) => [condition.name, condition.range]),
      ),
  );
  const ranges = new Map<string, ColumnRange>();
  for (const column of asked[0]?.keys() ?? []) {
    const all = asked.flatMap((branch) => branch.get(column) ?? []);
    if (all.length === asked.length) ranges.set(column, either(all));
  }
  return ranges;
}

interface Visitor {
  query(query: QueryBlock, asked: Ranges, scope: Scope, columns?: readonly string[]): void;
  /** `skip`: leading entries that only give names, such as the target of an UPDATE; `asked` goes to the one behind them. */
  from(from: readonly FromItem[], where: readonly SqlExpression[], asked: Ranges, skip: number, scope: Scope): void;
  nested(expressions: readonly SqlExpression[], scope: Scope): void;
  /** Common tables, when all that reads them has been visited. */
  common(scope: Scope): void;
  /** A table, or what a view of that name reads. */
  table(table: TableReference, ranges: Ranges): void;
}

/** Views that are read this often by one statement are read whole from then on, once. */
const mostVisits = 16;

function makeVisitor(
  context: SqlContext,
  tables: TableColumns,
  found: TableRead[],
  view: TableReference | undefined,
  visits: Map<string, number>,
  readElsewhere: ReadonlySet<string> = new Set(),
): Visitor {
  const columnsIn = (scope: Scope): ColumnsOf => ({
    has: (item, column) => {
      if (item.kind === 'function') return undefined;
      if (item.kind === 'query') return hasOutput(item.query, column);
      const common = item.cte === undefined ? undefined : lookUp(scope, item.cte)?.found.table;
      if (common !== undefined) return hasOutput(common.query, column, common.columns);
      const defined = tables.viewOf(item.table.name);
      if (defined !== undefined) return hasOutput(defined.query, column, defined.columns);
      return tables.has(item.table.name, column);
    },
    typeOf: (item, column) => typeIn(scope, item, column, 0),
    outputOf: (query) => outputRanges(query, context, tables, new Map()).positions[0],
    queryOf: (item) => queryIn(scope, item),
  });
  /** Tables that name each other in a circle end at a depth. */
  const typeIn = (scope: Scope, item: FromItem, column: string, depth: number): ColumnType => {
    if (item.kind === 'function' || depth > maxDepth) return undefined;
    const inner = (at: Scope) => (next: FromItem, name: string) => typeIn(at, next, name, depth + 1);
    if (item.kind === 'query') return outputType(item.query, column, [], inner(openScope(item.query, scope)));
    if (item.cte === undefined) {
      const defined = tables.viewOf(item.table.name);
      if (defined === undefined) return tables.typeOf(item.table.name, column);
      return outputType(defined.query, column, defined.columns, inner(openScope(defined.query, emptyScope)));
    }
    const common = lookUp(scope, item.cte);
    if (common === undefined) return undefined;
    const { query, columns } = common.found.table;
    return outputType(query, column, columns, inner(openScope(query, common.scope)));
  };

  const enter = (from: readonly FromItem[], own: FromRanges, skip: number, scope: Scope): void => {
    own.settle();
    for (const [index, item] of from.entries()) {
      if (index < skip || item.kind === 'function') continue;
      const ranges = own.ranges[index] ?? noRanges;
      if (item.kind === 'query') {
        visitQuery(item.query, ranges, scope);
        continue;
      }
      const common = item.cte === undefined ? undefined : lookUp(scope, item.cte);
      if (common !== undefined) common.found.asked.push(ranges);
      // A common table of the statement around this one (`with b as (…), i as (insert … select … from b) …`) is no table.
      else if (item.cte === undefined) visitTable(item.table, ranges, own.mayBeBoundBy.get(index));
    }
    visitNested(
      from.flatMap((item) => item.on),
      scope,
    );
  };

  const visitTable = (table: TableReference, ranges: Ranges, mayBeBoundBy?: string): void => {
    const defined = table.templated ? undefined : tables.viewOf(table.name);
    if (defined === undefined) {
      const through = view && { view, context };
      const open = mayBeBoundBy === undefined ? {} : { mayBeBoundBy };
      found.push({ table, ranges: through === undefined ? ranges : withoutPlaces(ranges), through, ...open });
      return;
    }
    const before = visits.get(table.name) ?? 0;
    visits.set(table.name, before + 1);
    if (before > mostVisits) return;
    const { zones, mayBeMoments } = context;
    const inside = { ...defined.context, zones, ...(mayBeMoments ? { mayBeMoments } : {}) };
    const visitor = makeVisitor(inside, tables, found, view ?? table, visits);
    visitor.query(defined.query, before === mostVisits ? noRanges : ranges, emptyScope, defined.columns);
  };

  const visitBlock = (query: QueryBlock, asked: Ranges, scope: Scope, columns: readonly string[]): void => {
    const own = fromRanges(query.from, query.where, context, columnsIn(scope));
    if (passesThrough(query, context)) {
      for (const [name, range] of asked) askInside(query, name, range, own, context, columns);
    }
    enter(query.from, own, 0, scope);
    visitNested(
      [...query.select.map((item) => item.expression), ...query.where, ...query.having, ...query.qualify],
      scope,
    );
  };

  const visitQuery = (query: QueryBlock, asked: Ranges, outer: Scope, columns: readonly string[] = []): void => {
    const scope = openScope(query, outer);
    visitBlock(query, asked, scope, columns);
    for (const { query: next } of query.then) {
      const inside = openScope(next, scope);
      visitBlock(next, byPosition(query, next, asked, columns), inside, []);
      visitCommon(inside);
    }
    visitCommon(scope);
  };

  /** Later tables can only name earlier ones, so each is visited after everything that asks something of it. */
  const visitCommon = (scope: Scope): void => {
    for (const { table, asked } of [...scope.tables.values()].reverse()) {
      const isOpen = namesItself(table.query, table.name) || readElsewhere.has(table.name);
      visitQuery(table.query, isOpen ? noRanges : unionOf(asked), scope, table.columns);
    }
  };

  const visitNested = (expressions: readonly SqlExpression[], scope: Scope): void => {
    for (const expression of expressions) {
      walkInside(expression, (inner, query) => {
        if (query !== undefined) return;
        if (inner.kind === 'subquery' || inner.kind === 'exists') visitQuery(inner.query, noRanges, scope);
        else if (inner.kind === 'in' && inner.query !== undefined) visitQuery(inner.query, noRanges, scope);
      });
    }
  };

  return {
    query: visitQuery,
    nested: visitNested,
    common: visitCommon,
    table: visitTable,
    from: (from, where, asked, skip, scope) => {
      const own = fromRanges(from, where, context, columnsIn(scope));
      for (const [name, range] of asked) own.ask(skip, name, range);
      enter(from, own, skip, scope);
      visitNested(where, scope);
    },
  };
}

const hasOutput = (query: QueryBlock, column: string, columns: readonly string[] = []): boolean | undefined =>
  outputNames(query, columns)?.includes(column);

/** A range asked of the output is one on the rows read, unless rows are cut off or compared with others before it. */
function passesThrough(query: QueryBlock, context: SqlContext): boolean {
  if (query.limit !== undefined || query.qualify.length > 0) return false;
  if (query.distinct && /\bdistinct\s+on\b/i.test(context.text.slice(query.start, query.select[0]?.start)))
    return false;
  return !query.select.some(({ expression }) => {
    let windowed = false;
    walkInside(expression, (inner) => {
      if (inner.kind === 'call' && inner.window !== undefined) windowed = true;
    });
    return windowed;
  });
}

function askInside(
  query: QueryBlock,
  name: string,
  range: ColumnRange,
  own: FromRanges,
  context: SqlContext,
  columns: readonly string[],
): void {
  const index = outputIndex(query, name, columns);
  const item = index === undefined ? undefined : query.select[index];
  if (item === undefined) {
    for (const { expression } of query.select) {
      if (expression.kind !== 'star') continue;
      for (const owner of own.owners({ qualifier: expression.qualifier, name })) own.ask(owner, name, range);
    }
    return;
  }
  const side = comparedColumn(item.expression, context.dialect);
  if (side === undefined || side.zone !== undefined) {
    for (const bound of boundBehind(item.expression, range, context, (column) => typeOfOwner(own, column)))
      for (const owner of own.owners(bound)) own.ask(owner, bound.name, bound.range);
    return;
  }
  const owners = own.owners(side.column);
  for (const owner of owners) {
    const type = own.typeAt(owner, side.column.name);
    own.ask(owner, side.column.name, comparedRange(range, side, type, context));
  }
}

function typeOfOwner(own: FromRanges, column: ColumnName): ColumnType {
  const [owner, ...others] = own.owners(column);
  return owner === undefined || others.length > 0 ? undefined : own.typeAt(owner, column.name);
}

/** The branches of a set operation take the names of the first one, by position. */
function byPosition(first: QueryBlock, next: QueryBlock, asked: Ranges, columns: readonly string[]): Ranges {
  const ranges = new Map<string, ColumnRange>();
  for (const [name, range] of asked) {
    const index = outputIndex(first, name, columns);
    if (index === undefined) {
      // `select *` on both sides: the names are taken to be the same.
      if (next.select.some(({ expression }) => expression.kind === 'star')) ranges.set(name, range);
      continue;
    }
    const own = next.select[index]?.name;
    if (own !== undefined) ranges.set(own, range);
  }
  return ranges;
}

function unionOf(asked: readonly Ranges[]): Ranges {
  const [first, ...rest] = asked;
  if (first === undefined) return noRanges;
  const ranges = new Map<string, ColumnRange>();
  for (const [name, range] of first) {
    const others = rest.flatMap((one) => one.get(name) ?? []);
    if (others.length === rest.length) ranges.set(name, either([range, ...others]));
  }
  return ranges;
}

/** Common tables that statements inside this one read (`with b as (…), i as (insert … select … from b) …`), whatever it asks itself. */
function namedInside(modifying: readonly Statement[]): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (from: readonly FromItem[]): void => {
    for (const item of from) if (item.kind === 'table' && item.cte !== undefined) names.add(item.cte);
  };
  for (const statement of modifying) {
    add(statement.from);
    walkQueries(statement, (query) => add(query.from));
  }
  return names;
}

/** A recursive common table: what is asked of its result does not hold for the rows on the way to it. */
function namesItself(query: QueryBlock, name: string): boolean {
  const blocks: QueryBlock[] = [query];
  for (let block = blocks.pop(); block !== undefined; block = blocks.pop()) {
    for (const item of block.from) {
      if (item.kind === 'table' && item.cte === name) return true;
      if (item.kind === 'query') blocks.push(item.query);
    }
    blocks.push(...block.then.map((next) => next.query), ...block.with.map((table) => table.query));
  }
  return false;
}
