import type { SliceCut } from '../../../lineage/facts/slice-cut.ts';
import type { ColumnDescription, TableDescription } from '../../port/table-description.ts';
import { WarehouseError } from '../../port/warehouse-error.ts';
import { quoteIdentifier, quoteLiteral } from './quote.ts';

/** The part of a table that is asked about; bounds are ISO dates or instants, `[from, to)`, open where undefined. */
export interface SliceBounds {
  readonly column: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** SQL over the table's columns; beats the bounds. */
  readonly predicate: string | undefined;
  /** The one value of each of these columns, as SQL; beats the bounds of columns that hold no times. */
  readonly values?: readonly { readonly column: string; readonly sql: string }[] | undefined;
  /** By what it is cut where no column is; beats `column` and the values. */
  readonly cut?: TypedCut | undefined;
}

export type TimeType = 'date' | 'timestamp' | 'timestamptz';

/** The type of an expression is the server's to say: without it no bound can be said in it. */
export type TypedCut = SliceCut & { readonly type?: TimeType | undefined };

const dayMs = 86_400_000;

/**
 * The slice as SQL, `undefined` for the whole table. Bounds become literals of the column's own type, so that no
 * session setting moves them: `date` and text take whole UTC days, `timestamp` the wall time of UTC, `timestamptz` the
 * instant, integers `yyyymmdd`. Throws {@link WarehouseError} where the bounds cannot be said in the column's type.
 */
export function slicePredicate(table: TableDescription, slice: SliceBounds): string | undefined {
  if (slice.predicate !== undefined) return `(${slice.predicate}\n)`;
  if (slice.column === undefined || (slice.from === undefined && slice.to === undefined)) return undefined;
  if (slice.cut !== undefined) return cutPredicate(table, slice.cut, slice);
  const column = table.columns.find((candidate) => candidate.name === slice.column);
  if (column === undefined) throw missingColumn(table, slice.column);
  const { values = [] } = slice;
  if (values.length > 1 || (values.length === 1 && !timeTypes.has(column.baseType))) {
    return `(${values.map((value) => equality(table, value)).join(' and ')})`;
  }
  return between(quoteIdentifier(column.name), slice, (iso) => boundLiteral(iso, column.baseType, table, column.name));
}

const between = (subject: string, { from, to }: Bounds, literal: (iso: string) => string): string =>
  `(${[
    ...(from === undefined ? [] : [`${subject} >= ${literal(from)}`]),
    ...(to === undefined ? [] : [`${subject} < ${literal(to)}`]),
  ].join(' and ')})`;

type Bounds = Pick<SliceBounds, 'from' | 'to'>;

const isTimeType = (type: string): type is TimeType => timeTypes.has(type);

export const timeTypes: ReadonlySet<string> = new Set<TimeType>(['date', 'timestamp', 'timestamptz']);

function cutPredicate(table: TableDescription, cut: TypedCut, bounds: Bounds): string {
  if (cut.kind === 'parts') return partsPredicate(table, cut.columns, bounds);
  return between(cutSubject(cut), bounds, (iso) => cutBound(table, cut, iso));
}

/** The expression as an operand; a comment at its end takes no bracket away. */
export const cutSubject = ({ sql }: Extract<SliceCut, { kind: 'expression' }>): string => `(${sql}\n)`;

/** A bound in the type of an expression. Throws {@link WarehouseError} where that cannot say it. */
export function cutBound(table: TableDescription, cut: Extract<TypedCut, { kind: 'expression' }>, iso: string): string {
  if (cut.type === undefined) throw unsayable(iso, 'of an unknown type', table, cut.sql, 'cannot be compared with it');
  return boundLiteral(iso, cut.type, table, cut.sql);
}

/**
 * The name of the type that an expression over bare columns of a table gives, and of the first of the functions in `$1` (as
 * written) that gives another value each time, if one does. Looks at no row. The server refuses what cannot stand in a
 * condition on one row.
 */
