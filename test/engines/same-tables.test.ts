import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSql } from '../../src/core/sql/read-sql.ts';
import { plainText } from '../../src/core/template/mask/plain-text.ts';
import { runPython } from '../../src/node/airflow/run-python.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { runCli } from '../support/run-cli.ts';

const project = fileURLToPath(new URL('../fixtures/same-tables', import.meta.url));
const first = '2024-03-01T00:00:00+00:00';
const last = '2024-03-12T23:00:00+00:00';

/** A task of one run, as Airflow ran it. */
interface Done {
  readonly task: string;
  readonly logicalDate: string;
  readonly start: string;
  readonly end: string;
  readonly sql: readonly string[];
}

interface PlannedUnit {
  readonly task: string;
  readonly start: string;
  readonly end: string;
  readonly statements: readonly string[];
}

/** Every run of these gives the same tables, so a plan has one, the newest. */
const refreshed: readonly string[] = ['shop_catalogue.products', 'shop_catalogue.letters'];

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

async function inDatabase<T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { host, port, user, password } = server;
  const client = new pg.Client({ host, port, user, password, database });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Every table of the project with its rows in a fixed order. */
const tables = (database: string): Promise<Readonly<Record<string, readonly string[]>>> =>
  inDatabase(database, async (client) => {
    const found: Record<string, readonly string[]> = {};
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('mart', 'stage') order by 1`,
    );
    for (const { name } of rows) {
      const { rows: all } = await client.query<{ text: string }>(`select t::text as text from ${name} t order by 1`);
      found[name] = all.map(({ text }) => text);
    }
    return found;
  });

describe.each([2, 3] as const)('Airflow %i and a run from here', (version) => {
  const names = { airflow: `airflow${version}`, ours: `ours${version}` };
  let folder: string;
  let done: readonly Done[];
  const command = (...words: string[]) =>
    runCli([...words, '--logical-dates', `${first}..${last}`, '--workspace', folder, '--format', 'json'], folder, {
      env: { WAREHOUSE_PASSWORD: server.password },
    });
  const dags = ['shop_setup', 'shop_orders', 'shop_visits', 'shop_catalogue', 'shop_customers', 'shop_weeks'];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'backfill-same-tables-'));
    cpSync(project, folder, { recursive: true });
    writeFileSync(
      join(folder, 'backfill.yaml'),
      `version: 1
connections:
  warehouse: { engine: postgres, host: 127.0.0.1, port: ${server.port}, database: ${names.ours}, user: postgres, password: "\${env:WAREHOUSE_PASSWORD}" }
airflow: { version: ${version} }
# Of a DAG that runs once somebody has to say when.
dags: { shop_setup: { schedule: "0 0 1 3 *", start_date: 2024-03-01 } }
`,
    );
    await inDatabase('postgres', (client) => client.query(`create database ${names.airflow}`));
    await inDatabase(names.airflow, (client) => client.query(readFileSync(join(folder, 'sources.sql'), 'utf8')));
    await inDatabase('postgres', (client) => client.query(`create database ${names.ours} template ${names.airflow}`));
    const result = join(folder, 'result.json');
    const script = fileURLToPath(new URL('run-tasks.py', import.meta.url));
    const ended = await runPython(
      fileURLToPath(new URL(`../../.venv-airflow${version}`, import.meta.url)),
      [script, join(folder, 'dags'), first, last, result],
      {
        cwd: folder,
        environment: {
          PATH: process.env.PATH,
          HOME: folder,
          AIRFLOW_HOME: folder,
          AIRFLOW__CORE__LOAD_EXAMPLES: 'False',
          AIRFLOW_CONN_WAREHOUSE: `postgres://postgres:${encodeURIComponent(server.password)}@127.0.0.1:${server.port}/${names.airflow}`,
          TZ: 'UTC',
        },
        timeoutMs: 500_000,
        signal: undefined,
      },
    );
    if (!ended.ok) throw new Error(ended.message);
    done = JSON.parse(readFileSync(result, 'utf8'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('have the same runs and send the same SQL', async () => {
    const { units } = JSON.parse((await command('plan', ...dags, '--statements')).out) as { units: PlannedUnit[] };
    const dated = ({ task }: { readonly task: string }): boolean => !refreshed.includes(task);
    const planned = units
      .filter(dated)
      .map(({ task, start, end, statements }) => ({ task, logicalDate: start, end, sql: statements }));
    const ran = done.filter(dated).map(({ task, logicalDate, end, sql }) => ({
      task,
      logicalDate: iso(logicalDate),
      // That of a DAG which runs once is the moment itself.
      end: task.startsWith('shop_setup') ? iso(logicalDate) : iso(end),
      sql: sql.flatMap(statementsOf),
    }));
    const inOrder = (all: readonly { task: string; logicalDate: string }[]) =>
      [...all].sort((a, b) => (key(a) < key(b) ? -1 : 1));
    expect(inOrder(planned)).toEqual(inOrder(ran));
    for (const task of refreshed) {
      const [unit, ...others] = units.filter((one) => one.task === task);
      expect(others).toEqual([]);
      for (const one of done.filter((all) => all.task === task))
        expect(one.sql.flatMap(statementsOf)).toEqual(unit?.statements);
    }
  });

  test('leave the same tables', async () => {
    const { code, out } = await command('run', ...dags, '--yes');
    expect(code, out).toBe(0);
    expect(await tables(names.ours)).toEqual(await tables(names.airflow));
  });
});

const iso = (time: string): string => time.replace(/\+00:00$/, 'Z');
const key = ({ task, logicalDate }: { readonly task: string; readonly logicalDate: string }): string =>
  `${task} ${logicalDate}`;
const statementsOf = (text: string): readonly string[] =>
  readSql(plainText(text), 'postgres').statements.map(({ start, end }) =>
    text.slice(start, end).replace(/;$/, '').trim(),
  );
