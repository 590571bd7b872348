import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareRun } from '../bare-run.ts';
import type { Figure } from '../figure.ts';
import { memoryWorkspace } from '../memory-workspace.ts';
import { createSalesTables, dayAfter, openSalesDatabase, type SalesDatabase, salesDag } from '../sales-database.ts';
import { jobsOf, prepareSales } from '../sales-jobs.ts';
import { salesWorkspace } from '../sales-workspace.ts';

const small = { suffix: 'small', days: 1, rowsPerDay: 1000 };
const large = { suffix: 'million', days: 1, rowsPerDay: 1_000_000 };

/** What the program holds while it compares a slice of a million rows: rows stay in the database, so no more than for a thousand. */
export async function memory(): Promise<readonly Figure[]> {
  const parent = mkdtempSync(join(tmpdir(), 'backfill-memory-'));
  const database = await openSalesDatabase();
  try {
    const few = await held(database, join(parent, 'small'), small);
    const many = await held(database, join(parent, 'large'), large);
    return [
      { part: 'memory', what: '10⁶ rows compared', value: many, unit: 'MB', atMost: undefined, detail: '' },
      {
        part: 'memory',
        what: '10⁶ rows compared ÷ 10³ rows',
        value: many / few,
        unit: '×',
        atMost: 1.25,
        detail: `${many.toFixed(0)} MB ÷ ${few.toFixed(0)} MB`,
      },
    ];
  } finally {
    await database.close();
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Megabytes at most while one day is run again, of whose rows one in a hundred differs. */
async function held(database: SalesDatabase, folder: string, tables: typeof small): Promise<number> {
  await createSalesTables(database.client, tables);
  const texts = { 'dags/sales.py': salesDag(tables.suffix) };
  const asked = { task: 'aggregate', days: 1, round: 0, compare: 'none', concurrency: 1 } as const;
  for (const job of jobsOf(prepareSales(await memoryWorkspace(texts), asked))) await bareRun(database.client, job);
  const workspace = salesWorkspace(folder, database, tables.suffix);
  const done = await workspace.rerun({ to: dayAfter(1), concurrency: 1, round: 1, batchDays: 1 });
  const changed = (JSON.parse(done.output) as { units?: readonly { state: string }[] }).units;
  if (changed?.[0]?.state !== 'changed') throw new Error(`a change was expected: ${done.output.slice(0, 2000)}`);
  return done.kilobytes / 1000;
}
