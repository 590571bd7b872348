import { columnsOfCut } from '../../../lineage/facts/slice-cut.ts';
import { epochMs } from '../../../warehouse/dialects/postgres/slice-predicate.ts';
import { partitionPath } from '../../../warehouse/dialects/spark/partition-sql.ts';
import type { FileTable, PartitionSpec } from '../../../warehouse/port/file-table.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { JobSlice } from '../../unit/unit-job.ts';
import { isUnitStart, type TimeUnit, timeUnitOf } from './time-unit.ts';

/** How the partitions of a table tell of which time their rows are. */
export interface PartitionTime {
  /** As the catalog writes them. */
  readonly columns: readonly string[];
  readonly unit: TimeUnit['words'];
  /** When the time of a partition begins, in milliseconds since the epoch; `undefined`: it is NULL. Throws {@link WarehouseError} for one of no time. */
  readonly startOf: (spec: PartitionSpec) => number | undefined;
  /** A time at which no partition is cut through. */
  readonly isStart: (ms: number) => boolean;
}

/**
 * By one column whose values are days (of a DATE, or a text or number like `2026-11-01` and `20261101`), or by those of year, month,
 * day and hour. Throws {@link WarehouseError} where these are no partition columns of the table.
 */
export function partitionTime(table: FileTable, slice: Pick<JobSlice, 'column' | 'cut'>): PartitionTime {
  const { qualified } = table.table;
  const asked = columnsOfCut(slice);
  const columns = asked.flatMap((name) => named(table, name) ?? []);
  if (columns.length < asked.length || asked.length === 0)
    throw cannot(
      `${qualified} is partitioned by ${table.partitionedBy.join(', ') || 'nothing'}, and the rows of an interval are told by ${asked.join(', ') || 'no column'}.`,
      `Partition the table by ${asked.join(', ') || 'a day'}, or declare under its writes in backfill.yaml which partition column the slice is cut by.`,
    );
  const unit = timeUnitOf(columns.length);
  const iso = columns.length === 1 ? isoOfDay : isoOfParts;
  return {
    columns,
    unit: unit.words,
    startOf(spec) {
      const values = columns.map((name) => spec[name]);
      if (values.some((value) => value === null || value === undefined)) return undefined;
      const start = epochMs(iso(values.map(String)) ?? '');
      if (start !== undefined) return start;
      const partition = partitionPath(Object.fromEntries(columns.map((name) => [name, spec[name] ?? null])));
      throw cannot(
        `${qualified} has a partition ${partition}, which is no ${unit.words.replace('UTC ', '')}, so that nobody can say which interval it is of.`,
        columns.length === 1
          ? 'Partition by a DATE, or by a text like 2026-11-01 or 20261101; or let its scheduler run the task.'
          : 'Partition by numbers like 2026, 11 and 1; or let its scheduler run the task.',
      );
    },
    isStart: (ms) => isUnitStart(unit, ms),
  };
}

/** As the catalog writes the name. */
export const named = ({ partitionedBy }: FileTable, column: string): string | undefined =>
  partitionedBy.find((name) => name.toLowerCase() === column.toLowerCase());

function isoOfDay([value = '']: readonly string[]): string | undefined {
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(value) ?? [];
  return year === undefined ? undefined : `${year}-${month}-${day}`;
}

function isoOfParts(parts: readonly string[]): string | undefined {
  if (!parts.every((part, index) => (index === 0 ? /^\d{4}$/ : /^\d{1,2}$/).test(part))) return undefined;
  const [year = '', month = '', day = '01', hour = '00'] = parts.map((part) => part.padStart(2, '0'));
  return Number(hour) > 23 ? undefined : `${year}-${month}-${day}T${hour}:00:00Z`;
}

const cannot = (message: string, hint: string): WarehouseError => new WarehouseError('other', message, false, { hint });
