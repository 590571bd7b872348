import { beginningOfTime, endOfTime, instant } from '../time/zones/instant.ts';
import { qualifyNames } from '../warehouse/catalog/describe-tables.ts';
import { ledgerBound, lowerBound, upperBound } from '../warehouse/dialects/postgres/ledger/ledger-bounds.ts';
import { activeOverlapsSql } from '../warehouse/dialects/postgres/ledger/ledger-store-sql.ts';
import { readableLedgerSql } from '../warehouse/dialects/postgres/ledger/readable-ledger-sql.ts';
import type { Session, Warehouse } from '../warehouse/port/ports.ts';
import type { LedgerSlice, LedgerStore, RunOverlap } from './ledger-store.ts';

/** Who works on which slices now. */
export type ActiveRuns = Pick<LedgerStore, 'activeOverlaps'>;

/**
 * Asks the ledger of a database where there is one, and never makes one: what a plan and a preview may do. A role that
 * may not read the ledger hears of nobody, as it cannot take part in runs either. An engine that serves one process at
 * a time has no other runs. Each question has a session of its own. Throws {@link WarehouseError}.
 */
export const activeRuns = (warehouse: Warehouse): ActiveRuns => ({
  activeOverlaps: async (run, slices) => {
    if (warehouse.leases === 'exclusive') return [];
    const session = await warehouse.connect('ledger');
    try {
      const readable = (await session.query(readableLedgerSql('claims'))).rows[0]?.[0] === 't';
      return readable ? await overlapsOf(session, run, slices) : [];
    } finally {
      await session.close();
    }
  },
});

/** Live runs other than `run` that write rows of these slices. */
export async function overlapsOf(
  session: Session,
  run: string,
  slices: readonly LedgerSlice[],
): Promise<readonly RunOverlap[]> {
  const found = await session.query(activeOverlapsSql, [run, await boundsOf(session, slices)]);
  return found.rows.map(([other, owner, table, leaseLeftMs, since, from, to]) => ({
    run: String(other),
    owner: String(owner),
    since: instant(Number(since)),
    table: String(table),
    from: from == null ? beginningOfTime : instant(Number(from)),
    to: to == null ? endOfTime : instant(Number(to)),
    leaseLeftMs: Number(leaseLeftMs),
  }));
}

/** Slices under the names and bounds of the ledger, as JSON. */
export async function boundsOf(session: Session, slices: readonly LedgerSlice[]): Promise<string> {
  const names = [...new Set(slices.map(({ table }) => table))];
  const qualified = names.length === 0 ? [] : await qualifyNames(session, names);
  const byName = new Map(names.map((name, index) => [name, qualified[index] ?? name]));
  return JSON.stringify(
    slices.map(({ table, column, from, to }) => ({
      target: byName.get(table) ?? table,
      slice_column: column ?? null,
      lower: lowerBound(ledgerBound(from)),
      upper: upperBound(ledgerBound(to)),
    })),
  );
}
