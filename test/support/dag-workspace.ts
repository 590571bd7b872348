import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { PostgresConnection } from '../../src/core/warehouse/port/connection-config.ts';
import { type CliResult, runCli } from './run-cli.ts';
import { freshDatabase } from './warehouse-fixture.ts';

/** A workspace of one DAG file over fresh databases, worked on by the command line. */
export interface DagWorkspace {
  readonly root: string;
  readonly databases: readonly string[];
  cli(words: readonly string[], ask?: (question: string) => Promise<string | undefined>): Promise<CliResult>;
  /** Rows of a query on the first database, or another one. */
  rows(query: string, database?: number): Promise<readonly (readonly unknown[])[]>;
  close(): void;
}

/**
 * Connection `wh` leads to the first database, `wh2` … to the others; all mean Airflow's `wh`. `tasks`: lines inside
 * of the DAG `d`, which runs daily.
 */
export async function dagWorkspace(
  setup: string,
  tasks: string | ((databases: readonly string[]) => string),
  { databases: count = 1, settings = '{ timezone: UTC }' } = {},
): Promise<DagWorkspace> {
  const connections: (PostgresConnection & { database: string })[] = [];
  for (let n = 0; n < count; n++) connections.push(await freshDatabase());
  const root = mkdtempSync(join(tmpdir(), 'backfill-dag-'));
  mkdirSync(join(root, 'dags'));
  const text = typeof tasks === 'string' ? tasks : tasks(connections.map(({ database }) => database));
  const lines = text
    .trim()
    .split('\n')
    .map((line) => `    ${line}`);
  writeFileSync(
    join(root, 'dags/d.py'),
    `import datetime
import pendulum
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.postgres.operators.postgres import PostgresOperator

with DAG("d", schedule="@daily", start_date=pendulum.datetime(2026, 11, 1, tz="UTC"), params={"floor": 3}):
${lines.join('\n')}
`,
  );
  const blocks = connections.map(
    ({ host, port, database, user }, index) =>
      `  wh${index === 0 ? '' : index + 1}: { engine: postgres, host: ${host}, port: ${port}, database: ${database}, user: ${user}, password: '\${env:PGPASSWORD}', sslmode: disable, airflowIds: [wh], settings: ${settings} }`,
  );
  writeFileSync(
    join(root, 'backfill.yaml'),
    `version: 1\nairflow: { version: 2 }\nconnections:\n${blocks.join('\n')}\ndefaultConnection: wh\n`,
  );
  const rows: DagWorkspace['rows'] = async (query, index = 0) => {
    const { host, port, database, user, password } = connections[index] ?? {};
    const client = new pg.Client({ host, port, database, user, password, ssl: false });
    await client.connect();
    try {
      const results = await client.query({ text: query, rowMode: 'array' });
      return (Array.isArray(results) ? results.at(-1) : results).rows;
    } finally {
      await client.end();
    }
  };
  for (const index of connections.keys()) await rows(setup, index);
  const env = { PGPASSWORD: connections[0]?.password ?? '' };
  return {
    root,
    databases: connections.map(({ database }) => database),
    cli: (words, ask) =>
      runCli([...words, ...(/^(?:run|plan|prove)$/.test(words[0] ?? '') ? ['--now', '2026-11-29T12:00Z'] : [])], root, {
        env,
        ...(ask === undefined ? {} : { ask }),
      }),
    rows,
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
