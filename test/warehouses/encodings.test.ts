import { describe, expect, test } from 'vitest';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { fitToEncoding } from '../../src/warehouses/postgres/server-encoding.ts';
import { asSuperuser } from '../support/postgres-server.ts';
import { freshDatabase, job, neverAborted, realClock, scalar, sql } from '../support/warehouse-fixture.ts';

const tables = [
  'create table orders (id int primary key, day date not null, amount text)',
  'create table sales (id int primary key, day date not null, amount text)',
  `insert into orders select n, date '2026-10-31' + (n / 10), repeat('x', 300) from generate_series(0, 29) n`,
  'insert into sales select * from orders',
];

async function databaseIn(encoding: string) {
  const connection = await freshDatabase();
  const database = `${connection.database}_e`;
  const server = { host: '127.0.0.1', user: 'postgres', port: connection.port, password: connection.password } as const;
  await asSuperuser(
    server as Parameters<typeof asSuperuser>[0],
    'postgres',
    `create database ${database} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`,
  );
  const warehouse = await openWarehouse({ ...connection, database });
  await sql(warehouse, ...tables);
  const executor = relationalExecutor(warehouse, { clock: realClock, owner: 'tester – Zoë' });
  return { warehouse, run: (parts: Parameters<typeof job>[0]) => executor.execute(job(parts), neverAborted) };
}

describe.each(['LATIN1', 'LATIN2', 'WIN1251', 'EUC_JP', 'SQL_ASCII', 'UTF8'])('a database in %s', (encoding) => {
  test('keeps what a unit says of itself', async () => {
    const { warehouse, run } = await databaseIn(encoding);
    const [clear, fill] = job().statements.map(({ text }) => text) as [string, string];
    await sql(warehouse, "update orders set amount = 'new' where id = 10");
    expect(await run({ run: 'a' })).toMatchObject({ state: 'changed', slices: [{ changed: 1 }] });
    expect(await run({ run: 'b' })).toMatchObject({ state: 'unchanged' });
    const outside = [clear, fill.replace('day, amount from', 'day + 1, amount from')];
    const held = await run({
      run: 'c',
      statements: [...outside.slice(0, 1), `delete from sales where day = '2026-11-02'`, ...outside.slice(1)],
    });
    expect(held).toMatchObject({ state: 'held', code: 'escaped' });
    expect(await scalar(warehouse, "select message from backfill_ledger.units where run = 'c'")).toContain('xxx');
    await warehouse.close();
  });
});

test('bytes that are no UTF-8 in a database that does not look at them', async () => {
  const { warehouse, run } = await databaseIn('SQL_ASCII');
  await sql(warehouse, "update orders set amount = 'caf' || convert_from('\\xe9', 'SQL_ASCII') where id = 10");
  expect(await run({ run: 'a' })).toMatchObject({ state: 'changed', slices: [{ changed: 1 }] });
  expect(await run({ run: 'b' })).toMatchObject({ state: 'unchanged' });
  expect(await scalar(warehouse, "select encode(amount::bytea, 'hex') from sales where id = 10")).toBe('636166e9');
  await warehouse.close();
});

test.each([
  ['UTF8', undefined],
  ['SQL_ASCII', undefined],
  ['LATIN1', 'Zoë: 1 -> 2 ? ...'],
  ['LATIN2', 'Zoë: 1 -> 2 ? ...'],
  ['WIN1251', 'Zo?: 1 -> 2 ? …'],
  ['EUC_JP', 'Zoë: 1 -> 2 日 ...'],
])('what %s can hold', (encoding, text) => {
  expect(fitToEncoding(encoding)?.('Zoë: 1 → 2 日 …')).toBe(text);
});
