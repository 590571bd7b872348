import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import {
  createLedgerSql,
  ledgerSchema,
  ledgerVersion,
  upgradeLedgerSql,
} from '../../src/core/warehouse/dialects/postgres/ledger/ledger-schema-sql.ts';
import type { Session, Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { engines, type Fixture, openFixture, scalar, sql } from '../support/warehouse-fixture.ts';

/** Names whose order in a language is not that of their bytes. */
const targets = `array['mart.T', 'mart."ä"', 'mart.t_1', 'mart.t1', 'mart.t']`;

/** Runs that each make all slices once by every second or by each of two tasks, as one statement sees them. */
const versionsSql = (slices: number, runs: number): string => `
insert into ${ledgerSchema}.versions (run, unit, slice, task, target, slice_column, lower, upper, state, row_count,
  row_checksum, algorithm, schema_hash, code_hash, settings, inputs, diff, owner)
select 'run ' || (r * 7919 % ${runs}), task || '@' || k, target || '|day|' || k, task, target, 'day', at, at + interval '1 day', 'changed', r,
  md5(k || task || r), 'a', 's', 'c', '{}', '[]', '{}', 'o'
from generate_series(1, ${runs}) r, generate_series(1, ${slices}) k, generate_series(1, 2) t,
  lateral (select 'shop.task_' || t as task, (${targets})[1 + k % 5] as target, timestamptz '2020-01-01Z' + k * interval '1 day' as at) x
where t = 1 or (k + r) % 2 = 0`;

const expectedSql = `
select target, slice, unit, max(id)::text from ${ledgerSchema}.versions group by 1, 2, 3`;

const sorted = (rows: readonly (readonly unknown[])[]): readonly string[] => rows.map((row) => row.join(' ')).sort();

async function newestOf(warehouse: Warehouse): Promise<readonly string[]> {
  const store = sqlLedgerStore(warehouse);
  try {
    const versions = await store.newestVersions();
    return sorted(versions.map(({ target, slice, unit, id }) => [target, slice, unit, id]));
  } finally {
    await store.close();
  }
}

async function inSession<T>(warehouse: Warehouse, work: (session: Session) => Promise<T>): Promise<T> {
  const session = await warehouse.connect('unit');
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

describe.each(engines)('the newest versions of a ledger on %s', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
    await sql(fixture.warehouse, ...createLedgerSql);
  });
  afterAll(() => fixture.close());

  // Few versions: all are read. Many of few slices: from slice to slice. As many slices as versions: not that far.
  test.each([
    ['no slice', 0, 0],
    ['a few slices', 20, 3],
    ['slices that were made very often', 60, 400],
    ['very many slices', 9000, 1],
  ])('are those with the highest number: %s', async (_, slices, runs) => {
    await sql(fixture.warehouse, `truncate ${ledgerSchema}.versions`, versionsSql(slices, runs));
    const expected = await inSession(fixture.warehouse, async (session) => (await session.query(expectedSql)).rows);
    expect(await newestOf(fixture.warehouse)).toEqual(sorted(expected));
    await sql(fixture.warehouse, 'analyze');
    expect(await newestOf(fixture.warehouse)).toEqual(sorted(expected));
  });
});

test('a ledger of each earlier version keeps its rows, and gets the index', async () => {
  for (const version of [3, 8]) {
    const fixture = await openFixture('postgres');
    const newer = Object.entries(upgradeLedgerSql).flatMap(([made, statements]) =>
      Number(made) > version ? statements : [],
    );
    const older = createLedgerSql.filter((statement) => !newer.includes(statement));
    await sql(
      fixture.warehouse,
      ...older,
      `update ${ledgerSchema}.meta set version = ${version}`,
      versionsSql(30, 300),
    );
    const rows = `select md5(string_agg(v::text, e'\\n' order by id)) from ${ledgerSchema}.versions v`;
    const before = await scalar(fixture.warehouse, rows);
    const expected = await inSession(fixture.warehouse, async (session) => (await session.query(expectedSql)).rows);
    // Two processes at once.
    const other = await openWarehouse(fixture.connection);
    const both = await Promise.all([newestOf(fixture.warehouse), newestOf(other)]);
    await other.close();
    expect(both).toEqual([sorted(expected), sorted(expected)]);
    expect(await scalar(fixture.warehouse, rows)).toBe(before);
    expect(await scalar(fixture.warehouse, `select max(version) from ${ledgerSchema}.meta`)).toBe(
      String(ledgerVersion),
    );
    const indexes = `select count(*) from pg_indexes where schemaname = '${ledgerSchema}' and indexdef like '%(target COLLATE "C", slice%'`;
    expect(await scalar(fixture.warehouse, indexes)).toBe('1');
    await fixture.close();
  }
});
