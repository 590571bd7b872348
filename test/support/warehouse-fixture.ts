import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { CancelSignal } from '../../src/core/run/unit/cancel-signal.ts';
import type { Clock } from '../../src/core/run/unit/clock.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import type { DatabaseConnection, PostgresConnection } from '../../src/core/warehouse/port/connection-config.ts';
import type { ResultSet, Session, Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { asSuperuser } from './postgres-server.ts';
import { theServer } from './the-server.ts';

export const engines = ['pglite', 'postgres'] as const;
export type Engine = (typeof engines)[number];

const common = { name: 'test', protected: false, settings: {}, airflowIds: [] } as const;

/** A connection to a fresh, empty database of the suite's server. */
export async function freshDatabase(): Promise<PostgresConnection & { database: string }> {
  const server = theServer();
  const database = `t_${randomUUID().replaceAll('-', '')}`;
  await asSuperuser(server, 'postgres', `create database ${database}`);
  return { ...common, engine: 'postgres', ...server, database, service: undefined, sslmode: 'disable' };
}

/** Fresh warehouses of one engine, gone after the test file. */
export interface Fixture {
  readonly connection: DatabaseConnection;
  readonly warehouse: Warehouse;
  close(): Promise<void>;
}

export async function openFixture(engine: Engine): Promise<Fixture> {
  if (engine === 'postgres') {
    const connection = await freshDatabase();
    const warehouse = await openWarehouse(connection);
    return { connection, warehouse, close: () => warehouse.close() };
  }
  const parent = mkdtempSync(join(tmpdir(), 'backfill-pglite-'));
  const connection: DatabaseConnection = { ...common, engine: 'pglite', directory: join(parent, 'data') };
  const warehouse = await openWarehouse(connection);
  return {
    connection,
    warehouse,
    close: async () => {
      await warehouse.close();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** The warehouse of the suite that calls this: opened before its first test, closed after its last one. */
export function useFixture(engine: Engine): Omit<Fixture, 'close'> {
  let opened: Fixture | undefined;
  const fixture = (): Fixture => {
    if (opened === undefined) throw new Error('the warehouse of a suite is there from its beforeAll on');
    return opened;
  };
  beforeAll(async () => {
    opened = await openFixture(engine);
  });
  afterAll(() => opened?.close());
  return {
    get connection() {
      return fixture().connection;
    },
    get warehouse() {
      return fixture().warehouse;
    },
  };
}

const sessions = new WeakMap<Warehouse, Promise<Session>>();

/** Runs statements one by one, each on its own, over one session a warehouse. */
export async function sql(warehouse: Warehouse, ...statements: readonly string[]): Promise<ResultSet> {
  const session = sessions.get(warehouse) ?? warehouse.connect('ledger');
  sessions.set(warehouse, session);
  let result: ResultSet = { columns: [], rows: [], rowCount: undefined };
  for (const statement of statements) result = await (await session).query(statement);
  return result;
}

/** The first value of the first row. */
export const scalar = async (warehouse: Warehouse, query: string): Promise<string | null | undefined> =>
  (await sql(warehouse, query)).rows[0]?.[0];

export const realClock: Clock = {
  now: () => instant(Date.now()),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export const neverAborted: CancelSignal = new AbortController().signal;

type JobParts = Partial<Omit<UnitJob, 'options' | 'statements'>> & {
  readonly statements?: readonly string[];
  readonly options?: Partial<UnitJob['options']>;
};

/** A job that replaces one day of `sales` from `orders`, with parts of it changed. */
export function job(parts: JobParts = {}): UnitJob {
  const from = '2026-11-01';
  const to = '2026-11-02';
  const statements = parts.statements ?? [
    `delete from sales where day >= '${from}' and day < '${to}'`,
    `insert into sales select id, day, amount from orders where day >= '${from}' and day < '${to}'`,
  ];
  return {
    run: 'run-1',
    unit: 'shop.sales@2026-11-01T00:00:00Z',
    task: 'shop.sales',
    interval: { start: instant(Date.parse(`${from}T00:00:00Z`)), end: instant(Date.parse(`${to}T00:00:00Z`)) },
    slices: [
      {
        table: 'sales',
        column: 'day',
        from: `${from}T00:00:00.000Z`,
        to: `${to}T00:00:00.000Z`,
        predicate: undefined,
        mode: 'delete+insert',
        key: [],
        volatile: [],
      },
    ],
    inputs: [],
    cutsOff: false,
    restores: undefined,
    codeHash: 'code-1',
    ...parts,
    statements: statements.map((text) => ({ text, at: undefined })),
    options: {
      compare: 'rows',
      samples: 20,
      holdShrinkPercent: 50,
      keepBeforeRows: 1000,
      earlyCutoff: true,
      lockTable: false,
      lockTimeoutMs: 5000,
      statementTimeoutMs: 60_000,
      leaseMs: 30_000,
      settings: {},
      ...parts.options,
    },
  };
}

/** The rows of `orders` that the job reads, as a record says it. */
export const readsOrders = {
  table: 'orders',
  column: 'day',
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-02T00:00:00.000Z',
};

/** `orders` with ten rows a day over three days, and `sales` as it should be built from them. */
export const shopTables: readonly string[] = [
  'create table orders (id int primary key, day date not null, amount numeric(10, 2))',
  'create table sales (id int primary key, day date not null, amount numeric(10, 2))',
  "insert into orders select n, date '2026-10-31' + (n / 10), n * 1.5 from generate_series(0, 29) n",
  'insert into sales select * from orders',
];
