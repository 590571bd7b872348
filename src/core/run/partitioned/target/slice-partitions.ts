import { epochMs } from '../../../warehouse/dialects/postgres/slice-predicate.ts';
import { quoteIdentifier, quoteLiteral } from '../../../warehouse/dialects/spark/quote.ts';
import type { FileTable, PartitionSpec } from '../../../warehouse/port/file-table.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { OwnPartitions } from './overwrite.ts';

const dayMs = 86_400_000;

/** Which partitions of a table are those of a unit. */
export interface SlicePartitions {
  readonly isOwn: (spec: PartitionSpec) => boolean;
  /** The rows of some of them, as SQL; other partitions are not opened. */
  readonly predicate: (specs: readonly PartitionSpec[]) => string;
}

/**
 * Partitions by the days that their values are: of a DATE, or of a text or number that is one (`2026-11-01`, `20261101`). Throws
 * {@link WarehouseError} where the bounds of the slice are within a day, where the slice is cut by a column that is no partition, or (from
 * `isOwn`) where a partition is of no day, since nobody can say then whose it is.
 */
export function slicePartitions(
  table: FileTable,
  { slice, fixed }: Pick<OwnPartitions, 'slice' | 'fixed'>,
): SlicePartitions {
  const { qualified } = table.table;
  const column = named(table, slice.column);
  if (column === undefined)
    throw cannot(
      `${qualified} is partitioned by ${table.partitionedBy.join(', ') || 'nothing'}, and the rows of an interval are told by ${slice.column}.`,
      `Partition the table by ${slice.column}, or declare under its writes in backfill.yaml which partition column the slice is cut by.`,
    );
  const [from, to] = [slice.from, slice.to].map((iso) => (iso === undefined ? undefined : epochMs(iso)));
  if (from === undefined || to === undefined || from % dayMs !== 0 || to % dayMs !== 0)
    throw cannot(
      `The slice of ${qualified} from ${slice.from} to ${slice.to} does not begin and end with a UTC day, and partitions are told apart by days.`,
      'Say under its writes in backfill.yaml which days an interval owns, like slice: day of start (UTC), or let its scheduler run it.',
    );
  const others = Object.entries(fixed).map(([name, value]) => {
    const own = named(table, name);
    if (own === undefined)
      throw cannot(`${qualified} has no partition column ${name}.`, 'Mend the PARTITION (…) of the task.');
    return [own, value] as const;
  });
  return {
    isOwn(spec) {
      const value = spec[column];
      if (value === null || value === undefined) return false;
      const day = dayOf(value);
      if (day === undefined)
        throw cannot(
          `${qualified} has a partition ${column}=${value}, which is no day, so that nobody can say which interval it is of.`,
          'Partition by a DATE, or by a text like 2026-11-01 or 20261101; or let its scheduler run the task.',
        );
      return from <= day && day < to && others.every(([name, fixedValue]) => sameValue(spec[name], fixedValue));
    },
    predicate: (specs) => {
      const columns = [column, ...others.map(([name]) => name)];
      const values = (name: string) => [...new Set(specs.map((spec) => spec[name] ?? ''))].map(quoteLiteral).join(', ');
      return columns.map((name) => `${quoteIdentifier(name)} in (${values(name)})`).join(' and ');
    },
  };
}

/** As the catalog writes the name. */
const named = ({ partitionedBy }: FileTable, column: string): string | undefined =>
  partitionedBy.find((name) => name.toLowerCase() === column.toLowerCase());

/** `5` and `05` are one number; texts are what they are. */
const sameValue = (value: string | null | undefined, fixed: string): boolean =>
  value === fixed || (/^\d+$/.test(fixed) && /^\d+$/.test(value ?? '') && Number(value) === Number(fixed));

/** The day that the value of a partition is, in milliseconds since the epoch; `undefined`: of no day. */
export function dayOf(value: string): number | undefined {
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(value) ?? [];
  return year === undefined ? undefined : epochMs(`${year}-${month}-${day}`);
}

const cannot = (message: string, hint: string): WarehouseError => new WarehouseError('other', message, false, { hint });
