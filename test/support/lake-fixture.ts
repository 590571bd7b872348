import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SparkConnection } from '../../src/core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { ConnectClient } from '../../src/warehouses/spark/connect-client.ts';
import { parseConnectUrl } from '../../src/warehouses/spark/connect-url.ts';
import { SparkSession } from '../../src/warehouses/spark/spark-session.ts';

/** A workspace with one DAG whose tasks are Spark SQL, its lake, and a session to look into that. */
export interface LakeFixture {
  readonly root: string;
  readonly connection: SparkConnection;
  /** Statements in turn; the rows of the last one. */
  sql(...statements: readonly string[]): Promise<readonly (readonly (string | null)[])[]>;
  /** Writes the DAG anew: a statement by task. */
  dag(tasks: Readonly<Record<string, string>>): void;
  /** Opens the lake with its ledger, as a command does; whoever opens it closes it. */
  open(): Promise<Warehouse>;
  close(): Promise<void>;
}

interface FixtureOptions {
  /** More lines for `backfill.yaml`. */
  readonly config?: string;
  /** The address that the workspace has, where it is another way to the same Spark. */
  readonly reachedAt?: string;
  /** The connection of its ledger, as YAML; else PGlite below the workspace. */
  readonly ledger?: string;
}

/** `schema`: of its tables, made anew. */
export async function lakeFixture(
  url: string,
  schema: string,
  { config = '', reachedAt = url, ledger }: FixtureOptions = {},
): Promise<LakeFixture> {
  const root = mkdtempSync(join(tmpdir(), 'backfill-lake-'));
  const common = { protected: false, settings: {}, airflowIds: [] };
  const connection: SparkConnection = {
    ...common,
    name: 'lake',
    engine: 'spark',
    url,
    token: undefined,
    ledger: { ...common, name: 'lake', engine: 'pglite', directory: join(root, '.backfill/ledger-lake') },
  };
  mkdirSync(join(root, 'dags'));
  const lines = [
    'version: 1',
    'connections:',
    `  lake: { engine: spark, url: "${reachedAt}"${ledger === undefined ? '' : ', ledger: records'} }`,
    ...(ledger === undefined ? [] : [`  records: ${ledger}`, 'defaultConnection: lake']),
    'run: { samples: 0 }',
    config,
  ];
  writeFileSync(join(root, 'backfill.yaml'), `${lines.join('\n')}\n`);
  const client = new ConnectClient(parseConnectUrl(url), undefined, 'test');
  const session = new SparkSession(client, () => client.close());
  const sql: LakeFixture['sql'] = async (...statements) => {
    let rows: readonly (readonly (string | null)[])[] = [];
    for (const statement of statements) rows = (await session.query(statement)).rows;
    return rows;
  };
  await sql(`drop database if exists ${schema} cascade`, `create database ${schema}`);
  return {
    root,
    connection,
    sql,
    dag(tasks) {
      const operators = Object.entries(tasks).map(
        ([id, text]) => `    SparkSqlOperator(task_id="${id}", conn_id="lake", sql="""${text}""")`,
      );
      const head = [
        'from datetime import datetime',
        'from airflow import DAG',
        'from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator',
        'with DAG("lake", schedule="@daily", start_date=datetime(2026, 11, 1), catchup=True) as dag:',
      ];
      writeFileSync(join(root, 'dags/lake.py'), `${[...head, ...operators].join('\n')}\n`);
    },
    open: () => openWarehouse(connection),
    async close() {
      await session.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
