import { type Instant, instant } from '../time/zones/instant.ts';
import { readableLedgerSql } from '../warehouse/dialects/postgres/ledger/readable-ledger-sql.ts';
import { recordedSchemasSql } from '../warehouse/dialects/postgres/ledger/recorded-schema-sql.ts';
import type { Session } from '../warehouse/port/ports.ts';
import type { ColumnType } from '../warehouse/port/table-description.ts';
import { boundsOf } from './active-overlaps.ts';
import type { LedgerSlice } from './ledger-store.ts';

/** How a table looked when slices were written to it or made from it. */
export interface RecordedSchema {
  readonly role: 'target' | 'input';
  /** `schema.name`. */
  readonly table: string;
  /** `undefined` where an older program made the versions. */
  readonly columns: readonly ColumnType[] | undefined;
  /** What an older program kept of a target: a hash of its schema, the names of the columns that it compared. */
  readonly hash: string | undefined;
  readonly names: readonly string[] | undefined;
  readonly slices: number;
  /** The newest of their runs. */
  readonly run: string;
  readonly at: Instant;
}

/**
 * The schemas that the newest versions of these slices have in the ledger, where there is one that this role may read;
 * never makes one. Throws {@link WarehouseError}.
 */
export async function recordedSchemas(
  session: Session,
  slices: readonly LedgerSlice[],
): Promise<readonly RecordedSchema[]> {
  if (slices.length === 0 || (await session.query(readableLedgerSql('versions'))).rows[0]?.[0] !== 't') return [];
  const found = await session.query(recordedSchemasSql, [await boundsOf(session, slices)]);
  return found.rows.map(([role, table, columns, hash, algorithm, count, run, at]) => ({
    role: role === 'target' ? 'target' : 'input',
    table: String(table),
    columns: columns == null ? undefined : (JSON.parse(columns) as ColumnType[]),
    hash: hash ?? undefined,
    names: namesOf(algorithm),
    slices: Number(count),
    run: String(run),
    at: instant(Number(at)),
  }));
}

/** `record-hash/1 16 day,shop`: figures with a checksum name their columns. */
const namesOf = (algorithm: string | null | undefined): readonly string[] | undefined =>
  /^record-\w+\/\d+ \d+ (.+)$/s.exec(algorithm ?? '')?.[1]?.split(',');
