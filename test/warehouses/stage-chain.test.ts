import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { type ShopWorkspace, shopWorkspace } from '../support/shop-workspace.ts';

let parent = '';
let shop: ShopWorkspace;

const dag = `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator as Sql

with DAG("chain", schedule="0 7 * * *", start_date=datetime(2026, 11, 1), catchup=True, max_active_runs=1):
    empty = Sql(task_id="empty", conn_id="dw", sql="truncate raw.stage")
    fill = Sql(task_id="fill", conn_id="dw", sql="insert into raw.stage select ordered_at::date, amount from raw.orders where ordered_at::date = '{{ ds }}'")
    load = Sql(task_id="load", conn_id="dw", sql="""delete from mart.f where day = '{{ ds }}';
        insert into mart.f select day, sum(amount) from raw.stage group by day""")
    empty >> fill >> load

with DAG("whole", schedule="@hourly", start_date=datetime(2026, 11, 1)):
    dim = Sql(task_id="dim", conn_id="dw", sql="truncate mart.dim; insert into mart.dim select shop, count(*) from raw.orders group by shop")
    rep = Sql(task_id="rep", conn_id="dw", sql="truncate mart.rep; insert into mart.rep select sum(n) from mart.dim")
    dim >> rep
`;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-stage-'));
  shop = await shopWorkspace('postgres', parent);
  writeFileSync(join(shop.root, 'dags/chain.py'), dag);
  await shop.onDatabase(
    'create table raw.stage (day date, amount numeric)',
    'create table mart.f (day date primary key, amount numeric)',
    'create table mart.dim (shop text, n bigint)',
    'create table mart.rep (n numeric)',
    // What an earlier run left: emptying it is no reason to ask.
    "insert into raw.stage select '2020-01-01', 1 from generate_series(1, 50)",
  );
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const run = (...words: readonly string[]) =>
  runCli(['run', ...words, '--now', '2026-11-29T12:00Z', '--yes', '--format', 'json'], shop.root, { env: shop.env });
const statesOf = (out: string): readonly string[] =>
  JSON.parse(out).units.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`);

test('a staging chain runs day after day, each on the rows of its own, and nothing is held', async () => {
  const { code, out, err } = await run('chain', '--from', '2026-11-03', '--to', '2026-11-06');
  expect([code, err]).toEqual([0, '']);
  expect(statesOf(out)).toEqual(
    ['03', '04', '05'].flatMap((day) =>
      ['empty', 'fill', 'load'].map((name) => `chain.${name}@2026-11-${day}T07:00:00Z changed`),
    ),
  );
  const { rows } = await shop.onDatabase(
    `select f.day::text, f.amount = (select sum(amount) from raw.orders where ordered_at::date = f.day) from mart.f f order by 1`,
  );
  expect(rows).toEqual(
    [
      ['2026-11-03', true],
      ['2026-11-04', true],
      ['2026-11-05', true],
    ].map(([day, same]) => [day, same === true ? 't' : 'f']),
  );
});

test('a table that is the same in every run is made once, behind what it reads', async () => {
  const { code, out, err } = await run('whole.dim', '--from', '2026-11-03', '--to', '2026-11-06', '--downstream');
  expect([code, err]).toEqual([0, '']);
  expect(statesOf(out)).toEqual(['whole.dim@2026-11-29T11:00:00Z changed', 'whole.rep@2026-11-29T11:00:00Z changed']);
  const { rows } = await shop.onDatabase('select n = (select count(*) from raw.orders) from mart.rep');
  expect(rows).toEqual([['t']]);
});
