import { describe, expect, test } from 'vitest';
import { checkFiles, type Files, inWords } from '../../support/check-files.ts';

const fileOf = (work: string): Files => ({
  'dags/one.py': `import json, os, time
from datetime import datetime, timezone
from pathlib import Path
from urllib.request import Request, urlopen
import boto3, pendulum, yaml
from airflow import DAG
from airflow.operators.python import PythonOperator
s3 = boto3.client("s3")
folder = Path(os.environ["FOLDER"])
def put(name):
    s3.upload_file("/tmp/x", "bucket", name)
def work():
${work.replace(/^/gm, '    ')}
with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    PythonOperator(task_id="work", python_callable=work)
`,
});

const found = (work: string): string[] => {
  const files = fileOf(work);
  return checkFiles(files)
    .filter(({ severity }) => severity === 'error' || severity === 'warning')
    .map((finding) => inWords(files, finding));
};

test.each([
  '(folder / "lock.json").write_text(json.dumps({"at": pendulum.now()}))',
  '(folder / "lock.json").write_bytes(json.dumps({"at": pendulum.now().date()}).encode())',
  'open("/x/y", "w").write(str(datetime.now().date()))',
  'with open("/x/y", "w") as f:\n    f.write(f"made on {datetime.today():%Y-%m-%d}")\n    f.writelines([str(pendulum.today())])',
  'with open("/x/y", "w") as f:\n    json.dump({"at": datetime.now().date()}, f)\n    yaml.dump({"at": pendulum.today()}, f)',
  's3.put_object(Bucket="b", Key="k", Body=str(datetime.now().date()))',
  's3.upload_file("/x", "b", "k", ExtraArgs={"Metadata": {"at": str(pendulum.today())}})',
  'hook.load_string(str(pendulum.today()), "key")',
  'blob.upload_from_string(f"{pendulum.today()}")',
  'archive.writestr("made.txt", str(pendulum.today()))',
  'if calendar.is_open_on_minute(datetime.now()):\n    put("x")',
  'day = hour = None\nif day is None or hour is None:\n    day = datetime.now().date()\nput(f"{day}.csv")',
  'urlopen(Request("https://x/send", data=f"at {datetime.now().date()}".encode()))',
  's3.put_object(Bucket="b", Key=conf.get("day", str(datetime.now().date())), Body="x")'.replace(
    'str(datetime.now().date())',
    'datetime.now()',
  ),
])('what is written has the time of the run in it, and not where: %s', (work) => expect(found(work)).toEqual([]));

test.each([
  ['(folder / f"{pendulum.now().date()}.json").write_text("x")', 'pendulum.now()'],
  ['s3.put_object(Bucket="b", Key=f"k/{datetime.now().date()}", Body="x")', 'datetime.now()'],
  ['archive.writestr(f"{pendulum.today()}.txt", "x")', 'pendulum.today()'],
  ['client.write(f"/data/{pendulum.today()}.txt", data="x")', 'pendulum.today()'],
  ['urlopen(f"https://x/{pendulum.today()}.csv")', 'pendulum.today()'],
  ['hook.load_string("x", str(pendulum.today()))', 'pendulum.today()'],
])('where it is written has: %s', (work, clock) => expect(found(work)).toEqual([`wall-clock error «${clock}»`]));

