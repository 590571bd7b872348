import { overwritesOf } from '../../pipeline/model/overwrites-of.ts';
import type { QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { lastNamePart, nameParts } from '../../sql/model/name-parts.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { walkInside } from '../../sql/model/walk.ts';
import { locate } from '../../text/mapped-text.ts';
import type { SourceSpan } from '../../text/span.ts';
import { columnConditions } from '../columns/column-conditions.ts';
import { both, type ColumnRange, isAboutTime, openRange, type UnreadBound } from '../columns/column-range.ts';
import { datesInParts } from '../columns/date-parts.ts';
import { noRanges, type Ranges } from '../columns/query-scope.ts';
import type { RangeSlice, SliceFact, SliceValue, WriteMode } from '../facts/facts.ts';
import { constantRange, type KnownTables, outputRanges } from '../queries/output-ranges.ts';
import type { TableColumns } from '../queries/table-columns.ts';
import { widestReading } from '../times/widest-reading.ts';
import type { TaskStatement } from './task-statements.ts';

/** A slice with the condition that says it. */
export interface PlacedSlice {
  readonly slice: SliceFact;
  readonly sliceAt: SourceSpan | undefined;
}

export const unknownSlice = (reason: string): PlacedSlice => ({
  slice: { kind: 'unknown', reason },
  sliceAt: undefined,
});

export const wholeTable: PlacedSlice = { slice: { kind: 'whole-table' }, sliceAt: undefined };

/** A range as a slice when both of its sides are known. */
function sliceOf(
  column: string,
  range: ColumnRange,
  { sql, context }: TaskStatement,
  predicate: RangeSlice['predicate'] = undefined,
  values: readonly SliceValue[] = [],
): PlacedSlice | undefined {
  const lo = widestReading(range.lo, 'lower', context.intervals);
  const hi = widestReading(range.hi, 'upper', context.intervals);
  const isSaid = range.inParts !== true || predicate !== undefined || values.length > 0;
  if (lo === undefined || hi === undefined || !isSaid) return undefined;
  return {
    slice: {
      kind: 'range',
      column,
      lo,
      hi,
      predicate,
      ...(values.length > 0 ? { values } : {}),
      ...(range.inParts === true ? { inParts: true as const } : {}),
    },
    sliceAt: range.at && locate(sql.source, range.at),
  };
}

export function firstSlice(ranges: Ranges, item: TaskStatement): PlacedSlice | undefined {
  for (const [column, range] of ranges) {
    const slice = sliceOf(column, range, item);
    if (slice !== undefined) return slice;
  }
  return undefined;
}

/** The target's ranges in a list of conditions, as in a WHERE or a MERGE branch; columns of other tables are left out. */
export function rangesOn(
  conjuncts: Statement['where'],
  { statement, context }: TaskStatement,
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
  const ranges = new Map<string, ColumnRange>();
  for (const { qualifier, name, range } of conditions) {
    // A column is the same one bare, behind the table's name and behind its alias.
    if (isTarget(qualifier)) ranges.set(name, both(ranges.get(name) ?? openRange, range));
  }
  return ranges;
}

/** The slice of a DELETE: its own WHERE, so that the same rendered text names the rows for every later step. */
export function deletedSlice(item: TaskStatement, tables: TableColumns): PlacedSlice {
  const ranges = rangesOn(item.statement.where, item, tables);
  const predicate = ownPredicate(item);
  for (const [column, range] of ranges) {
    const slice = sliceOf(column, range, item, predicate);
    if (slice !== undefined) return slice;
  }
  for (const [column, range] of ranges) {
    const unread = range.unreadLo ?? range.unreadHi;
    const at = { sliceAt: range.at && locate(item.sql.source, range.at) };
    if (unread !== undefined && isAboutTime(unread)) return { ...unknownSlice(reasonOf(column, unread)), ...at };
    if (range.lo !== undefined || range.hi !== undefined) {
      return { ...unknownSlice(`its DELETE leaves one side of ${column} open`), ...at };
    }
  }
  return unknownSlice('its DELETE has no time predicate on the target');
}

const reasonOf = (column: string, { reason }: UnreadBound): string =>
  `the bound on ${column} cannot be read: ${reason}`;

/** Only a condition on the target's own columns, bare or behind its name or alias, can be used again as a predicate. */
function ownPredicate({ statement, sqlIndex, context, inBody }: TaskStatement): RangeSlice['predicate'] {
  const clause = statement.whereSpan;
  if (clause === undefined || statement.from.length > 0 || inBody) return undefined;
  const target = statement.target?.name ?? '';
  const own = new Set([undefined, statement.targetAlias, nameParts(target).join('.'), lastNamePart(target)]);
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
  item: TaskStatement,
  tables: TableColumns,
  known: KnownTables,
  prefer: string | undefined,
): PlacedSlice {
  const { ranges, values } = insertedRanges(item, tables, known);
  const slices = [...ranges].flatMap(([column, range]) => {
    const slice = sliceOf(column, range, item, undefined, values.get(column));
    return slice === undefined ? [] : [{ column, slice }];
  });
  const chosen = slices.find(({ column }) => column === prefer) ?? slices[0];
  if (chosen !== undefined) return chosen.slice;
  for (const [column, { lo, hi, unreadLo, unreadHi }] of ranges) {
    const unread = [lo === undefined && unreadLo, hi === undefined && unreadHi].find((one) => one && isAboutTime(one));
    if (unread) return unknownSlice(reasonOf(column, unread));
  }
  return unknownSlice('no column of the rows that it writes is bound to the interval');
}

interface InsertedRanges {
  readonly ranges: Ranges;
  /** For the column of a range, the columns that say it with the one value that each has in all rows. */
  readonly values: ReadonlyMap<string, readonly SliceValue[]>;
}

/** Ranges of the target's columns in the rows that a statement adds. */
function insertedRanges(item: TaskStatement, tables: TableColumns, known: KnownTables): InsertedRanges {
  const { statement, context } = item;
  // `PARTITION (ds = '{{ ds }}')` gives the columns that the rows do not bring along.
  const named = new Map(rangesOn(statement.partitionBy, item, tables));
  if (statement.query === undefined) {
    // A part that is put in may be any number of columns or values.
    const names =
      statement.columns.length > 0 ? statement.columns : (tables.columnsOf(statement.target?.name ?? '') ?? []);
    if (statement.values.length !== names.length) return { ranges: named, values: new Map() };
    for (const [index, column] of names.entries()) {
      const value = statement.values[index];
      const range = value === undefined || statement.valueRows !== 1 ? undefined : constantRange(value, context);
      if (range !== undefined) named.set(column, range);
    }
    return { ranges: named, values: new Map() };
  }
  const output = outputRanges(statement.query, context, tables, known);
  // Without a column list the values go into the target's columns by position, whatever they are called.
  const inOrder = tables.columnsOf(statement.target?.name ?? '');
  const columns = statement.columns.length > 0 ? statement.columns : statement.byName ? undefined : inOrder;
  if (columns === undefined) {
    const names = statement.query.select.map(({ name }) => name ?? '');
    return withValues(new Map([...named, ...output.byName]), names, item);
  }
  for (const [index, column] of columns.entries()) {
    const range = output.positions.length === 0 ? output.byName.get(column) : output.positions[index];
    if (range !== undefined) named.set(column, range);
  }
  return withValues(named, columns, item);
}

/** The ranges with those of dates in parts, and what the rows have in the columns that get one value for all of them. */
function withValues(
  ranges: Ranges,
  columns: readonly string[],
  { statement, sqlIndex, context }: TaskStatement,
): InsertedRanges {
  const { query } = statement;
  const found = new Map(ranges);
  const values = new Map<string, readonly SliceValue[]>();
  if (query === undefined || query.then.length > 0) return { ranges, values };
  const same = columns.flatMap((column, index): [string, SqlExpression][] => {
    const value = query.select[index]?.expression;
    const filled = value && (isFilled(value) ? value : askedValue(value, query));
    return filled === undefined || column === '' ? [] : [[column, filled]];
  });
  const sliceValue = (column: string): SliceValue[] => {
    const value = same.find(([name]) => name === column)?.[1];
    return value === undefined ? [] : [{ column, sqlIndex, start: value.start, end: value.end }];
  };
  for (const [column] of same) if (found.has(column)) values.set(column, sliceValue(column));
  const equalities = same.map(([name, right]): SqlExpression => {
    const { start, end } = right;
    return {
      kind: 'binary',
      operator: '=',
      left: { kind: 'column', qualifier: undefined, name, start, end },
      right,
      start,
      end,
    };
  });
  for (const { column, others, range } of datesInParts(equalities, context)) {
    const names = [column, ...others].map(({ name }) => name);
    for (const name of names) found.delete(name);
    found.set(column.name, { ...range, inParts: true });
    values.set(column.name, names.flatMap(sliceValue));
  }
  return { ranges: found, values };
}

/** What a condition of the query has the column be: `SELECT year … WHERE year = {{ logical_date.year }}`. */
function askedValue(column: SqlExpression, { from, where }: QueryBlock): SqlExpression | undefined {
  if (column.kind !== 'column' || (column.qualifier === undefined && from.length !== 1)) return undefined;
  const isSame = (one: SqlExpression): boolean =>
    one.kind === 'column' && one.name === column.name && (one.qualifier === column.qualifier || from.length === 1);
  for (const conjunct of where) {
    if (conjunct.kind !== 'binary' || conjunct.operator !== '=') continue;
    const { left, right } = conjunct;
    const value = isSame(left) ? right : isSame(right) ? left : undefined;
    if (value !== undefined && isFilled(value)) return value;
  }
  return undefined;
}

/** A text or number that the template fills in. */
const isFilled = (expression: SqlExpression): boolean =>
  expression.kind === 'cast'
    ? isFilled(expression.operand)
    : expression.kind === 'hole' || expression.kind === 'template-string';

/** The rows that an UPDATE changes. */
export function updatedSlice(item: TaskStatement, tables: TableColumns): PlacedSlice {
  if (item.statement.where.length === 0) return wholeTable;
  return (
    firstSlice(rangesOn(item.statement.where, item, tables), item) ??
    unknownSlice('the rows that it updates are not bound to the interval')
  );
}

/** INSERT OVERWRITE and INSERT … REPLACE WHERE. */
export function overwrittenSlice(
  item: TaskStatement,
  tables: TableColumns,
  known: KnownTables,
): PlacedSlice & { readonly mode: WriteMode } {
  const { kind, partition = 'none' } = item.statement;
  if (kind === 'insert_overwrite' && partition === 'none') {
    const replaces = overwritesOf(item.sql);
    if (replaces === 'static') return { mode: 'full_replace', ...wholeTable };
    if (replaces === 'unknown') return { mode: 'unknown', ...unknownSlice(openOverwrite) };
  }
  const replaced = kind === 'insert_replace_where' ? rangesOn(item.statement.where, item, tables) : noRanges;
  return {
    mode: 'insert_overwrite',
    ...(firstSlice(replaced, item) ?? insertedSlice(item, tables, known, undefined)),
  };
}

const openOverwrite =
  'whether the whole table is replaced or only the partitions that get rows is decided by spark.sql.sources.partitionOverwriteMode, which is known at run time only';
