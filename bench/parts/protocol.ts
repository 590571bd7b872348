import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { Session, Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { bareRun } from '../bare-run.ts';
import { benchEnv } from '../bench-env.ts';
import { cpuMs } from '../cpu-ms.ts';
import { type Figure, figureOf } from '../figure.ts';
import { memoryWorkspace } from '../memory-workspace.ts';
import { quotient, ratio, rounds } from '../rounds.ts';
import { createSalesTables, openSalesDatabase, salesDag } from '../sales-database.ts';
import { jobsOf, prepareSales } from '../sales-jobs.ts';

const figure = figureOf('protocol');

const days = 30;
const rowsPerDay = 10_000;
const ways = ['bare', 'one', 'together'] as const;

/**
 * What the protocol of a unit costs, in statements and in processor time of the server and of this process: days one by one, and
 * together, against the same statements without it. Each way has tables of its own, so that it finds what it left itself.
 */
export async function protocol(): Promise<readonly Figure[]> {
  const database = await openSalesDatabase();
  const { client } = database;
  const sent: Record<string, number> = { one: 0, together: 0 };
  let way: (typeof ways)[number] = 'bare';
  const executor = relationalExecutor(
    counting(database.warehouse, () => {
      sent[way] = (sent[way] ?? 0) + 1;
    }),
    benchEnv,
  );
  try {
    for (const suffix of ways) await createSalesTables(client, { suffix, days, rowsPerDay });
    const workspaces = {
      bare: await memoryWorkspace({ 'dags/sales.py': salesDag('bare') }),
      one: await memoryWorkspace({ 'dags/sales.py': salesDag('one') }),
      together: await memoryWorkspace({ 'dags/sales.py': salesDag('together') }),
    };
    const jobs = (of: (typeof ways)[number], round: number) =>
      jobsOf(prepareSales(workspaces[of], { task: 'aggregate', days, round, compare: 'rows', concurrency: 1 }));
    for (const of of ways) for (const job of jobs(of, 0)) await bareRun(client, job);
    const { signal } = new AbortController();
    const changed = (outcomes: readonly { readonly state: string }[]) => {
      const other = outcomes.find(({ state }) => state !== 'changed');
      if (other !== undefined) throw new Error(JSON.stringify(other));
    };
    const timed = (of: (typeof ways)[number], run: (round: number) => Promise<unknown>) => ({
      before: async () => {
        await client.query(`vacuum analyze customer_day_${of}`);
        way = of;
        sent[of] = 0;
      },
      run: (round: number) => run(round + 1),
    });
    const samples = await rounds(
      3,
      {
        bare: timed('bare', async (round) => {
          for (const job of jobs('bare', round)) await bareRun(client, job);
        }),
        one: timed('one', async (round) => {
          for (const job of jobs('one', round)) changed([await executor.execute(job, signal)]);
        }),
        together: timed('together', async (round) => {
          const made = await executor.together?.execute(jobs('together', round), signal, []);
          if (made === undefined || 'apart' in made) throw new Error(JSON.stringify(made));
          changed(made);
        }),
      },
      () => cpuMs() + (database.serverCpuMs() ?? 0),
    );
    const what = `${days} days of ${rowsPerDay} rows`;
    const of = (name: 'one' | 'together', how: string): readonly Figure[] => [
      figure(`${what}, ${how}`, sent[name] ?? 0, 'statements', undefined),
      figure(
        `${what}, ${how}, processor time ÷ bare`,
        ratio(samples[name], samples.bare),
        '×',
        name === 'one' ? 2 : undefined,
        quotient(samples[name], samples.bare),
      ),
    ];
    return [...of('one', 'one by one'), ...of('together', 'together')];
  } finally {
    await executor.close();
    await database.close();
  }
}

/** The warehouse, with word of each statement of a unit. */
const counting = (warehouse: Warehouse, sent: () => void): Warehouse => ({
  ...warehouse,
  connect: async (purpose) => {
    const session = await warehouse.connect(purpose);
    const query: Session['query'] = (text, values) => {
      if (purpose === 'unit') sent();
      return session.query(text, values);
    };
    return { query, cancel: () => session.cancel(), close: () => session.close(), backend: session.backend };
  },
});
