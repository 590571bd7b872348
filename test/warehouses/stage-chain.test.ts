import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

with DAG("remade", schedule="0 7 * * *", start_date=datetime(2026, 11, 1)):
    make = Sql(task_id="make", conn_id="dw", sql="create table raw.passing (day date, amount numeric)")
    fill = Sql(task_id="fill", conn_id="dw", sql="insert into raw.passing select ordered_at::date, amount from raw.orders where ordered_at::date = '{{ ds }}'")
    load = Sql(task_id="load", conn_id="dw", sql="delete from mart.q where day = '{{ ds }}'; insert into mart.q select day, sum(amount) from raw.passing group by day")
    drop = Sql(task_id="drop", conn_id="dw", sql="drop table raw.passing")
    make >> fill >> load >> drop

with DAG("whole", schedule="@hourly", start_date=datetime(2026, 11, 1)):
    dim = Sql(task_id="dim", conn_id="dw", sql="truncate mart.dim; insert into mart.dim select shop, count(*) from raw.orders group by shop")
    rep = Sql(task_id="rep", conn_id="dw", sql="truncate mart.rep; insert into mart.rep select sum(n) from mart.dim")
    dim >> rep

# Two pipelines, each with the same stage for itself; the second one needs what the first one makes of it.
def through(name, after, rows, target):
    with DAG(name, schedule="0 7 * * *", start_date=datetime(2026, 11, 1)):
        fill = Sql(task_id="fill", conn_id="dw", sql=f"truncate raw.both; insert into raw.both select ordered_at::date, amount from raw.orders where ordered_at::date = '{{{{ ds }}}}' {rows}")
        load = Sql(task_id="load", conn_id="dw", sql=f"""delete from {target} where day = '{{{{ ds }}}}';
            insert into {target} select day, sum(amount){after} from raw.both group by day""")
        fill >> load

through("a_second", " - (select coalesce(max(amount), 0) from mart.first where day = '{{ ds }}')", "", "mart.second")
through("b_first", "", "and amount > 20", "mart.first")

with DAG("said", schedule="0 7 * * *", start_date=datetime(2026, 11, 1)):
    # Nothing in the statement says that raw.g holds the day of ds.
    Sql(task_id="g", conn_id="dw", sql="insert into mart.g select * from raw.g on conflict (day, n) do update set n = excluded.n")

with DAG("parts", schedule="@daily", start_date=datetime(2026, 11, 1)):
    Sql(task_id="p", conn_id="dw", sql="""delete from mart.p where year = {{ logical_date.year }} and month = {{ logical_date.month }} and day = {{ logical_date.day }};
        insert into mart.p select extract(year from ordered_at), extract(month from ordered_at), extract(day from ordered_at), amount
        from raw.orders where ordered_at >= '{{ data_interval_start }}' and ordered_at < '{{ data_interval_end }}'""")
`;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-stage-'));
  shop = await shopWorkspace('postgres', parent);
  writeFileSync(join(shop.root, 'dags/chain.py'), dag);
  appendFileSync(
    join(shop.root, 'backfill.yaml'),
    `tasks:
  said.g:
    writes: [{ table: mart.g, column: day, slice: day of start, key: [day, n] }]
    reads: [{ table: raw.g, window: all }]
`,
  );
  await shop.onDatabase(
    'create table raw.stage (day date, amount numeric)',
    'create table mart.f (day date primary key, amount numeric)',
    'create table mart.q (day date primary key, amount numeric)',
    'create table raw.both (day date, amount numeric)',
    'create table mart.first (day date primary key, amount numeric)',
    'create table mart.second (day date primary key, amount numeric)',
    'create table mart.dim (shop text, n bigint)',
    'create table mart.rep (n numeric)',
    'create table raw.g (day date, n int)',
    "insert into raw.g values ('2026-11-03', 1)",
    'create table mart.g (day date, n int, primary key (day, n))',
    'create table mart.p (year int, month int, day int, amount numeric)',
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

test('pipelines that share a stage take turns with it, the one first that the other one needs', async () => {
  const days = ['--from', '2026-11-03', '--to', '2026-11-06'];
  const { code, out, err } = await run('a_second', 'b_first', ...days, '--concurrency', '4');
  expect([code, err]).toEqual([0, '']);
  expect(
    statesOf(out)
      .map((unit) => unit.split(' ')[0])
      .toSorted(),
  ).toEqual(
    ['a_second.fill', 'a_second.load', 'b_first.fill', 'b_first.load'].flatMap((task) =>
      ['03', '04', '05'].map((day) => `${task}@2026-11-${day}T07:00:00Z`),
    ),
  );
  const { rows } = await shop.onDatabase(
    `select count(*), bool_and(s.amount + coalesce(f.amount, 0) = (select sum(amount) from raw.orders where ordered_at::date = s.day))
    from mart.second s left join mart.first f using (day)`,
  );
  expect(rows).toEqual([['3', 't']]);
});

test('a stage that one task makes and another drops is filled and read run by run', async () => {
  const { code, out } = await run('remade', '--from', '2026-11-03', '--to', '2026-11-06');
  expect(code).toBe(0);
  expect(statesOf(out)).toEqual(
    ['03', '04', '05'].flatMap((day) =>
      ['make', 'fill', 'load', 'drop'].map((name) => `remade.${name}@2026-11-${day}T07:00:00Z changed`),
    ),
  );
  const { rows } = await shop.onDatabase(
    `select count(*), bool_and(q.amount = (select sum(amount) from raw.orders where ordered_at::date = q.day)) from mart.q q`,
  );
  expect(rows).toEqual([['3', 't']]);
  const stage = JSON.parse(out).tables.find(({ table }: { table: string }) => table === 'raw.passing');
  expect(stage).toMatchObject({ rowsBefore: 0, netRows: stage.rowsAfter });
});

test('a table that is the same in every run is made once, behind what it reads', async () => {
  const { code, out, err } = await run('whole.dim', '--from', '2026-11-03', '--to', '2026-11-06', '--downstream');
  expect([code, err]).toEqual([0, '']);
  expect(statesOf(out)).toEqual(['whole.dim@2026-11-29T11:00:00Z changed', 'whole.rep@2026-11-29T11:00:00Z changed']);
  const { rows } = await shop.onDatabase('select n = (select count(*) from raw.orders) from mart.rep');
  expect(rows).toEqual([['t']]);
});

test('a day that is declared for a run at seven is the slice of the run', async () => {
  const { code, out, err } = await run('said.g', '--from', '2026-11-03', '--to', '2026-11-04');
  expect([code, err]).toEqual([0, '']);
  expect(statesOf(out)).toEqual(['said.g@2026-11-03T07:00:00Z changed']);
});

test('a day in three columns is a slice', async () => {
  const { code, out, err } = await run('parts.p', '--from', '2026-11-03', '--to', '2026-11-05');
  expect([code, err]).toEqual([0, '']);
  expect(statesOf(out)).toEqual(['parts.p@2026-11-03T00:00:00Z changed', 'parts.p@2026-11-04T00:00:00Z changed']);
  const again = await run('parts.p', '--from', '2026-11-03', '--to', '2026-11-05');
  expect(statesOf(again.out)).toEqual([
    'parts.p@2026-11-03T00:00:00Z unchanged',
    'parts.p@2026-11-04T00:00:00Z unchanged',
  ]);
  const { rows } = await shop.onDatabase(
    "select count(*) = (select count(*) from raw.orders where ordered_at >= '2026-11-03' and ordered_at < '2026-11-05') from mart.p",
  );
  expect(rows).toEqual([['t']]);
});
