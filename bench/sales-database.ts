import pg from 'pg';
import type { PostgresConnection } from '../src/core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../src/warehouses/open.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { serverCpuMs } from './server-cpu.ts';

/** A real server with safe defaults (fsync on) and one connection beside the product's, for the bare statements. */
export interface SalesDatabase {
  readonly client: pg.Client;
  readonly warehouse: Warehouse;
  /** Where the server is, for programs that connect by themselves. */
  readonly address: Pick<PostgresServer, 'host' | 'port' | 'user' | 'password'>;
  /** Processor time that the server has used so far, in milliseconds; `undefined` where the system does not say it. */
  serverCpuMs(): number | undefined;
  /** Another bare connection; ends with the database. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

/** Cleaning up happens between measurements, by `vacuum`, never during one. */
const serverSettings = ['shared_buffers=512MB', 'max_wal_size=8GB', 'checkpoint_timeout=1h', 'autovacuum=off'];

export async function openSalesDatabase(): Promise<SalesDatabase> {
  const server = await startPostgres(serverSettings);
  const { host, port, user, password } = server;
  const connection: PostgresConnection = {
    engine: 'postgres',
    name: 'dw',
    protected: false,
    settings: {},
    airflowIds: ['dw'],
    host,
    port,
    user,
    password,
    database: 'postgres',
    service: undefined,
    sslmode: 'disable',
  };
  const clients: pg.Client[] = [];
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ host, port, user, password, database: 'postgres' });
    await client.connect();
    clients.push(client);
    return client;
  };
  const warehouse = await openWarehouse(connection);
  return {
    client: await connect(),
    warehouse,
    address: { host, port, user, password },
    serverCpuMs: () => serverCpuMs(server.pid),
    connect,
    close: async () => {
      await warehouse.close();
      await Promise.all(clients.map((client) => client.end()));
      await server.stop();
    },
  };
}

/** A day of each table holds this many rows per day; a customer has three events a day. */
export interface SalesTables {
  readonly suffix: string;
  readonly days: number;
  readonly rowsPerDay: number;
}

export const firstDay = '2025-01-01';
/** The day that lies `days` after the first one. */
export const dayAfter = (days: number): string =>
  new Date(Date.parse(firstDay) + days * 86_400_000).toISOString().slice(0, 10);
const eventsPerRow = 3;

/** `events` as they come in, `customer_day` added up from them, and `customer_copy`, its plain copy. */
export async function createSalesTables(client: pg.Client, { suffix, days, rowsPerDay }: SalesTables): Promise<void> {
  const customerDay = (name: string) =>
    `create table ${name}_${suffix} (day date not null, customer int not null, orders int not null,
     quantity bigint not null, gross numeric(14, 2) not null, discount numeric(14, 2) not null,
     first_at timestamptz not null, last_at timestamptz not null, channel text not null, note text,
     primary key (day, customer))`;
  const statements = [
    `create table events_${suffix} (id bigint not null, customer int not null, at timestamptz not null,
     quantity int not null, price numeric(10, 2) not null, discount numeric(10, 2) not null, channel text not null, note text)`,
    customerDay('customer_day'),
    customerDay('customer_copy'),
    `insert into events_${suffix}
     select d * ${rowsPerDay * eventsPerRow} + i, i % ${rowsPerDay},
       timestamptz '${firstDay} 00:00:00+00' + d * interval '1 day' + (i * 86400.0 / ${rowsPerDay * eventsPerRow}) * interval '1 second',
       1 + i % 5, 5 + (i * 7919 % 9500) / 100.0, (i % 7) / 10.0,
       (array['web', 'shop', 'phone', 'partner'])[1 + i % 4], case when i % 3 = 0 then 'note ' || i end
     from generate_series(0, ${days - 1}) d, generate_series(0::bigint, ${rowsPerDay * eventsPerRow - 1}) i`,
    `create index on events_${suffix} (at)`,
    ...['events', 'customer_day', 'customer_copy'].map((name) => `analyze ${name}_${suffix}`),
  ];
  for (const statement of statements) await client.query(statement);
}

const columns = 'day, customer, orders, quantity, gross, discount, first_at, last_at, channel, note';

/** Two daily tasks over the tables. Rows whose customer ends with `00` depend on the parameter `round`: one in a hundred. */
export const salesDag = (suffix: string, round = 0): string => `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("sales", schedule="@daily", start_date=datetime(2025, 1, 1), catchup=True, params={"round": ${round}},
         default_args={"conn_id": "dw"}):
    SQLExecuteQueryOperator(task_id="aggregate", sql="""
        DELETE FROM customer_day_${suffix} WHERE day >= '{{ ds }}' AND day < '{{ macros.ds_add(ds, 1) }}';
        INSERT INTO customer_day_${suffix} (${columns})
        SELECT DATE '{{ ds }}', customer, count(*), sum(quantity), sum(quantity * price)
               + CASE WHEN customer % 100 = 0 THEN {{ params.round }} ELSE 0 END,
               sum(discount), min(at), max(at), min(channel), max(note)
        FROM events_${suffix}
        WHERE at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}'
        GROUP BY customer;
    """)
    SQLExecuteQueryOperator(task_id="copy", sql="""
        DELETE FROM customer_copy_${suffix} WHERE day >= '{{ ds }}' AND day < '{{ macros.ds_add(ds, 1) }}';
        INSERT INTO customer_copy_${suffix} (${columns})
        SELECT day, customer, orders, quantity, gross + CASE WHEN customer % 100 = 0 THEN {{ params.round }} ELSE 0 END,
               discount, first_at, last_at, channel, note
        FROM customer_day_${suffix}
        WHERE day >= '{{ ds }}' AND day < '{{ macros.ds_add(ds, 1) }}';
    """)
`;