const names: readonly (readonly [isUnique: boolean, work: string])[] = [
  [true, 't = datetime.now()\nput(f"x-{int(t.timestamp())}.csv")'],
  [true, 't = datetime.now(timezone.utc).replace(tzinfo=None)\nname = t.isoformat(sep=" ")\nput(name)'],
  [true, 't = pendulum.now()\nput("x-" + t.format("YYYYMMDDHHmmss"))'],
  [true, 'put(f"x-{datetime.now():%Y%m%dT%H%M%S}.csv")'],
  [true, 'put(f"x-{int(time.time())}.csv")'],
  [true, 'put("x-%s.csv" % time.strftime("%Y%m%d-%H%M%S"))'],
  [true, 'put(f"x-{datetime.now()}".replace(":", "-"))'],
  [false, 't = datetime.now()\nput(f"x-{t.date()}.csv")'],
  [false, 't = datetime.now().strftime("%Y%m%d%H%M%S")\nput(f"x-{t[:8]}.csv")'],
  [false, 't = datetime.now().isoformat()\nput(t.split("T")[0])'],
  [false, 't = datetime.now().replace(hour=0, minute=0, second=0)\nput(t.isoformat())'],
  [false, 'put(f"x-{int(time.time()) // 86400}.csv")'],
  [false, 'put(f"x-{pendulum.today().isoformat()}.csv")'],
  [false, 't = datetime.now()\nput(f"x-{t.isoformat()}.csv")\nput(f"x-{t:%Y-%m-%d}.csv")'],
];
test.each(names)('a name is unique to each run (%s): %s', (isUnique, work) =>
  expect(found(work).map((line) => line.split(' ')[0])).toEqual(isUnique ? [] : ['wall-clock']),
);

test.each([
  ['S3CreateObjectOperator', 's3_key="k", data=f"made on {pendulum.today()}"', []],
  ['S3CreateObjectOperator', 's3_key=f"k/{pendulum.today()}", data="x"', ['wall-clock error «pendulum.today()»']],
  ['HttpOperator', 'data={"from": f"{pendulum.today()}"}', ['wall-clock warning «pendulum.today()»']],
])('an argument of %s: %s', (operator, given, expected) => {
  const files: Files = {
    'dags/one.py': `from datetime import datetime
import pendulum
from airflow import DAG
from airflow.providers.house import ${operator}
with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    ${operator}(task_id="work", ${given})
`,
  };
  expect(checkFiles(files).map((finding) => inWords(files, finding))).toEqual(expected);
});

test('seconds that make the name of a stage unique cut nothing', () => {
  const files = {
    'dags/a.py': `import time
from datetime import datetime
from airflow import DAG
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
def load():
    stage = f"stage.t_{int(time.time())}"
    PostgresHook("dw").run(f"CREATE TABLE {stage} AS SELECT * FROM raw.t")
    PostgresHook("dw").run(f"DROP TABLE {stage}")
with DAG("a", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    PythonOperator(task_id="load", python_callable=load)
`,
  };
  expect(checkFiles(files).filter(({ rule }) => rule === 'wall-clock')).toEqual([]);
});

const unique = 'f"tmp_{int(time.time())}"';
const daily = 'f"tmp_{datetime.now():%Y%m%d}"';
const copied = 'hook.run(f"CREATE TABLE {t} AS SELECT * FROM raw.t WHERE day = \'{ds}\'")';
const tables: readonly (readonly [work: string, said: readonly string[]])[] = [
  [`t = ${unique}\n${copied}\nhook.run(f"DELETE FROM t WHERE id IN (SELECT id FROM {t})")`, []],
  [`t = ${unique}\n${copied}\nhook.run(f"DELETE FROM t USING {t} WHERE t.id = {t}.id AND {t}.v IS NOT NULL")`, []],
  [
    `t = "tmp_" + datetime.now().strftime("%Y%m%d%H%M%S")\n${copied}\nhook.run(f"INSERT INTO t SELECT {t}.id FROM {t}")`,
    [],
  ],
  [
    `t = ${daily}\n${copied}\nhook.run(f"MERGE INTO t USING {t} s ON t.id = s.id WHEN MATCHED THEN DELETE")\nhook.run(f"DROP TABLE {t}")`,
    [],
  ],
  [`t = ${daily}\nhook.run(f"CREATE TEMP TABLE {t} AS SELECT 1; DELETE FROM t WHERE id IN (SELECT id FROM {t})")`, []],
  [`t = ${daily}\nhook.run(f"ALTER TABLE x RENAME TO {t}")`, []],
  [`t = ${daily}\n${copied}`, ['wall-clock error «datetime.now()»']],
  [
    `t = ${daily}\nhook.run(f"INSERT INTO t SELECT * FROM {t} WHERE day = '{ds}'")`,
    ['wall-clock error «datetime.now()»'],
  ],
  [
    `t = int(time.time())\nhook.run(f"DELETE FROM t WHERE day = '{ds}' AND seen > {t}")`,
    ['wall-clock error «time.time()»'],
  ],
];
test.each(tables)('a table that the clock names: %s', (work, said) => {
  const files = {
    'dags/a.py': `import time
from datetime import datetime
from airflow import DAG
from airflow.decorators import task
from airflow.providers.postgres.hooks.postgres import PostgresHook
with DAG("a", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    @task
    def load(ds=None):
        hook = PostgresHook("dw")
        ${work.replaceAll('\n', '\n        ')}
    load()
`,
  };
  expect(
    checkFiles(files)
      .filter(({ rule }) => rule === 'wall-clock')
      .map((finding) => inWords(files, finding)),
  ).toEqual(said);
});

