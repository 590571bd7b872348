import { takeFigures } from '../../src/core/diff/take-figures.ts';
import { relationOf, tableSql } from '../../src/core/run/tables/target.ts';
import { describeTables } from '../../src/core/warehouse/catalog/describe-tables.ts';
import type { ColumnDescription } from '../../src/core/warehouse/port/table-description.ts';
import { bareRun } from '../bare-run.ts';
import type { Figure } from '../figure.ts';
import { memoryWorkspace } from '../memory-workspace.ts';
import { quotient, ratio, rounds } from '../rounds.ts';
import { createSalesTables, openSalesDatabase, salesDag } from '../sales-database.ts';
import { jobsOf, prepareSales } from '../sales-jobs.ts';

const suffix = 'hundred';

/** A column as other tools make it comparable between engines, before they take the last 60 bits of an md5. */
function normalised({ name, baseType }: ColumnDescription): string {
  if (baseType === 'timestamptz') return `to_char(${name}, 'YYYY-MM-DD HH24:MI:SS.US')`;
  return baseType === 'numeric' ? `(${name}::decimal(38, 2))::text` : `${name}::text`;
}

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
    // All three on one core: what several connections side by side leave to each.
    await session.query('set max_parallel_workers_per_gather = 0');
    const [table] = await describeTables(session, [slice.table], new Map());
    if (table === undefined) throw new Error('no table');
    const relation = relationOf(slice, table, warehouse.description);
    const live = { sql: tableSql(table), predicate: relation.predicate, ownAge: undefined };
    const text = table.columns.map((column) => `coalesce(${normalised(column)}, '<null>')`).join(` || '|' || `);
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
