import { describe, expect, test } from 'vitest';
import { checkFiles, type Files } from '../../support/check-files.ts';
import { saidBy } from '../../support/said-by.ts';

const imports = `from datetime import datetime
import os
from airflow import DAG
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
from sqlalchemy import create_engine, text
import pandas as pd
`;
const dag = `
with DAG("a", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    PythonOperator(task_id="load", python_callable=load)
`;
const load = (before: string) => `def load(ds, **context):
    engine = create_engine("postgresql://x")
    rows = pd.read_csv(f"/data/{ds}.csv")
    ${before}
    rows.to_sql("sales", engine, if_exists="append")
`;
const clear = `def clear(ds):
    PostgresHook("dw").run("DELETE FROM sales WHERE day = %s", parameters=(ds,))
`;
const one = (body: string, more: Files = {}): Files => ({ 'dags/a.py': imports + body, ...more });

describe('append-write, where something empties the place before', () => {
  const frame = (before: string, folder = 'root + "/sales"'): Files => ({
    'dags/a.py': `from datetime import datetime
import boto3
from airflow import DAG
from airflow.operators.python import PythonOperator
from pyspark.sql import SparkSession
def clear_folder(path):
    boto3.resource("s3").Bucket("b").objects.filter(Prefix=path).delete()
def load(root, ds):
    rows = SparkSession.builder.getOrCreate().table("raw.sales").where(f"day = '{ds}'")
    ${before}
    rows.write.mode("append").parquet(${folder})
with DAG("a", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    PythonOperator(task_id="load", python_callable=load, op_kwargs={"root": "s3://b", "ds": "{{ ds }}"})
`,
  });
  test.each([
    ['the folder', 'clear_folder(root + "/sales")', 0],
    ['by the file system', 'dbutils.fs.rm(root + "/sales", True)', 0],
    ['another folder', 'clear_folder(root + "/orders")', 1],
    ['nothing', 'pass', 1],
  ])('%s', (_, before, count) => expect(saidBy('append-write', frame(before))).toHaveLength(count));

  test.each([
    ['that only the run knows', '{at:%Y/%m/%d}/{part}', 0],
    ['below a root that only the run knows', 'sales', 1],
  ])('whole-target-overwrite, of a folder %s', (_, folder, count) => {
    const files = frame('from x import part, at, base', `f"{base}/sales/${folder}"`);
    const text = (files['dags/a.py'] ?? '').replace('"append"', '"overwrite"');
    expect(saidBy('whole-target-overwrite', { 'dags/a.py': text })).toHaveLength(count);
  });

  const copying = (mode: string): Files => ({
    'dags/a.py': `${imports}
import io
class Target:
    def put(self, rows, table, if_exists="replace"):
        if if_exists == "replace":
            rows.head(0).to_sql(name=table, con=self.engine, if_exists="replace")
        with self.engine.raw_connection().cursor() as cur:
            cur.copy_expert(f"COPY {table} FROM STDIN WITH (FORMAT CSV)", io.StringIO(rows.to_csv()))
def load():
    target = Target()
    for i, chunk in enumerate(pd.read_csv("/data/x.csv", chunksize=100)):
        target.put(chunk, "docs", ${mode})
${dag}`,
  });
  test.each([
    ['the first of several parts', 'if_exists="replace" if i == 0 else "append"', 0],
    ['none', 'if_exists="append"', 1],
  ])('a table that is made anew for %s', (_, mode, count) =>
    expect(saidBy('append-write', copying(mode))).toHaveLength(count),
  );
});

describe('append-write, where a helper takes the rows away', () => {
  const said = (files: Files) => saidBy('append-write', files);
  test.each<[string, Files]>([
    ['it stands before', one(clear + load('clear(ds)') + dag)],
    ['it stands behind', one(load('clear(ds)') + clear + dag)],
    ['it stands behind the DAG', one(load('clear(ds)') + dag + clear)],
    [
      'in another module',
      one(`from helpers.db import clear\n${load('clear(ds)')}${dag}`, { 'dags/helpers/db.py': imports + clear }),
    ],
    [
      'through the module',
      one(`import helpers.db as db\n${load('db.clear(ds)')}${dag}`, { 'dags/helpers/db.py': imports + clear }),
    ],
    [
      'beside the DAG',
      one(`from .tools import clear\n${load('clear(ds)')}${dag}`, { 'dags/tools.py': imports + clear }),
    ],
    [
      'it is given the table',
      one(
        `${load('clear(engine, "sales", ds)')}def clear(engine, table, ds):
    with engine.begin() as conn:
        conn.execute(text(f"DELETE FROM {table} WHERE day = :d"), {"d": ds})
${dag}`,
      ),
    ],
    [
      'a method',
      one(
        `${load('Loader().clear(ds)')}class Loader:
    def clear(self, ds):
        PostgresHook("dw").run("DELETE FROM sales WHERE day = %s", parameters=(ds,))
${dag}`,
      ),
    ],
    [
      'where there is something',
      one(
        `${load('if there(ds):\n        clear(ds)')}${clear}def there(ds):
    return PostgresHook("dw").get_first("SELECT count(*) FROM sales WHERE day = %s", parameters=(ds,))[0] > 0
${dag}`,
      ),
    ],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));

  test.each<[string, string, string]>([
    ['nothing does', 'pass', 'error'],
    ['only a file is removed', 'os.remove("/data/x")', 'error'],
    ['a helper that is not there may do it', 'delete_day("sales", ds)', 'warning'],
    ['a condition that only the run knows decides', 'if context["params"]["again"]:\n        clear(ds)', 'warning'],
  ])('speaks: %s', (_, before, severity) =>
    expect(said(one(`from elsewhere import delete_day\n${load(before)}${clear}${dag}`))).toEqual([
      `${severity} «if_exists="append"»`,
    ]),
  );

  test('the message names what would decide it', () => {
    const [found] = checkFiles(one(`from elsewhere import delete_day\n${load('delete_day("sales", ds)')}${dag}`));
    expect(found?.message).toContain('unless delete_day(…), which is called before it, takes them out');
  });
});
