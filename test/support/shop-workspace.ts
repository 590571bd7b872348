import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DatabaseConnection } from '../../src/core/warehouse/port/connection-config.ts';
import type { ResultSet } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type Engine, freshDatabase, sql } from './warehouse-fixture.ts';

const fixtures = fileURLToPath(new URL('../fixtures/cli', import.meta.url));

const shopTables = [
  'create schema raw',
  'create schema mart',
  'create table raw.orders (id int primary key, ordered_at timestamptz not null, shop text not null, amount numeric not null)',
  'create table mart.daily (day date, shop text, amount numeric, primary key (day, shop))',
  'create table mart.rolling3 (day date primary key, amount numeric)',
  `insert into raw.orders select n, timestamptz '2026-11-01 00:30+00' + n * interval '4 hours', 's' || n % 3, n
   from generate_series(0, 150) n`,
];

/** Two branches of which the right one divides by zero on 8 November, and a chain behind a high-water mark. */
const branchTables = [
  'create schema raw',
  'create schema mart',
  'create table raw.events (id int primary key, day date not null, amount numeric not null)',
  "insert into raw.events select n, date '2026-11-01' + n % 10, n * 1.25 from generate_series(1, 40) n",
  'create table mart.left_day (day date, id int, amount numeric, ratio float8, primary key (day, id))',
  'create table mart.left_sum (day date primary key, amount numeric)',
  'create table mart.right_day (day date, id int, price int, primary key (day, id))',
  'create table mart.right_sum (day date primary key, price int)',
  'create table mart.pulled (id int primary key, day date, amount numeric)',
  'create table mart.balance (day date primary key, amount numeric)',
];

/** A workspace whose connection `sandbox` is a fresh database with the tables that they read and write. */
export interface ShopWorkspace {
  readonly root: string;
  readonly connection: DatabaseConnection;
  /** What `backfill.yaml` takes from the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Opens the database anew, as every command does. */
  onDatabase(...statements: readonly string[]): Promise<ResultSet>;
}

/** `parent`: the folder that it is made in. */
export const shopWorkspace = (engine: Engine, parent: string): Promise<ShopWorkspace> =>
  workspaceOf('shop', shopTables, engine, parent);

export const branchesWorkspace = (engine: Engine, parent: string): Promise<ShopWorkspace> =>
  workspaceOf('branches', branchTables, engine, parent);

async function workspaceOf(
  fixture: string,
  tables: readonly string[],
  engine: Engine,
  parent: string,
): Promise<ShopWorkspace> {
  const root = mkdtempSync(join(parent, 'shop-'));
  cpSync(join(fixtures, fixture), root, { recursive: true });
  const common = { name: 'sandbox', protected: false, settings: {}, airflowIds: [] };
  let connection: DatabaseConnection = { ...common, engine: 'pglite', directory: join(root, '.backfill/sandbox') };
  let env: Readonly<Record<string, string>> = {};
  if (engine === 'postgres') {
    const fresh = await freshDatabase();
    connection = fresh;
    env = { SHOP_PASSWORD: String(fresh.password) };
    const { host, port, database, user } = fresh;
    const place = `host: ${host}, port: ${port}, database: ${database}, user: ${user}`;
    writeFileSync(
      join(root, 'backfill.yaml'),
      `version: 1\nairflow: { version: 2 }\nrun: { lease: 5s }\nconnections:\n  sandbox: { ${place}, password: "\${env:SHOP_PASSWORD}", sslmode: disable }\n`,
    );
  }
  const onDatabase: ShopWorkspace['onDatabase'] = async (...statements) => {
    const warehouse = await openWarehouse(connection);
    try {
      return await sql(warehouse, ...statements);
    } finally {
      await warehouse.close();
    }
  };
  await onDatabase(...tables);
  return { root, connection, env, onDatabase };
}
