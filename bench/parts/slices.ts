import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { runPlan } from '../../src/core/run/order/run-plan.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import { bareRun } from '../bare-run.ts';
import { benchEnv } from '../bench-env.ts';
import type { Figure } from '../figure.ts';
import { memoryWorkspace } from '../memory-workspace.ts';
import { quotient, ratio, rounds } from '../rounds.ts';
import { createSalesTables, openSalesDatabase, type SalesDatabase, salesDag } from '../sales-database.ts';
import { jobsOf, prepareSales } from '../sales-jobs.ts';

const sizes = [
  { suffix: 'one', days: 100, rowsPerDay: 1000, repeats: 2 },
  { suffix: 'ten', days: 365, rowsPerDay: 10_000, repeats: 1 },
];
const names = { one: 'one at a time', two: 'two side by side', four: 'four side by side' };

/** A hundred small days and a year of larger ones in one run, with its ledger, against a loop of the same statements on one connection. */
export async function slices(): Promise<readonly Figure[]> {
  const database = await openSalesDatabase();
  try {
    const figures: Figure[] = [];
    for (const size of sizes) {
      await createSalesTables(database.client, size);
      figures.push(...(await measure(database, size)));
    }
    return figures;
  } finally {
    await database.close();
  }
}

async function measure({ client, warehouse }: SalesDatabase, size: (typeof sizes)[number]): Promise<readonly Figure[]> {
  const { days } = size;
  const workspace = await memoryWorkspace({ 'dags/sales.py': salesDag(size.suffix) });
  const before = () => client.query(`vacuum analyze customer_day_${size.suffix}`);
  let written = 0;
  const prepare = (concurrency: number) =>
    prepareSales(workspace, { task: 'aggregate', days, round: ++written, compare: 'rows', concurrency });
  const loop = async () => {
    for (const job of jobsOf(prepare(1))) await bareRun(client, job);
  };
  const run = async (concurrency: number) => {
    const executor = relationalExecutor(warehouse, benchEnv);
    const ledger = sqlLedgerStore(warehouse);
    const { signal } = new AbortController();
    const ports = { executor, ledger, clock: benchEnv.clock, signal, onEvent: () => {} };
    const result = await runPlan(prepare(concurrency), ports);
    await ledger.close();
    await executor.close();
    const changed = result.units.filter(({ state }) => state === 'changed').length;
    if (changed !== days) throw new Error(`${changed} of ${days} units changed; ${result.outcome}`);
  };
  await loop();
  const samples = await rounds(size.repeats, {
    bare: { before, run: loop },
    one: { before, run: () => run(1) },
    two: { before, run: () => run(2) },
    four: { before, run: () => run(4) },
  });
  return (['one', 'two', 'four'] as const).map((how) => ({
    part: 'slices',
    what: `${days} days of ${size.rowsPerDay} rows, ${names[how]}`,
    value: ratio(samples[how], samples.bare),
    unit: '×',
    atMost: undefined,
    detail: quotient(samples[how], samples.bare),
  }));
}
