import type { LedgerStore } from '../../src/core/ledger/ledger-store.ts';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { staleSlices } from '../../src/core/ledger/stale-slices.ts';
import { cpuMs } from '../cpu-ms.ts';
import type { Figure } from '../figure.ts';
import { figureOf } from '../figure.ts';
import { recordRuns, unitsOfRun } from '../ledger-records.ts';
import { median, rounds } from '../rounds.ts';
import { openSalesDatabase, type SalesDatabase } from '../sales-database.ts';

const figure = figureOf('ledger');

const runs = 1000;
const fewer = runs / 10;

/**
 * What is asked of a ledger of a million records: the list of runs, what is stale, and what a run that goes on needs first.
 * Processor time of the server and of this process together; of a tenth of the records beside it.
 */
export async function ledger(): Promise<readonly Figure[]> {
  const database = await openSalesDatabase();
  const store = sqlLedgerStore(database.warehouse);
  try {
    await store.listRuns(1);
    await recordRuns(database.client, 1, fewer);
    const small = await questions(store, database);
    await recordRuns(database.client, fewer + 1, runs);
    const large = await questions(store, database);
    const of = (name: keyof typeof large, what: string): Figure => {
      const [now, before] = [median(large[name]), median(small[name])];
      const count = (all: number): string => (all * unitsOfRun).toLocaleString('en');
      return figure(
        `${what}, ${count(runs)} records, processor time`,
        now,
        'ms',
        1000,
        `${before.toFixed(0)} ms of ${count(fewer)}`,
      );
    };
    return [of('history', 'history'), of('stale', 'what is stale'), of('resume', 'resume a run')];
  } finally {
    await store.close();
    await database.close();
  }
}

function questions(store: LedgerStore, database: SalesDatabase) {
  const run = 'run-0050';
  return rounds(
    3,
    {
      history: () => store.listRuns(20),
      stale: async () => staleSlices(await store.newestVersions(), new Map()),
      resume: async () => {
        await store.loadRun(run);
        await store.units(run);
      },
    },
    () => cpuMs() + (database.serverCpuMs() ?? 0),
  );
}