export const expressionTypeSql = (table: TableDescription, subject: string): string => `
select t.typname, (
  select p.proname from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where p.provolatile = 'v' and (
    n.nspname || '.' || p.proname = any ($1::text[])
    or (p.proname = any ($1::text[]) and pg_catalog.pg_function_is_visible(p.oid))
  )
  limit 1
)
from pg_catalog.pg_type t
where t.oid = pg_catalog.pg_typeof((
  select ${subject} from ${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}
  where ${subject} is not null limit 0
))::pg_catalog.oid`;

/**
 * The type of an expression over a table, from the name that the server has for it. Throws {@link WarehouseError} for one
 * that says no time: what a text or number means would be a guess.
 */
export function timeTypeOf(table: TableDescription, sql: string, type: string): TimeType {
  if (isTimeType(type)) return type;
  throw new WarehouseError(
    'other',
    `The expression ${sql} over ${table.qualified} is of type ${type}, no date.`,
    false,
    {
      hint: "Write it in backfill.yaml so that it gives a date, timestamp or timestamptz, like (…)::date, to_date(…, 'YYYYMMDD') or to_timestamp(seconds).",
    },
  );
}

/** Shortest ISO text of each unit of time, by the number of its parts. */
const partUnits = [
  { unit: 'year', digits: 4 },
  { unit: 'month', digits: 7 },
  { unit: 'UTC day', digits: 10 },
  { unit: 'UTC hour', digits: 13 },
] as const;

/** One unit of the last part by equality, which partitions and indexes know; more by comparing the parts from the first on. */
function partsPredicate(table: TableDescription, names: readonly string[], { from, to }: Bounds): string {
  const columns = names.map((name) => partColumn(table, name));
  const shown = columns.map(({ name }) => quoteIdentifier(name));
  const [low, high] = [from, to].map((iso) => (iso === undefined ? undefined : partsOf(iso, columns, table)));
  if (from !== undefined && to !== undefined && low !== undefined && isNextUnit(from, to, columns.length))
    return `(${shown.map((name, index) => `${name} = ${low[index]}`).join(' and ')})`;
  const row = (operator: string, parts: readonly string[] | undefined): string[] =>
    parts === undefined ? [] : [`(${shown.join(', ')}) ${operator} (${parts.join(', ')})`];
  return `(${[...row('>=', low), ...row('<', high)].join(' and ')})`;
}

/** Whether `[from, to)` is one unit of the last of so many parts. */
function isNextUnit(from: string, to: string, parts: number): boolean {
  const [start, end] = [epochMs(from), epochMs(to)];
  if (start === undefined || end === undefined || end <= start) return false;
  const digits = partUnits[parts - 1]?.digits;
  return new Date(start).toISOString().slice(0, digits) === new Date(end - 1).toISOString().slice(0, digits);
}

/** An instant as literals of the columns of its parts. */
function partsOf(iso: string, columns: readonly ColumnDescription[], table: TableDescription): readonly string[] {
  const at = epochMs(iso);
  const last = partUnits[columns.length - 1];
  const names = columns.map(({ name }) => name).join(', ');
  if (at === undefined || last === undefined)
    throw unsayable(iso, 'parts of a date', table, names, 'is not an ISO date or instant');
  const text = new Date(at).toISOString();
  if (Date.parse(`${text.slice(0, last.digits)}${wholeFrom.slice(last.digits)}`) !== at)
    throw unsayable(iso, 'parts of a date', table, names, `falls inside a ${last.unit}`);
  return columns.map(({ baseType }, index) => {
    const digits = text.slice(index === 0 ? 0 : (partUnits[index - 1]?.digits ?? 0) + 1, partUnits[index]?.digits);
    return numberTypes.has(baseType) ? String(Number(digits)) : quoteLiteral(digits);
  });
}

