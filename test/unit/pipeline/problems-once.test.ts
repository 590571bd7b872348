import { expect, test } from 'vitest';
import { problemsOnce } from '../../../src/core/pipeline/workspace/problems-once.ts';
import { checkFiles } from '../../support/check-files.ts';

const problem = (message: string, file: string) => ({
  message,
  at: { file, start: 0, end: 0 },
  severity: 'warning' as const,
});

test('a problem of a module that many files import is said once, with how many', () => {
  const reading = (file: string, ...problems: ReturnType<typeof problem>[]) => ({
    file,
    pipelines: [],
    dependsOn: [],
    problems,
  });
  expect(
    problemsOnce([
      reading('a.py', problem('Too large.', 'm.py'), problem('Own.', 'a.py')),
      reading('b.py', problem('Too large.', 'm.py'), problem('Own.', 'b.py')),
    ]).map(({ message, at }) => `${at?.file} ${message}`),
  ).toEqual(['m.py Too large. This concerns 2 DAG files.', 'a.py Own.', 'b.py Own.']);
});

test('a finding in code that several DAGs run is said once, with how many', () => {
  const dag = (id: string): string =>
    `from airflow import DAG\nfrom airflow.operators.python import PythonOperator\nfrom load import load\nwith DAG("${id}", schedule="@daily"):\n    PythonOperator(task_id="t", python_callable=load)\n`;
  const found = checkFiles({
    'plugins/load.py':
      'from airflow.providers.postgres.hooks.postgres import PostgresHook\ndef load():\n    PostgresHook("dw").run("INSERT INTO t SELECT * FROM s")\n',
    'dags/a.py': dag('a'),
    'dags/b.py': dag('b'),
  });
  expect(found).toHaveLength(1);
  expect(found[0]?.message).toMatch(/ 2 DAGs run this place\.$/);
});
