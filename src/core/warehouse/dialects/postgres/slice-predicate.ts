import type { TableDescription } from '../../port/table-description.ts';
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
}

const dayMs = 86_400_000;

/**
 * The slice as SQL, `undefined` for the whole table. Bounds become literals of the column's own type, so that no
 * session setting moves them: `date` and text take whole UTC days, `timestamp` the wall time of UTC, `timestamptz` the
 * instant, integers `yyyymmdd`. Throws {@link WarehouseError} where the bounds cannot be said in the column's type.
 */
export function slicePredicate(table: TableDescription, slice: SliceBounds): string | undefined {
  if (slice.predicate !== undefined) return `(${slice.predicate}\n)`;
  if (slice.column === undefined || (slice.from === undefined && slice.to === undefined)) return undefined;
  const column = table.columns.find((candidate) => candidate.name === slice.column);
  if (column === undefined) throw missingColumn(table, slice.column);
  const { values = [] } = slice;
  if (values.length > 1 || (values.length === 1 && !timeTypes.has(column.baseType))) {
    return `(${values.map((value) => equality(table, value)).join(' and ')})`;
  }
  const name = quoteIdentifier(column.name);
  const bound = (operator: string, iso: string | undefined): string[] =>
    iso === undefined ? [] : [`${name} ${operator} ${boundLiteral(iso, column.baseType, table, column.name)}`];
  return `(${[...bound('>=', slice.from), ...bound('<', slice.to)].join(' and ')})`;
}

export const timeTypes: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz']);

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
    hint: 'Declare the slice column of this target in backfill.yaml.',
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
