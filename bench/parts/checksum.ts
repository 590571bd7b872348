import { takeFigures } from '../../src/core/diff/take-figures.ts';
import { relationOf, tableSql } from '../../src/core/run/relational/target.ts';
import { describeTables } from '../../src/core/warehouse/describe-tables.ts';
import { bareRun } from '../bare-run.ts';
import type { Figure } from '../figure.ts';
import { memoryWorkspace } from '../memory-workspace.ts';
import { quotient, ratio, rounds } from '../rounds.ts';
import { createSalesTables, openSalesDatabase, salesDag } from '../sales-database.ts';
import { jobsOf, prepareSales } from '../sales-jobs.ts';

const suffix = 'hundred';

/** Figures of one slice of 10⁵ rows against its count, against a sum of md5 as other tools take it, and against a copy. */
export async function checksum(): Promise<readonly Figure[]> {
  const { client, warehouse, close } = await openSalesDatabase();
  try {
    await createSalesTables(client, { suffix, days: 4, rowsPerDay: 100_000 });
    const workspace = await memoryWorkspace({ 'dags/sales.py': salesDag(suffix) });
    const asked = { days: 4, round: 0, compare: 'none', concurrency: 1 } as const;
    for (const task of ['aggregate', 'copy'] as const) {
      for (const job of jobsOf(prepareSales(workspace, { ...asked, task }))) await bareRun(client, job);
    }
    const [copy] = jobsOf(prepareSales(workspace, { ...asked, task: 'copy' }));
    const [slice] = copy?.slices ?? [];
    if (copy === undefined || slice === undefined) throw new Error('no slice');
    await client.query(`vacuum analyze ${slice.table}`);
    const session = await warehouse.connect('unit');
    const [table] = await describeTables(session, [slice.table], new Map());
    if (table === undefined) throw new Error('no table');
    const relation = relationOf(slice, table, warehouse.description);
    const live = { sql: tableSql(table), predicate: relation.predicate, ownAge: undefined };
    // As data-diff does it: each column as normalised text, joined, the last 60 bits of the md5 added up.
    const text = table.columns.map(({ name }) => `coalesce(${name}::text, '<null>')`).join(` || '|' || `);
    const md5 = `select count(*), sum(('x' || substring(md5(${text}), 18))::bit(60)::bigint) from ${live.sql} where ${live.predicate}`;
    const count = `select count(*) from ${live.sql} where ${live.predicate}`;
    const samples = await rounds(9, {
      figures: () => takeFigures(session, relation, live),
      md5: () => session.query(md5),
      count: () => session.query(count),
      copy: { before: () => client.query(`vacuum ${slice.table}`), run: () => bareRun(client, copy) },
    });
    await session.close();
    const over = (name: keyof typeof samples, what: string, atMost: number): Figure => ({
      part: 'checksum',
      what: `10⁵ rows and their key ÷ ${what}`,
      value: ratio(samples.figures, samples[name]),
      unit: '×',
      atMost,
      detail: quotient(samples.figures, samples[name]),
    });
    return [over('copy', 'plain copy', 0.5), over('md5', 'sum of md5', 1), over('count', 'count', 21)];
  } finally {
    await close();
  }
}
