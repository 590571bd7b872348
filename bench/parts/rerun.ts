import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import { bareRun } from '../bare-run.ts';
import { benchEnv } from '../bench-env.ts';
import type { Figure } from '../figure.ts';
import { memoryWorkspace } from '../memory-workspace.ts';
import { quotient, ratio, rounds, type Timed } from '../rounds.ts';
import { createSalesTables, openSalesDatabase, type SalesDatabase, salesDag } from '../sales-database.ts';
import { jobsOf, prepareSales, type SalesRun } from '../sales-jobs.ts';

const sizes = [
  { suffix: 'ten', days: 4, rowsPerDay: 10_000, name: '10⁴', repeats: 9 },
  { suffix: 'hundred', days: 4, rowsPerDay: 100_000, name: '10⁵', repeats: 5 },
  { suffix: 'million', days: 2, rowsPerDay: 1_000_000, name: '10⁶', repeats: 2 },
];

/** The copy has no target of its own: its bare run computes nothing. The others are shown to compare. */
const targets: Readonly<Record<number, Partial<Record<keyof typeof names, number>>>> = {
  10000: { rows: 2, checksums: 1.3 },
  100000: { rows: 1.7, checksums: 1.8, unchanged: 1.2 },
};

/** One slice again, of which one row in a hundred changes (or none), against its bare delete and insert. */
export async function rerun(): Promise<readonly Figure[]> {
  const database = await openSalesDatabase();
  try {
    const figures: Figure[] = [];
    for (const size of sizes) {
      await createSalesTables(database.client, size);
      for (const task of ['aggregate', 'copy'] as const) figures.push(...(await measure(database, size, task)));
    }
    return figures;
  } finally {
    await database.close();
  }
}

async function measure(
  { client, warehouse }: SalesDatabase,
  size: (typeof sizes)[number],
  task: SalesRun['task'],
): Promise<readonly Figure[]> {
  const workspace = await memoryWorkspace({ 'dags/sales.py': salesDag(size.suffix) });
  const executor = relationalExecutor(warehouse, benchEnv);
  const table = `${task === 'aggregate' ? 'customer_day' : 'customer_copy'}_${size.suffix}`;
  const prepare = (round: number, compare: SalesRun['compare'] = 'rows') =>
    prepareSales(workspace, { task, days: 1, round, compare, concurrency: 1 });
  const jobOf = (round: number, compare?: SalesRun['compare']) => {
    const [job] = jobsOf(prepare(round, compare));
    if (job === undefined) throw new Error('no job');
    return job;
  };
  for (const job of jobsOf(
    prepareSales(workspace, { task, days: size.days, round: 0, compare: 'none', concurrency: 1 }),
  )) {
    await bareRun(client, job);
  }

  let written = 0;
  const bare: Timed = {
    before: () => client.query(`vacuum analyze ${table}`),
    run: () => bareRun(client, jobOf(++written)),
  };
  const product = (compare: SalesRun['compare'], changes: boolean): Timed => ({
    before: () => client.query(`vacuum analyze ${table}`),
    run: async () => {
      if (changes) written += 1;
      const outcome = await executor.execute(jobOf(written, compare), new AbortController().signal);
      const expected = changes ? 'changed' : 'unchanged';
      if (outcome.state !== expected) throw new Error(`${expected} was expected: ${JSON.stringify(outcome)}`);
    },
  });
  const samples = await rounds(size.repeats, {
    bare,
    rows: product('rows', true),
    checksums: product('checksums', true),
    unchanged: product('rows', false),
  });
  await executor.close();
  return (['rows', 'checksums', 'unchanged'] as const).map((how) => ({
    part: 'rerun',
    what: `${size.name} rows, ${task}, ${names[how]}`,
    value: ratio(samples[how], samples.bare),
    unit: '×',
    atMost: task === 'aggregate' ? targets[size.rowsPerDay]?.[how] : undefined,
    detail: quotient(samples[how], samples.bare),
  }));
}

const names = { rows: 'default', checksums: 'figures only', unchanged: 'unchanged' };