/** What follows the parts of an instant at which their last unit begins. */
const wholeFrom = '0000-01-01T00:00:00.000Z';

const numberTypes: ReadonlySet<string> = new Set(['int2', 'int4', 'int8', 'numeric']);
const textTypes: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar']);

function partColumn(table: TableDescription, name: string): ColumnDescription {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw missingColumn(table, name);
  if (numberTypes.has(column.baseType) || textTypes.has(column.baseType)) return column;
  throw new WarehouseError(
    'other',
    `The column ${name} of ${table.qualified} (${column.type}) holds no part of a date as a number or text.`,
    false,
    { hint: 'Name under columns in backfill.yaml those that do, or say column or expression instead.' },
  );
}

/** In the column's own type, as an INSERT would put it there. */
function equality(table: TableDescription, { column, sql }: { readonly column: string; readonly sql: string }): string {
  const known = table.columns.find(({ name }) => name === column);
  const isPlain = /^(?:text|varchar|bpchar|int[248]|numeric|date)$/.test(known?.baseType ?? '');
  return `${quoteIdentifier(column)} = (${sql}\n)${isPlain ? `::pg_catalog.${known?.baseType}` : ''}`;
}

/** A bound as a literal of the column's own type. Throws {@link WarehouseError} where that cannot say it. */
export function columnBound(table: TableDescription, column: string, iso: string): string {
  const found = table.columns.find(({ name }) => name === column);
  if (found === undefined) throw missingColumn(table, column);
  return boundLiteral(iso, found.baseType, table, column);
}

const missingColumn = (table: TableDescription, column: string): WarehouseError =>
  new WarehouseError('missing', `The table ${table.qualified} has no column ${column}.`, false, {
    sqlState: '42703',
    hint: `The rows of one interval are looked for by ${column} because backfill.yaml names it, or the statements of the task do, maybe of another table that they read: declare the column of ${table.qualified} that tells them, under its writes in backfill.yaml.`,
  });

function boundLiteral(iso: string, type: string, table: TableDescription, column: string): string {
  const at = epochMs(iso);
  if (at === undefined) throw unsayable(iso, type, table, column, 'is not an ISO date or instant');
  const text = new Date(at).toISOString();
  const day = text.slice(0, 10);
  switch (type) {
    case 'timestamp':
      return `'${day} ${text.slice(11, 23)}'::pg_catalog.timestamp`;
    case 'timestamptz':
      return `'${day} ${text.slice(11, 23)}+00'::pg_catalog.timestamptz`;
  }
  if (at % dayMs !== 0) throw unsayable(iso, type, table, column, 'falls inside a UTC day');
  switch (type) {
    case 'date':
      return `'${day}'::pg_catalog.date`;
    case 'text':
    case 'varchar':
    case 'bpchar':
      return quoteLiteral(day);
    case 'int4':
    case 'int8':
    case 'numeric':
      return day.replaceAll('-', '');
    default:
      throw unsayable(iso, type, table, column, 'cannot be compared with it');
  }
}

function unsayable(iso: string, type: string, table: TableDescription, column: string, why: string): WarehouseError {
  return new WarehouseError(
    'other',
    `The slice bound ${iso} of ${table.qualified}.${column} (${type}) ${why}.`,
    false,
    {
      hint: 'Say under writes in backfill.yaml which days an interval owns, like slice: day of start (UTC), or let the task delete them by its own predicate; then run the interval again (this run goes by what was said when it was planned).',
    },
  );
}

const isoPattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Milliseconds since the epoch of an ISO date (midnight UTC) or an ISO instant with its offset. */
export function epochMs(iso: string): number | undefined {
  if (!isoPattern.test(iso)) return undefined;
  const day = iso.slice(0, 10);
  const midnight = Date.parse(day);
  const at = Date.parse(iso);
  // The engine takes 30 February for 2 March.
  if (Number.isNaN(at) || Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  return at;
}
