import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../support/run-cli.ts';

const dag = (name: string, schedule: string): string => `
with DAG("${name}", schedule=${schedule}, start_date=pendulum.datetime(2024, 1, 1, tz="UTC"), catchup=False,
         template_searchpath=os.environ["SQL"], params={"to": "elsewhere"}):
    PostgresOperator(task_id="f", postgres_conn_id="wh", sql="fill.sql")
`;
const schedules = {
  once: '"@once"',
  none: 'None',
  assets: '[Dataset("s3://x")]',
  triggered: 'None',
  daily: '"@daily"',
};
const said = `schedule: "0 5 * * *", start_date: 2024-03-01, template_searchpath: [/opt/airflow/etl/sql],
      params: { to: mart }, variables: { from: own }`;

const files: Readonly<Record<string, string>> = {
  'requirements.txt': 'apache-airflow==2.10.5',
  'dags/d.py': `import os
import pendulum
from airflow import DAG
from airflow.datasets import Dataset
from airflow.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.providers.postgres.operators.postgres import PostgresOperator
${Object.entries(schedules)
  .map(([name, schedule]) => dag(name, schedule))
  .join('')}
with DAG("starter", schedule="@daily", start_date=pendulum.datetime(2024, 1, 1, tz="UTC"), catchup=False):
    TriggerDagRunOperator(task_id="go", trigger_dag_id="triggered")
`,
  'etl/sql/fill.sql': `DELETE FROM {{ params.to }}.f WHERE day = '{{ ds }}';
INSERT INTO {{ params.to }}.f SELECT * FROM {{ var.value.from }}.f WHERE day = '{{ ds }}';`,
  'backfill.yaml': `version: 1
variables: { from: raw }
params: { to: everywhere }
dags:
${['once', 'none', 'assets', 'triggered'].map((name) => `  ${name}: { ${said} }`).join('\n')}
  daily: { template_searchpath: [etl/sql] }
`,
};

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'backfill-dags-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const plan = async (task: string) => {
  const range = ['--from', '2024-03-02', '--to', '2024-03-04', '--now', '2024-04-01', '--offline'];
  const { out } = await runCli(['plan', task, ...range, '--statements', '--format', 'json'], root);
  const { units } = JSON.parse(out) as { units: { start: string; statements: string[] }[] };
  return units;
};

test.each(['once', 'none', 'assets', 'triggered'])(
  'a DAG whose runs are started %s is planned at the dates, with the files and values that are said of it',
  async (name) => {
    expect(await plan(`${name}.f`)).toMatchObject(
      ['02', '03'].map((day) => ({
        start: `2024-03-${day}T05:00:00Z`,
        statements: [
          `DELETE FROM mart.f WHERE day = '2024-03-${day}'`,
          `INSERT INTO mart.f SELECT * FROM own.f WHERE day = '2024-03-${day}'`,
        ],
      })),
    );
  },
);

test('what is not said of one DAG is as it is said of all', async () => {
  const [first] = await plan('daily.f');
  expect(first?.statements[1]).toBe("INSERT INTO everywhere.f SELECT * FROM raw.f WHERE day = '2024-03-02'");
});

test('Variables that a file asks for while it is loaded are what backfill.yaml says, and those of a run are not', async () => {
  const other = mkdtempSync(join(tmpdir(), 'backfill-said-'));
  mkdirSync(join(other, 'dags'));
  writeFileSync(
    join(other, 'dags/names.py'),
    'from airflow.models import Variable\nTABLES = Variable.get("tables", deserialize_json=True)\n',
  );
  writeFileSync(
    join(other, 'dags/v.py'),
    `from datetime import datetime
from airflow import DAG
from airflow.models import Variable
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.providers.postgres.operators.postgres import PostgresOperator
from names import TABLES

def later():
    PostgresHook(postgres_conn_id="wh").run(f"delete from {Variable.get('schema')}.z")

with DAG("v", schedule="@daily", start_date=datetime(2026, 1, 1)):
    for table in TABLES:
        PostgresOperator(task_id=table, postgres_conn_id=Variable.get("conn"),
                         sql=f"delete from {Variable.get('schema', default_var='x')}.{table} where day = '{{{{ ds }}}}'")
    PythonOperator(task_id="later", python_callable=later)
`,
  );
  const shown = async (variables: string) => {
    writeFileSync(join(other, 'backfill.yaml'), `version: 1\nvariables: ${variables}\n`);
    const { pipelines } = JSON.parse((await runCli(['show', '--format', 'json'], other)).out);
    return pipelines[0].tasks.map(
      ({ id, executor, writes }: { id: string; executor: string; writes: readonly { table: string }[] }) =>
        `${id} ${executor} ${writes.map(({ table }) => table).join()}`,
    );
  };
  expect(await shown('{ conn: wh, schema: core, tables: [a, b] }')).toEqual([
    'v.a warehouse core.a',
    'v.b warehouse core.b',
    'v.later airflow ',
  ]);
  expect(await shown('{ conn: wh, tables: \'["c"]\' }')).toEqual(['v.c airflow ', 'v.later airflow ']);
  rmSync(other, { recursive: true, force: true });
});

