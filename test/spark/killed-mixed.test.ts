import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type LakeFixture, lakeFixture } from '../support/lake-fixture.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startCli } from '../support/running-cli.ts';
import { type WireTap, wireTap } from '../support/wire-tap.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

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
        INSERT OVERWRITE TABLE killed_mixed.totals PARTITION (day = '{{ ds }}')
        SELECT count(*), sum(amount) FROM dw.shop.orders WHERE day = DATE'{{ ds }}'
    """)
    seen = SQLExecuteQueryOperator(task_id="seen", conn_id="dw", sql="""
        DELETE FROM mart.seen WHERE day = '{{ ds }}';
        INSERT INTO mart.seen SELECT day, count(*) FROM shop.orders WHERE day = '{{ ds }}' GROUP BY day
    """)
    orders >> totals >> seen
`;

let bundle = '';
let server: PostgresServer;
let database: pg.Client;
let taps: { readonly lake: WireTap; readonly database: WireTap };
let lake: LakeFixture;

beforeAll(async () => {
  mkdirSync(join(repository, 'node_modules/.cache'), { recursive: true });
  const parent = mkdtempSync(join(repository, 'node_modules/.cache/backfill-killed-'));
  bundle = join(parent, 'dist');
  execFileSync(process.execPath, ['scripts/build.mjs', bundle], { cwd: repository, stdio: 'inherit' });
  server = await startPostgres();
  const { host, port, user, password } = server;
  database = new pg.Client({ host, port, user, password, database: 'postgres' });
  await database.connect();
  const spark = new URL(inject('spark').url.replace('sc:', 'http:'));
  taps = {
    lake: await wireTap({ host: spark.hostname, port: Number(spark.port) }),
    database: await wireTap({ host, port }),
  };
  const jdbc = `jdbc:postgresql://${host}:${port}/postgres?user=${user}&password=${encodeURIComponent(password)}`;
  const settings = {
    'spark.sql.catalog.dw': 'org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog',
    'spark.sql.catalog.dw.url': jdbc,
    'spark.sql.catalog.dw.driver': 'org.postgresql.Driver',
  };
  lake = await lakeFixture(inject('spark').url, 'killed_mixed');
  const reached = { host: '127.0.0.1', port: String(taps.database.port), user, database: 'postgres' };
  const config = {
    version: 1,
    connections: {
      dw: { engine: 'postgres', ...reached, airflowIds: ['dw'] },
      lake: {
        engine: 'spark',
        url: `sc://127.0.0.1:${taps.lake.port}`,
        ledger: 'dw',
        airflowIds: ['spark'],
        settings,
      },
    },
    defaultConnection: 'dw',
    run: { samples: 0 },
  };
  writeFileSync(join(lake.root, 'dags/shop.py'), dag);
  writeFileSync(join(lake.root, 'backfill.yaml'), JSON.stringify(config));
  await database.query(`
    create schema raw; create schema shop; create schema mart;
    create table raw.orders (id int, day date, amount numeric(10,2));
    create table shop.orders (id int, day date, amount numeric(10,2));
    create table mart.seen (day date, orders bigint);
    insert into raw.orders select n, date '2026-11-01' + n % 2, n from generate_series(1, 20) n`);
  await lake.sql(
    'create table killed_mixed.totals (orders bigint, amount decimal(20,2), day date) using parquet partitioned by (day)',
  );
});
afterAll(async () => {
  await lake?.close();
  await database?.end();
  await taps?.lake.close();
  await taps?.database.close();
  await server?.stop();
  rmSync(join(bundle, '..'), { recursive: true, force: true });
});

const start = (...words: readonly string[]) =>
  startCli(bundle, { root: lake.root, env: { PGPASSWORD: server.password } }, ...words);
const count = async (table: string) => Number((await database.query(`select count(*) from ${table}`)).rows[0].count);

test('a plan over a database and its lake, killed in each of its tasks, is gone on with to what one clean run gives', async () => {
  const days = (from: string, to: string) =>
    `--from 2026-11-${from} --to 2026-11-${to} --downstream --now 2026-11-10T00:00 --yes`.split(' ');
  const range = days('01', '03');
  // The ledger is there, and one day of two is not made for the first time.
  const first = await start('run', 'shop.orders', ...days('01', '02')).ended();
  expect(first.code, first.output).toBe(0);
  await database.query("insert into raw.orders values (21, '2026-11-01', 1)");
  let run: string | undefined;
  const killed = async (tap: WireTap, pattern: RegExp, when: 'before' | 'after'): Promise<void> => {
    const cli = run === undefined ? start('run', 'shop.orders', ...range) : start('resume', run);
    tap.once(pattern, when, () => cli.kill('SIGKILL'));
    const { code, output } = await cli.ended();
    expect(code, `${pattern} was never said:\n${output}`).toBeNull();
    run ??= /^run (\S+):/m.exec(output)?.[1];
    // The tap holds the connections open that the process had, which ended with it.
    await database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    );
    // Waiting would take as long as its lease.
    await database.query('update backfill_ledger.leases set expires_at = clock_timestamp()');
    await database.query('update backfill_ledger.runs set alive_until = null');
  };
  await killed(taps.database, /insert into shop\.orders/i, 'after');
  expect(await count('shop.orders')).toBeLessThan(21);
  await killed(taps.lake, /insert overwrite .*backfill_/is, 'after');
  await killed(taps.lake, /alter table .*(?:set location|add if not exists)/s, 'after');
  await killed(taps.database, /insert into mart\.seen/i, 'after');
  const ended = await start('resume', run ?? '').ended();
  expect(ended, ended.output).toMatchObject({ code: 0 });
  const rows = async () => [
    await count('shop.orders'),
    await lake.sql('select cast(day as string), cast(orders as string) from killed_mixed.totals order by 1'),
    (await database.query('select day::text, orders::int from mart.seen order by 1')).rows,
  ];
  const expected = [
    21,
    [
      ['2026-11-01', '11'],
      ['2026-11-02', '10'],
    ],
    [
      { day: '2026-11-01', orders: 11 },
      { day: '2026-11-02', orders: 10 },
    ],
  ];
  expect(await rows()).toEqual(expected);
  const again = await start('run', 'shop.orders', ...range).ended();
  expect(again.code, again.output).toBe(0);
  expect(again.output).toContain('6 unchanged');
  expect(await rows()).toEqual(expected);
  expect((await lake.sql('show tables in killed_mixed')).map(([, name]) => name)).toEqual(['totals']);
});
