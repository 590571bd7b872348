import { expect, test } from 'vitest';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parser = await loadPythonParser();

const dag = (id: string, body: string): string => `from airflow import DAG
from airflow.operators.empty import EmptyOperator
from airflow.sensors.external_task import ExternalTaskSensor
with DAG("${id}", schedule="@daily"):
    ${body}
`;
const waiting = dag(
  'child',
  'ExternalTaskSensor(task_id="wait", external_dag_id="parent") >> EmptyOperator(task_id="go")',
);

test('a pipeline that waits for another file is the same object until the other one gets other tasks', () => {
  const reader = createWorkspaceReader(parser, defaultReaderOptions);
  const childAfter = (parent: string, other: string) => {
    const files = new Map([
      ['dags/child.py', waiting],
      ['dags/parent.py', dag('parent', parent)],
      ['dags/other.py', dag('other', other)],
    ]);
    return reader
      .read(fileSetOf(files))
      .files.flatMap(({ pipelines }) => pipelines.filter(({ id }) => id === 'child'))[0];
  };
  const first = childAfter('EmptyOperator(task_id="a")', 'EmptyOperator(task_id="x")');
  expect(first?.edges.map(({ from, to }) => `${from} ${to}`)).toContain('parent.a child.wait');
  expect(childAfter('EmptyOperator(task_id="a")', 'EmptyOperator(task_id="y")')).toBe(first);
  const changed = childAfter('EmptyOperator(task_id="b")', 'EmptyOperator(task_id="y")');
  expect(changed?.edges.map(({ from, to }) => `${from} ${to}`)).toContain('parent.b child.wait');
});
