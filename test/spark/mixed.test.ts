import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type LakeFixture, lakeFixture } from '../support/lake-fixture.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { runCli } from '../support/run-cli.ts';

let server: PostgresServer;
let database: pg.Client;
let lake: LakeFixture;

const dag = `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator

with DAG("shop", schedule="@daily", start_date=datetime(2026, 11, 1), catchup=True) as dag:
    orders = SQLExecuteQueryOperator(task_id="orders", conn_id="dw", sql="""
        DELETE FROM shop.orders WHERE day = '{{ ds }}';
        INSERT INTO shop.orders SELECT id, day, amount FROM raw.orders WHERE day = '{{ ds }}'
    """)
    totals = SparkSqlOperator(task_id="totals", conn_id="spark", sql="""
        INSERT OVERWRITE TABLE mixed.totals PARTITION (day = '{{ ds }}')
        SELECT count(*), sum(amount) FROM dw.shop.orders WHERE day = DATE'{{ ds }}'
    """)
    week = SparkSqlOperator(task_id="week", sql="""
        INSERT OVERWRITE TABLE mixed.week PARTITION (day = '{{ ds }}')
        SELECT sum(orders), sum(amount) FROM mixed.totals WHERE day > date_sub('{{ ds }}', 2) AND day <= '{{ ds }}'
    """)
    seen = SQLExecuteQueryOperator(task_id="seen", conn_id="dw", sql="""
        DELETE FROM mart.seen WHERE day = '{{ ds }}';
        INSERT INTO mart.seen SELECT day, count(*) FROM shop.orders WHERE day = '{{ ds }}' GROUP BY day
    """)
    orders >> totals >> week >> seen
`;

const range = (from: string, to: string) => ['--from', `2026-11-${from}`, '--to', `2026-11-${to}`];
const asked = ['--downstream', '--now', '2026-11-06T00:00', '--format', 'json'];

async function command(...args: readonly string[]) {
  const { out, err, code } = await runCli(args, lake.root, { env: { DW_PASSWORD: server.password } });
  const json = args.includes('json') && out.trim() !== '' ? JSON.parse(out) : undefined;
  const units = (json?.units ?? []) as readonly { id: string; state: string; attempts: number; slices: unknown[] }[];
  return { out, err, code, json, states: units.map(({ id, state }) => `${id.slice(5, -10)} ${state}`), units };
}

const run = (...args: readonly string[]) => command('run', 'shop.orders', ...args, ...asked, '--yes');
const week = () => lake.sql('select cast(day as string), cast(orders as string) from mixed.week order by 1');
const inDatabase = async (sql: string) => (await database.query({ text: sql, rowMode: 'array' })).rows;

beforeAll(async () => {
  server = await startPostgres();
  const { host, port, user, password } = server;
  database = new pg.Client({ host, port, user, password, database: 'postgres' });
  await database.connect();
  const jdbc = `jdbc:postgresql://${host}:${port}/postgres?user=${user}&password=${encodeURIComponent(password)}`;
  const catalog = {
    'spark.sql.catalog.dw': 'org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog',
    'spark.sql.catalog.dw.url': jdbc,
    'spark.sql.catalog.dw.driver': 'org.postgresql.Driver',
  };
  lake = await lakeFixture(inject('spark').url, 'mixed');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as backfill.yaml has it
  const secret = '${env:DW_PASSWORD}';
  const config = {
    version: 1,
    connections: {
      dw: {
        engine: 'postgres',
        host,
        port: String(port),
        user,
        password: secret,
        database: 'postgres',
        airflowIds: ['dw'],
      },
      lake: { engine: 'spark', url: inject('spark').url, ledger: 'dw', airflowIds: ['spark'], settings: catalog },
    },
    defaultConnection: 'dw',
    run: { samples: 0 },
  };
  mkdirSync(join(lake.root, 'dags'), { recursive: true });
  writeFileSync(join(lake.root, 'dags/shop.py'), dag);
  writeFileSync(join(lake.root, 'backfill.yaml'), JSON.stringify(config));
  await database.query(`
    create schema raw; create schema shop; create schema mart;
    create table raw.orders (id int, day date, amount numeric(10,2));
    create table shop.orders (id int, day date, amount numeric(10,2));
    create table mart.seen (day date, orders bigint);
    insert into raw.orders select n, date '2026-11-01' + n % 4, n from generate_series(1, 40) n`);
  await lake.sql(
    'create table mixed.totals (orders bigint, amount decimal(20,2), day date) using parquet partitioned by (day)',
    'create table mixed.week (orders bigint, amount decimal(20,2), day date) using parquet partitioned by (day)',
  );
});
afterAll(async () => {
  await lake?.close();
  await database?.end();
  await server?.stop();
});

