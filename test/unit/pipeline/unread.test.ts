import { describe, expect, test } from 'vitest';
import { bodyFile, readBody, readTasks } from '../../support/read-tasks.ts';

const imports = [
  'import subprocess',
  'import requests',
  'import pandas as pd',
  'from airflow.providers.postgres.hooks.postgres import PostgresHook',
  'import importlib',
  'from airflow.providers.mongo.hooks.mongo import MongoHook',
  'from neo4j import GraphDatabase',
  'from pymongo import MongoClient',
  'from theirs import Depot, load, LoadError',
  'depot = Depot(url="x")',
  'driver = GraphDatabase.driver("bolt://a")',
  'hook = PostgresHook("dw")',
].join('\n');

describe('what is not known is said once, with its place', () => {
  test.each([
    ['hook.run(requests.get(url).text)', 'statement', 'requests.get(url).text'],
    ['hook.run(open("/elsewhere/a.sql").read())', 'statement', 'open("/elsewhere/a.sql").read()'],
    ['hook.run(context["ti"].xcom_pull("a"))', 'statement', 'context["ti"].xcom_pull("a")'],
    ['hook.get_records(f"{statement()} LIMIT 1")', 'statement', 'f"{statement()} LIMIT 1"'],
    ['for name in requests.get(url).json():\n    hook.insert_rows(name, rows)', 'table', 'name'],
    ['frame.to_sql(context["params"]["table"], engine)', 'table', 'context["params"]["table"]'],
    ['hook.run(f"DELETE FROM {requests.get(url).text} WHERE day = 1")', 'table', '{requests.get(url).text}'],
    ['hook.run("INSERT INTO a SELECT * FROM %s" % context["params"]["t"])', 'table', '%s'],
    ['load(hook)', 'code', 'load(hook)'],
    ['load(source_query="select * from a", table="b")', 'code', 'load(source_query="select * from a", table="b")'],
    ['load(database_url=url)', 'code', 'load(database_url=url)'],
    ['load(frame, con=hook.get_conn())', 'code', 'load(frame, con=hook.get_conn())'],
    ['subprocess.run(["psql", "-f", "a.sql"])', 'code', 'subprocess.run(["psql", "-f", "a.sql"])'],
    ['exec(code)', 'code', 'exec(code)'],
    ['importlib.import_module(name).load()', 'code', 'importlib.import_module(name)'],
    ['spec.loader.exec_module(module)', 'code', 'spec.loader.exec_module(module)'],
    ['with driver.session() as session:\n    session.run("MERGE (a:A)")', 'code', 'driver.session()'],
    ['MongoClient("m").shop.orders.insert_many(rows)', 'code', 'MongoClient("m")'],
    ['requests.post(url, json=rows)', 'effect', 'requests.post(url, json=rows)'],
    ['load(rows)', 'code', 'load(rows)'],
    ['depot.boxes.put("shop", rows)', 'code', 'depot.boxes.put("shop", rows)'],
    ['depot.put("a")\ndepot.put("b")', 'code', 'depot.put("a")'],
    ['load(rows)\nload(rows, again=True)', 'code', 'load(rows)'],
    ['load(rows, database="shop", url=url)', 'code', 'load(rows, database="shop", url=url)'],
    ['load(search_query="red shoes", sql=None)', 'code', 'load(search_query="red shoes", sql=None)'],
    ['MongoHook("m").insert_many("orders", rows)', 'code', 'MongoHook("m")'],
  ])('%s', (lines, hides, place) => {
    const task = readBody(lines, imports);
    expect(task.unread.map((unread) => unread.hides)).toEqual([hides]);
    const [unread] = task.unread;
    expect(unread?.reason).toMatch(/^\S.*[^.]$/);
    expect(bodyFile(lines, imports).slice(unread?.at.start, unread?.at.end)).toBe(place);
  });

  test.each([
    'print(requests.get(url).text)',
    'importlib.import_module("json").dumps(rows)',
    'log.info("run %s", ds)',
    'depot.log.info("run %s", ds)',
    'subprocess.run(["wget", url])',
    'requests.get(url, timeout=9)',
    'requests.post("https://hooks.slack.com/services/x", json=rows)',
    'raise LoadError("nothing came")',
    'rows.sort(); theirs_by_day.merge(rows)',
    'with closing(hook.get_conn()) as connection:\n    connection.commit()',
    'for row in hook.get_records("SELECT * FROM a"):\n    print(row)',
    'for chunk in pd.read_csv(path, chunksize=9):\n    hook.insert_rows("a", chunk)',
    'hook.get_records("SHOW TABLES")',
    'hook.run(f"DELETE FROM orders_{context[\'ds_nodash\']}")',
    'hook.run(f"DELETE FROM orders WHERE id IN ({requests.get(url).text})")',
  ])('%s hides nothing', (lines) => {
    expect(readBody(lines, `from contextlib import closing\n${imports}`).unread).toEqual([]);
  });

  test('a loop that is unrolled says a place once', () => {
    expect(readBody('for _ in range(9):\n    hook.run(requests.get(url).text)', imports).unread).toHaveLength(1);
  });

  test('one cause is said once, at a write', () => {
    const lines =
      'schema = os.environ["SCHEMA"]\nhook.run(f"INSERT INTO {schema}.a SELECT * FROM {schema}.b")\nhook.run(f"DELETE FROM {schema}.c")';
    expect(readBody(lines, `import os\n${imports}`).unread.map(({ reason }) => reason)).toEqual([
      'the table that this INSERT writes is named by schema: it comes from env SCHEMA',
    ]);
  });

  test('a callable from elsewhere', () => {
    const [task] = readTasks(
      'from airflow import DAG\nfrom airflow.operators.python import PythonOperator\nfrom theirs import load\nwith DAG("d"):\n    PythonOperator(task_id="t", python_callable=load)\n',
    );
    expect(task?.unread).toEqual([
      {
        hides: 'code',
        reason: 'what its python_callable does is not known: theirs.load is defined outside the workspace',
        at: { file: 'dags/main.py', start: 163, end: 167 },
      },
    ]);
  });
});