describe('rows that Python fetches by the clock', () => {
  const recent = "select * from src.sales where seen >= current_date - interval '1 day'";
  const put = `PostgresHook("dw").run("insert into orders (id, n) values (%s, %s) on conflict (id) do update set n = excluded.n", parameters=row)`;
  const imports = `from airflow import DAG
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.providers.postgres.operators.postgres import PostgresOperator
import pendulum
`;
  const file = (functions: string, tasks: string): Files => ({
    'dags/d.py': `${imports}${functions}
with DAG("d", schedule="@daily", start_date=pendulum.datetime(2024, 1, 1), catchup=False):
    ${tasks}
`,
  });
  const one = (lines: string): Files =>
    file(`def load():\n${lines.replace(/^/gm, '    ')}`, 'PythonOperator(task_id="load", python_callable=load)');
  const fetched = (query: string, write = put): Files =>
    one(`for row in PostgresHook("dw").get_records("${query}"):\n    ${write}`);
  const said = (files: Files): readonly string[] =>
    checkFiles(files)
      .filter(({ rule }) => rule === 'wall-clock')
      .map(({ severity, message }) => `${severity} ${message}`);
  const spoken = [
    'warning current_date decides which rows are fetched, so a rerun of a past interval works on other rows.',
  ];

  test('and then writes are other ones when an interval is run again', () => {
    expect(said(fetched(recent))).toEqual(spoken);
    expect(
      said(
        one(
          `rows = PostgresHook("dw").get_pandas_df("${recent}")\nrows.to_sql("orders", "engine", if_exists="replace")`,
        ),
      ),
    ).toEqual(spoken);
    const pulled = `def load(ti):
    for row in ti.xcom_pull(task_ids="recent"):
        ${put}`;
    const chain = (name: string): string =>
      `PostgresOperator(task_id="${name}", sql="${recent}") >> PythonOperator(task_id="load", python_callable=load)`;
    expect(said(file(pulled, chain('recent')))).toEqual(spoken);
    expect(said(file(pulled, chain('others')))).toEqual([]);
  });

  test('are said of nobody who writes none, or only asks what is there or old', () => {
    expect(said(fetched(recent, 'print(row)'))).toEqual([]);
    expect(said(fetched(recent.replace('src.sales', 'orders')))).toEqual([]);
    expect(said(fetched(recent.replace('>=', '<')))).toEqual([]);
    expect(said(fetched(recent.replace('*', 'count(*)')))).toEqual([]);
    expect(said(fetched(recent, put.replace('into orders', 'into job_log')))).toEqual([]);
    expect(said(fetched('select id, current_date as seen from src.sales'))).toEqual([]);
  });
});

test('the time in a query of an address is none that tells when something was done', () => {
  const files: Files = {
    'dags/d.py': `from datetime import datetime, timedelta
from airflow import DAG
from airflow.providers.http.operators.http import SimpleHttpOperator
with DAG("d", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    SimpleHttpOperator(task_id="t", method="PUT", endpoint="/sync?startTime={day}".format(day=(datetime.now() - timedelta(days=5)).strftime("%Y-%m-%d")))
`,
  };
  expect(checkFiles(files).map(({ rule }) => rule)).toEqual(['wall-clock']);
});
