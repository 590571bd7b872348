import type { SliceRelation } from '../../diff/slice-relation.ts';
import { describeTables, qualifyNames, type TypeCache } from '../../warehouse/catalog/describe-tables.ts';
import { ledgerBound, lowerBound, upperBound } from '../../warehouse/dialects/postgres/ledger/ledger-bounds.ts';
import { quoteIdentifier } from '../../warehouse/dialects/postgres/quote.ts';
import { slicePredicate } from '../../warehouse/dialects/postgres/slice-predicate.ts';
import type { Session, WarehouseDescription } from '../../warehouse/port/ports.ts';
import type { TableDescription } from '../../warehouse/port/table-description.ts';
import type { JobSlice, UnitJob } from '../unit/unit-job.ts';
import { filledByDefault } from './filled-by-default.ts';
import { madeTables } from './made-tables.ts';
import { withTypedCut } from './with-typed-cut.ts';

/** One written slice with its table as it is before the task; no table where the task is about to create it. */
export interface Target {
  readonly slice: JobSlice;
  readonly qualified: string;
  readonly relation: SliceRelation | undefined;
}

/** The slice as claims and versions name it. */
export interface VersionSlice {
  readonly slice: string;
  readonly target: string;
  readonly slice_column: string | null;
  readonly lower: string;
  readonly upper: string;
}

/**
 * Looks up the targets of a job, whatever way their names are written; a slice that is named twice is one. Throws
 * {@link WarehouseError}.
 */
export async function resolveTargets(
  session: Session,
  job: UnitJob,
  server: WarehouseDescription,
  types: TypeCache,
): Promise<readonly Target[]> {
  const created = await missingCreated(session, job);
  const existing = job.slices.filter((slice) => !created.has(slice.table));
  const tables = existing.length === 0 ? [] : await describeTables(session, tableNames(existing), types);
  const byName = new Map(tableNames(existing).map((name, index) => [name, tables[index]]));
  const targets: Target[] = [];
  for (const asked of job.slices) {
    const table = byName.get(asked.table);
    const slice = table === undefined ? asked : await withTypedCut(session, table, asked);
    targets.push({
      slice,
      qualified: table?.qualified ?? slice.table,
      // What no refresh has filled yet cannot be read.
      relation: table && table.materialized !== 'unfilled' ? relationOf(slice, table, server, job) : undefined,
    });
  }
  return [...new Map(targets.map((target) => [ledgerSlice(target).slice, target])).values()];
}

const tableNames = (slices: readonly JobSlice[]): readonly string[] => [...new Set(slices.map((slice) => slice.table))];

/** Targets that the task itself creates and that do not exist yet. */
async function missingCreated(session: Session, job: UnitJob): Promise<ReadonlySet<string>> {
  const names = [...madeTables(job)];
  if (names.length === 0) return new Set();
  const found = await qualifyNames(session, names);
  return new Set(names.filter((_, index) => found[index] === undefined));
}

export function relationOf(
  slice: JobSlice,
  table: TableDescription,
  server: WarehouseDescription,
  job?: Pick<UnitJob, 'options' | 'statements'>,
): SliceRelation {
  const surrogates = slice.surrogates ?? filledByDefault(table, slice, job?.statements ?? []);
  const volatile = [...slice.volatile, ...surrogates.filter((name) => !slice.volatile.includes(name))];
  const key = keyOf({ ...slice, volatile }, table);
  return {
    table,
    predicate: slicePredicate(table, slice),
    key,
    keyGuaranteed: table.keys.some((unique) => unique.every((column) => key.includes(column))) && key.length > 0,
    volatile,
    surrogates,
    floatTolerance: slice.floatTolerance ?? job?.options.floatTolerance,
    hash: Number.parseInt(server.serverVersion, 10) >= 14 ? 'hash' : 'md5',
    server: server.serverVersion,
  };
}

/** The declared key, else the first unique key that a rerun does not make anew; none that `=` does not tell apart. */
function keyOf(slice: JobSlice, table: TableDescription): readonly string[] {
  const usable = (name: string) => table.columns.some((column) => column.name === name && column.equatable);
  if (slice.key.length > 0 && slice.key.every(usable)) return slice.key;
  return table.keys.find((key) => key.every((name) => usable(name) && !slice.volatile.includes(name))) ?? [];
}

export const tableSql = (table: TableDescription): string =>
  `${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}`;

export function ledgerSlice(target: Target): VersionSlice {
  const { column, from, to } = target.slice;
  const bounded = column !== undefined && (from !== undefined || to !== undefined);
  const [lower, upper] = bounded ? [ledgerBound(from), ledgerBound(to)] : [undefined, undefined];
  return {
    slice: `${target.qualified}|${column ?? ''}|${from ?? ''}|${to ?? ''}`,
    target: target.qualified,
    slice_column: bounded ? column : null,
    lower: lowerBound(lower),
    upper: upperBound(upper),
  };
}
