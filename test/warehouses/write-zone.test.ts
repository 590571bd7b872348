import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { runCli } from '../support/run-cli.ts';
import { sql } from '../support/warehouse-fixture.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'backfill-write-zone-'));
  mkdirSync(join(root, 'sql'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.each([
  ['America/New_York', '2026-03-07', '2026-03-09', '2026-03-07 05:00 – 2026-03-09 04:00', [24, 23]],
  ['Europe/Warsaw', '2026-10-24', '2026-10-26', '2026-10-23 22:00 – 2026-10-25 23:00', [24, 25]],
] as const)(
  'the rows of a day are those of the session’s day in %s',
  async (zone, from, to, days, hours) => {
    writeFileSync(
      join(root, 'backfill.yaml'),
      `version: 1\nconnections:\n  shop: { engine: pglite, directory: ./db, settings: { timezone: ${zone} } }\n`,
    );
    const rows = `ts >= '{{ ds }}' and ts < '{{ next_ds }}'`;
    writeFileSync(
      join(root, 'sql/h.sql'),
      `-- backfill: schedule=@daily start=${from} zone=UTC\ndelete from h where ${rows};\ninsert into h select ts, n from e where ${rows};\n`,
    );
    const common = { name: 'shop', protected: false, settings: {}, airflowIds: [] };
    const warehouse = await openWarehouse({ ...common, engine: 'pglite', directory: join(root, 'db') });
    await sql(
      warehouse,
      'create table e (ts timestamptz, n int)',
      'create table h (ts timestamptz, n int)',
      `insert into e select t, 1 from generate_series(timestamptz '${from}Z' - interval '2 days', timestamptz '${to}Z' + interval '2 days', '1 hour') t`,
    );
    await warehouse.close();
    const done = await runCli(
      ['run', 'sql/h.sql', '--from', from, '--to', to, '--yes', '--now', '2026-11-20T12:00Z'],
      root,
    );
    expect(done.code, done.err).toBe(0);
    expect(done.out + done.err).toContain(days);
    for (const [index, count] of hours.entries()) {
      const day = new Date(Date.parse(from) + index * 86_400_000).toISOString().slice(0, 10);
      expect(done.out).toMatch(new RegExp(`sql/h\\.sql@${day}T00:00:00Z +h +changed +0 +→ +${count} `));
    }
  },
  120_000,
);
