import { positionSql } from '../../../warehouse/dialects/postgres/ledger/record-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';

/** Rows inserted, updated and deleted in one table by this transaction so far. */
export type Counters = readonly [inserted: number, updated: number, deleted: number];

/** Where the unit's transaction stands before the task, so that what the task does can be told from what was before. */
export interface Position {
  readonly counters: ReadonlyMap<string, Counters>;
  /** Rows whose `age(xmin)` is at most this were written after this moment. */
  readonly ownAge: string;
  readonly transaction: string;
  readonly countersOn: boolean;
  /** Tables that the transaction had to itself before, and the file that each was in (empty: none). */
  readonly exclusive: ReadonlyMap<string, string>;
}

export async function readPosition(session: Session): Promise<Position> {
  const [counters, ownAge, transaction, trackCounts, exclusive] = (await session.query(positionSql)).rows[0] ?? [];
  return {
    counters: new Map(Object.entries(JSON.parse(counters ?? '{}') as Record<string, Counters>)),
    ownAge: ownAge ?? '0',
    transaction: transaction ?? '',
    countersOn: trackCounts === 'on',
    exclusive: new Map(Object.entries(JSON.parse(exclusive ?? '{}') as Record<string, string>)),
  };
}