test('one plan over a database and the lake beside it: windows meet, and each unit is on the connection that its task names', async () => {
  const { out } = await command('plan', 'shop.orders', ...range('02', '03'), ...asked.slice(0, -2));
  expect(out).toMatch(/shop\.totals +1 .*reads shop\.orders, which shop\.orders rewrites/);
  expect(out).toMatch(/shop\.week +3 .*reads mixed\.totals, which shop\.totals rewrites/);
  expect(out).toContain(' with lake at spark ');
  const first = await run(...range('01', '05'));
  expect([first.code, first.err]).toEqual([0, '']);
  // The last days are of the window alone: nothing was sold on them.
  expect(first.states.filter((state) => !state.endsWith(' changed') && state < 'seen@2026-11-05')).toEqual([]);
  expect(await week()).toEqual([
    ['2026-11-01', '10'],
    ['2026-11-02', '20'],
    ['2026-11-03', '20'],
    ['2026-11-04', '20'],
    ['2026-11-05', '10'],
  ]);
  expect(await inDatabase('select count(*)::int from mart.seen')).toEqual([[4]]);
});

let late: string;

test('late rows go through both, are shown as they would be, and undone in the order that they came', async () => {
  await database.query("insert into raw.orders values (90, '2026-11-02', 5)");
  const preview = await command('run', 'shop.orders', ...range('02', '03'), ...asked, '--preview');
  expect(preview.code).toBe(0);
  expect(preview.json.units.find(({ id }: { id: string }) => id.startsWith('shop.totals')).notes.join()).toContain(
    'it was computed from shop.orders as it is now',
  );
  expect(await inDatabase("select count(*)::int from shop.orders where day = '2026-11-02'")).toEqual([[10]]);
  const changed = await run(...range('02', '03'));
  late = changed.json.runId;
  expect(changed.states.filter((state) => state.endsWith(' changed'))).toEqual(
    expect.arrayContaining([
      'orders@2026-11-02 changed',
      'totals@2026-11-02 changed',
      'week@2026-11-02 changed',
      'week@2026-11-03 changed',
    ]),
  );
  // Its window may reach a day further, by a bound of another type.
  expect(changed.states).toContain('week@2026-11-04 unchanged');
  expect((await week()).slice(1, 3)).toEqual([
    ['2026-11-02', '21'],
    ['2026-11-03', '21'],
  ]);
  // One ledger: by either name of a connection it is the same run.
  for (const name of ['dw', 'lake']) {
    const { out } = await command('history', late, '--connection', name, '--units');
    expect(out).toContain('mixed.week');
    expect(out).toContain('shop.orders');
  }
  const undone = await command('undo', late, '--yes', '--format', 'json');
  expect([undone.code, undone.err]).toEqual([0, '']);
  expect((await week()).slice(1, 3).map(([, orders]) => orders)).toEqual(['20', '20']);
  expect(await inDatabase("select count(*)::int from shop.orders where day = '2026-11-02'")).toEqual([[10]]);
});

test('a plan whose table of the lake is gone is not begun', async () => {
  await lake.sql('alter table mixed.week rename to mixed.gone');
  expect((await run(...range('02', '03'))).json).toMatchObject({
    outcome: 'refused',
    refusal: { message: expect.stringContaining('shop.week: [TABLE_OR_VIEW_NOT_FOUND]') },
  });
  await lake.sql('alter table mixed.gone rename to mixed.week');
  const again = await run(...range('02', '03'));
  expect([again.code, new Set(again.states.map((state) => state.split(' ')[1]))]).toEqual([
    0,
    new Set(['changed', 'unchanged']),
  ]);
});
