import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { type ShopWorkspace, shopWorkspace } from '../support/shop-workspace.ts';

let parent = '';
let shop: ShopWorkspace;

const dag = `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator as Sql

with DAG("dims", schedule="@hourly", start_date=datetime(2026, 11, 1), catchup=False):
    buyers = Sql(task_id="buyers", conn_id="dw", sql="truncate star.buyers cascade; insert into star.buyers select distinct n % 3, 'b' from star.source")
    places = Sql(task_id="places", conn_id="dw", sql="truncate table star.places cascade; insert into star.places select distinct n % 2, 'p' from star.source")
    sales = Sql(task_id="sales", conn_id="dw", sql="truncate star.sales cascade; insert into star.sales select n, n % 3, n % 2 from star.source")
    [buyers, places] >> sales

with DAG("lines", schedule="30 * * * *", start_date=datetime(2026, 11, 1), catchup=False):
    Sql(task_id="lines", conn_id="dw", sql="truncate star.lines; insert into star.lines select n, n * 10 from star.source")

with DAG("alone", schedule="@daily", start_date=datetime(2026, 11, 1), catchup=False):
    Sql(task_id="codes", conn_id="dw", sql="truncate star.codes cascade; insert into star.codes select distinct n from star.source")
`;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-cascade-'));
  shop = await shopWorkspace('postgres', parent);
  writeFileSync(join(shop.root, 'dags/star.py'), dag);
});
beforeEach(() =>
  shop.onDatabase(
    'drop schema if exists star cascade',
    'create schema star',
    'create table star.source (n int)',
    'insert into star.source select generate_series(1, 12)',
    'create table star.buyers (id int primary key, name text)',
    'create table star.places (id int primary key, name text)',
    'create table star.sales (id int primary key, buyer int references star.buyers, place int references star.places)',
    'create table star.lines (sale int references star.sales on delete restrict, amount int)',
    'create table star.codes (id int primary key)',
    'create table star.notes (code int references star.codes, text text)',
    "insert into star.buyers values (0, 'old')",
    "insert into star.places values (0, 'old'), (1, 'old')",
    'insert into star.sales values (1, 0, 0)',
    'insert into star.lines values (1, 7)',
    'insert into star.codes values (1)',
    "insert into star.notes values (1, 'by hand')",
  ),
);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const command = (...words: readonly string[]) =>
  runCli([...words, '--from', '2026-11-03', '--to', '2026-11-04', '--now', '2026-11-29T12:00Z'], shop.root, {
    env: shop.env,
  });
const run = (...words: readonly string[]) => command('run', ...words, '--yes', '--format', 'json');
const statesOf = (out: string): readonly string[] =>
  JSON.parse(out).units.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`);
const counts = async (...tables: readonly string[]): Promise<readonly string[]> => {
  const all = tables.map((table) => `(select count(*) from star.${table})`);
  return (await shop.onDatabase(`select ${all.join(', ')}`)).rows[0]?.map(String) ?? [];
};

test('a refresh whose TRUNCATE … CASCADE empties what others fill again is one unit each, before them, and not held', async () => {
  for (const _ of ['first', 'second']) {
    const { code, out, err } = await run('dims', 'lines');
    expect([code, err]).toEqual([0, '']);
    const units = statesOf(out);
    expect(units.map((unit) => unit.split('@')[0])).toEqual(
      expect.arrayContaining(['dims.buyers', 'dims.places', 'dims.sales', 'lines.lines']),
    );
    expect(units).toHaveLength(4);
    expect(units.filter((unit) => !/ (changed|unchanged)$/.test(unit))).toEqual([]);
    expect(await counts('buyers', 'places', 'sales', 'lines')).toEqual(['3', '2', '12', '12']);
  }
});

test('what it empties is filled again by whoever does, also from another DAG, or it does not run', async () => {
  const alone = await command('plan', 'dims.buyers', '--format', 'json');
  expect(alone.code).toBe(1);
  const errors = JSON.parse(alone.out).findings.filter(({ severity }: { severity: string }) => severity === 'error');
  expect(errors.map(({ message }: { message: string }) => message.replace(/: the table would.*/, ''))).toEqual([
    'dims.buyers empties star.sales by TRUNCATE … CASCADE, and dims.sales, which fills it again, is not in the plan',
    'dims.buyers empties star.lines by TRUNCATE … CASCADE, and lines.lines, which fills it again, is not in the plan',
  ]);
  expect(await counts('sales', 'lines')).toEqual(['1', '1']);
  const { code } = await run('dims.buyers', '--downstream');
  expect(code).toBe(0);
  expect(await counts('buyers', 'sales', 'lines')).toEqual(['3', '12', '12']);
});

test('rows that nobody fills again are held by what would go, and let through as that says', async () => {
  const held = await run('alone');
  expect(statesOf(held.out)).toEqual(['alone.codes@2026-11-28T00:00:00Z held']);
  expect(JSON.stringify(JSON.parse(held.out).units[0])).toContain('star.notes would lose the only row of its slice.');
  expect(await counts('codes', 'notes')).toEqual(['1', '1']);
  const { code, out } = await runCli(
    ['resume', JSON.parse(held.out).runId, '--accept-held', '--yes', '--format', 'json'],
    shop.root,
    { env: shop.env },
  );
  expect([code, statesOf(out)]).toEqual([0, ['alone.codes@2026-11-28T00:00:00Z changed']]);
  expect(await counts('codes', 'notes')).toEqual(['12', '0']);
});
