import { epochMs } from '../../../warehouse/dialects/postgres/slice-predicate.ts';
import { quoteIdentifier, quoteLiteral } from '../../../warehouse/dialects/spark/quote.ts';
import type { FileTable, PartitionSpec } from '../../../warehouse/port/file-table.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { OwnPartitions } from './overwrite.ts';
import { named, partitionTime } from './partition-time.ts';

/** Which partitions of a table are those of a unit. */
export interface SlicePartitions {
  readonly isOwn: (spec: PartitionSpec) => boolean;
  /** The rows of some of them, as SQL; other partitions are not opened. */
  readonly predicate: (specs: readonly PartitionSpec[]) => string;
}

/**
 * Partitions by the time that their values are. Throws {@link WarehouseError} where the bounds of the slice cut through one, where the
 * slice is cut by columns that are no partitions, or (from `isOwn`) where a partition is of no time, since nobody can say then whose it is.
 */
export function slicePartitions(
  table: FileTable,
  { slice, fixed }: Pick<OwnPartitions, 'slice' | 'fixed'>,
): SlicePartitions {
  const { qualified } = table.table;
  const time = partitionTime(table, slice);
  const [from, to] = [slice.from, slice.to].map((iso) => (iso === undefined ? undefined : epochMs(iso)));
  if (from === undefined || to === undefined || !time.isStart(from) || !time.isStart(to))
    throw cannot(
      `The slice of ${qualified} from ${slice.from} to ${slice.to} does not begin and end with a ${time.unit}, and partitions are told apart by ${time.unit.replace('UTC ', '')}s.`,
      'Say under its writes in backfill.yaml which of them an interval owns, like slice: day of start (UTC), or let its scheduler run it.',
    );
  const others = Object.entries(fixed).map(([name, value]) => {
    const own = named(table, name);
    if (own === undefined)
      throw cannot(`${qualified} has no partition column ${name}.`, 'Mend the PARTITION (…) of the task.');
    return [own, value] as const;
  });
  const columns = [...time.columns, ...others.map(([name]) => name)];
  return {
    isOwn(spec) {
      const start = time.startOf(spec);
      if (start === undefined) return false;
      return from <= start && start < to && others.every(([name, fixedValue]) => sameValue(spec[name], fixedValue));
    },
    predicate: (specs) => {
      const terms = specs.map((spec) =>
        columns.map((name) => `${quoteIdentifier(name)} = ${quoteLiteral(spec[name] ?? '')}`).join(' and '),
      );
      return [...new Set(terms)].map((term) => `(${term})`).join(' or ');
    },
  };
}

/** `5` and `05` are one number; texts are what they are. */
const sameValue = (value: string | null | undefined, fixed: string): boolean =>
  value === fixed || (/^\d+$/.test(fixed) && /^\d+$/.test(value ?? '') && Number(value) === Number(fixed));

const cannot = (message: string, hint: string): WarehouseError => new WarehouseError('other', message, false, { hint });
