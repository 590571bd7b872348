import type { Statement } from '../sql/statement.ts';
import { walkInside } from '../sql/walk.ts';
import { columnConditions } from './column-conditions.ts';
import type { ColumnRange, UnreadBound } from './column-range.ts';
import type { SliceFact } from './facts.ts';
import { outermostReading } from './outermost-reading.ts';
import { constantRange, type KnownTables, outputRanges } from './output-ranges.ts';
import type { Ranges } from './query-scope.ts';
import type { SqlContext } from './sql-context.ts';
import type { TableColumns } from './table-reads.ts';

export type RangeSlice = Extract<SliceFact, { kind: 'range' }>;

/** A range as a slice when both of its sides are known. */
export function sliceOf(
  column: string,
  range: ColumnRange,
  predicate: RangeSlice['predicate'] = undefined,
): RangeSlice | undefined {
  const lo = outermostReading(range.lo, 'lower');
  const hi = outermostReading(range.hi, 'upper');
  return lo === undefined || hi === undefined ? undefined : { kind: 'range', column, lo, hi, predicate };
}

export const unknownSlice = (reason: string): SliceFact => ({ kind: 'unknown', reason });

/** What the WHERE of a DELETE or UPDATE says about the target's own columns. */
export function targetRanges(statement: Statement, context: SqlContext, tables: TableColumns): Ranges {
  return rangesOn(statement.where, statement, context, tables);
}

/** The target's ranges in a list of conditions, as in a MERGE branch; columns of other tables are left out. */
export function rangesOn(
  conjuncts: Statement['where'],
  statement: Statement,
  context: SqlContext,
  tables: TableColumns,
): Ranges {
  const target = statement.target?.name ?? '';
  const alone = statement.from.length === 0;
  const isTarget = (qualifier: string | undefined): boolean =>
    qualifier === undefined
      ? alone
      : qualifier === statement.targetAlias || qualifier === target || target.endsWith(`.${qualifier}`);
  const conditions = columnConditions(conjuncts, context, ({ qualifier, name }) =>
    isTarget(qualifier) ? tables.typeOf(target, name) : undefined,
  );
  return new Map(
    conditions.filter(({ qualifier }) => isTarget(qualifier)).map((condition) => [condition.name, condition.range]),
  );
}

/** The slice of a DELETE: its own WHERE, so that the same rendered text names the rows for every later step. */
export function deletedSlice(
  statement: Statement,
  sqlIndex: number,
  context: SqlContext,
  tables: TableColumns,
): SliceFact {
  const ranges = targetRanges(statement, context, tables);
  const predicate = ownPredicate(statement, sqlIndex, context);
  for (const [column, range] of ranges) {
    const slice = sliceOf(column, range, predicate);
    if (slice !== undefined) return slice;
  }
  for (const [column, range] of ranges) {
    const unread = range.unreadLo ?? range.unreadHi;
    if (unread?.varies === true || unread?.ranged === true) return unknownSlice(reasonOf(column, unread));
    if (range.lo !== undefined || range.hi !== undefined) {
      return unknownSlice(`its DELETE leaves one side of ${column} open`);
    }
  }
  return unknownSlice('its DELETE has no time predicate on the target');
}

const reasonOf = (column: string, { reason }: UnreadBound): string =>
  `the bound on ${column} cannot be read: ${reason}`;

/** Only a condition on the target's own columns, bare or behind its name or alias, can be used again as a predicate. */
function ownPredicate(statement: Statement, sqlIndex: number, context: SqlContext): RangeSlice['predicate'] {
  const clause = statement.whereSpan;
  if (clause === undefined || statement.from.length > 0) return undefined;
  const target = statement.target?.name ?? '';
  const own = new Set([undefined, statement.targetAlias, target, target.split('.').at(-1)]);
  let foreign = false;
  for (const conjunct of statement.where) {
    walkInside(conjunct, (expression) => {
      if (expression.kind === 'column' && !own.has(expression.qualifier)) foreign = true;
      if (expression.kind === 'subquery' || expression.kind === 'exists') foreign = true;
      if (expression.kind === 'in' && expression.query !== undefined) foreign = true;
    });
  }
  if (foreign) return undefined;
  const text = context.text.slice(clause.start, clause.end);
  const lead = /^where\s*/i.exec(text)?.[0].length ?? 0;
  return { sqlIndex, start: clause.start + lead, end: clause.start + text.trimEnd().length };
}

/**
 * The slice of an INSERT, from what is known of the rows that it writes. `prefer` is a column that the target is
 * already known to be cut by.
 */
export function insertedSlice(
  statement: Statement,
  context: SqlContext,
  tables: TableColumns,
  known: KnownTables,
  prefer: string | undefined,
): SliceFact {
  const ranges = insertedRanges(statement, context, tables, known);
  const slices = [...ranges].flatMap(([column, range]) => sliceOf(column, range) ?? []);
  const chosen = slices.find((slice) => slice.column === prefer) ?? slices[0];
  return chosen ?? unknownSlice('no column of the rows that it writes is bound to the interval');
}

/** Ranges of the target's columns in the rows that a statement adds. */
export function insertedRanges(
  statement: Statement,
  context: SqlContext,
  tables: TableColumns,
  known: KnownTables,
): Ranges {
  const named = new Map<string, ColumnRange>();
  if (statement.query === undefined) {
    for (const [index, column] of statement.columns.entries()) {
      const value = statement.values[index];
      const range = value === undefined || statement.valueRows !== 1 ? undefined : constantRange(value, context);
      if (range !== undefined) named.set(column, range);
    }
    return named;
  }
  const output = outputRanges(statement.query, context, tables, known);
  // Without a column list the values go into the target's columns by position, whatever they are called.
  const inOrder = tables.columnsOf(statement.target?.name ?? '');
  const columns = statement.columns.length > 0 ? statement.columns : inOrder;
  if (columns === undefined) return output.byName;
  for (const [index, column] of columns.entries()) {
    const range = output.positions.length === 0 ? output.byName.get(column) : output.positions[index];
    if (range !== undefined) named.set(column, range);
  }
  return named;
}
