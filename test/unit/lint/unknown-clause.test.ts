import { describe, expect, test } from 'vitest';
import { checkFiles, type Files, factsOf } from '../../support/check-files.ts';

const sending = (sql: string): Files => ({
  'dags/d.py': [
    'from airflow import DAG',
    'from airflow.operators.python import PythonOperator',
    'from airflow.providers.postgres.hooks.postgres import PostgresHook',
    'import pendulum',
    'from house import rules',
    'def load(**context):',
    '    clause = rules.clause',
    `    PostgresHook("dw").run(f"${sql}")`,
    'with DAG("d", schedule="@daily", start_date=pendulum.datetime(2024, 1, 1), catchup=False):',
    '    PythonOperator(task_id="load", python_callable=load)',
  ].join('\n'),
});

const severities = (files: Files): readonly string[] =>
  checkFiles(files)
    .filter(({ rule }) => rule === 'plain-insert')
    .map(({ severity }) => severity);

const modes = (files: Files): readonly string[] =>
  [...factsOf(files).facts.values()].flatMap(({ writes }) => writes.map(({ mode }) => mode));

describe('what is put in behind an INSERT', () => {
  test.each([
    'INSERT INTO m.t (a, b) VALUES (1, 2) {clause}',
    'INSERT INTO m.t (a) SELECT a FROM r.s {clause}',
    'INSERT INTO m.t (a) SELECT a FROM r.s WHERE a > 1 {clause};',
    'INSERT INTO m.t (a) SELECT a FROM r.s GROUP BY a {clause}',
  ])('%s may be what keeps rows out', (sql) => {
    expect(severities(sending(sql))).toEqual(['warning']);
    expect(modes(sending(sql))).toEqual(['unknown']);
  });

  test.each([
    'INSERT INTO m.t (a) VALUES {clause}',
    'INSERT INTO m.t {clause}',
    'INSERT INTO m.t (a, b) {clause}',
    'INSERT INTO m.t (a) SELECT a FROM r.s WHERE b = {clause}',
    'INSERT INTO m.t (a) SELECT a FROM r.s WHERE b in {clause}',
    'INSERT INTO m.t (a) SELECT a FROM r.s LIMIT {clause}',
    "INSERT INTO m.t (a) SELECT a FROM r.s WHERE b = '{clause}'",
  ])('%s is a value', (sql) => {
    expect(severities(sending(sql))).toEqual(['error']);
    expect(modes(sending(sql))).toEqual(['append']);
  });

  test.each([
    'INSERT INTO m.t (a) SELECT a FROM r.s ON CONFLICT (a) {clause}',
    'INSERT INTO m.t (a) VALUES (1) ON CONFLICT (a) {clause}',
  ])('%s meets rows by the key, whatever is done with them', (sql) => {
    expect(severities(sending(sql))).toEqual([]);
    expect(modes(sending(sql))).toEqual(['merge']);
  });
});

test('a query of InfluxDB is no SQL', () => {
  const files = sending('INSERT INTO m.t (a) VALUES (1)');
  const text = (query: string): Files => ({
    'dags/d.py': (files['dags/d.py'] ?? '').replace(/ {4}PostgresHook.*/, `    client.query(f"""${query}""")`),
  });
  const tables = (query: string): readonly string[] =>
    [...factsOf(text(query)).facts.values()].flatMap(({ reads }) => reads.map(({ table }) => table));
  expect(tables('from(bucket: \\"tracker\\") |> range(start: -1h)')).toEqual([]);
  expect(tables('from (select a from r.s) q select a')).not.toEqual(['bucket']);
  expect(tables('select a from r.s')).toEqual(['r.s']);
});