test('environment variables that connections and SQL are made of can be said, and are first written as the files take them', async () => {
  const other = mkdtempSync(join(tmpdir(), 'backfill-environment-'));
  mkdirSync(join(other, 'dags'));
  writeFileSync(
    join(other, 'dags/e.py'),
    `import os
from datetime import datetime
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator

SCHEMA = os.environ.get("SCHEMA", default="core")

with DAG("e", schedule="@daily", start_date=datetime(2026, 1, 1)):
    PostgresOperator(task_id="a", postgres_conn_id=os.getenv("WH", "wh"), sql=f"truncate {SCHEMA}.a; insert into {SCHEMA}.a select 1")
    PostgresOperator(task_id="b", postgres_conn_id=os.environ["OTHER"], sql="delete from m.b where day = '{{ ds }}'")
`,
  );
  const shown = async () => {
    const { pipelines } = JSON.parse((await runCli(['show', '--format', 'json'], other)).out);
    return pipelines[0].tasks.map(
      ({ id, executor, writes }: { id: string; executor: string; writes: readonly { table: string }[] }) =>
        `${id} ${executor} ${writes.map(({ table }) => table).join()}`,
    );
  };
  // Whether the scheduler sets them is not known: the fallback is not taken without being said.
  expect(await shown()).toEqual(['e.a airflow ', 'e.b airflow m.b']);
  const first = (await runCli(['init', '--print'], other)).out;
  expect(first).toContain(`environment:   # of the scheduler, as the files take it where it is not set
  WH: "wh"
  SCHEMA: "core"
#   OTHER:
`);
  expect(first).toContain('airflowIds: ["wh"]');
  expect((await runCli(['init'], other)).code).toBe(0);
  expect(await shown()).toEqual(['e.a warehouse core.a', 'e.b airflow m.b']);
  writeFileSync(join(other, 'backfill.yaml'), 'version: 1\nenvironment: { WH: wh, SCHEMA: own, OTHER: wh }\n');
  expect(await shown()).toEqual(['e.a warehouse own.a', 'e.b warehouse m.b']);
  rmSync(other, { recursive: true, force: true });
});

test.each([
  'open(os.environ["HOME_OF_DAGS"] + "/sql/a.sql").read()',
  `open(f"{os.environ['HOME_OF_DAGS']}/sql/a.sql").read()`,
  'Path(os.environ["HOME_OF_DAGS"] + "/sql/a.sql").read_text()',
  `(Path(f"{os.getenv('HOME_OF_DAGS')}/sql") / "a.sql").read_text()`,
  'open(os.path.join(os.path.dirname(os.environ["HOME_OF_DAGS"] + "/sql/b.sql"), "a.sql")).read()',
])('a file is found by the end of its path where only the head of it is not known: %s', async (sql) => {
  const other = mkdtempSync(join(tmpdir(), 'backfill-head-'));
  mkdirSync(join(other, 'dags/sql'), { recursive: true });
  writeFileSync(join(other, 'dags/sql/a.sql'), "delete from m.a where day = '{{ ds }}'");
  writeFileSync(
    join(other, 'dags/d.py'),
    `import os
from datetime import datetime
from pathlib import Path
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator

with DAG("d", schedule="@daily", start_date=datetime(2026, 1, 1)):
    PostgresOperator(task_id="t", postgres_conn_id="wh", sql=${sql})
`,
  );
  const { pipelines } = JSON.parse((await runCli(['show', '--format', 'json'], other)).out);
  expect(pipelines[0].tasks).toMatchObject([{ executor: 'warehouse', writes: [{ table: 'm.a' }], unknowns: [] }]);
  rmSync(other, { recursive: true, force: true });
});
