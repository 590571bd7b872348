import type pg from 'pg';
import type { UnitJob } from '../src/core/run/unit/unit-job.ts';

/** What the product's run is measured against: the statements of a unit in one transaction, and nothing else. */
export async function bareRun(client: pg.Client, job: UnitJob): Promise<void> {
  await client.query('begin');
  for (const { text } of job.statements) await client.query(text);
  await client.query('commit');
}
