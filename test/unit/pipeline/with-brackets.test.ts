import { expect, test } from 'vitest';
import { readTasks } from '../../support/read-tasks.ts';

const named = (head: string): readonly string[] =>
  readTasks(`
from contextlib import nullcontext
from airflow import DAG
from airflow.operators.bash import BashOperator

${head}
    BashOperator(task_id="t", bash_command="true", dag=dag)
`).map(({ id }) => id);

test.each([
  'with DAG("d") as dag:',
  'with (DAG("d") as dag):',
  'with (DAG("d")) as dag:',
  'with (DAG("d") as dag, nullcontext() as other):',
  'with (\n    nullcontext(),\n    DAG("d") as dag,\n):',
])('a DAG that is opened in brackets: %s', (head) => {
  expect(named(head)).toEqual(['d.t']);
});

test('what is not opened is no DAG of its tasks', () => {
  expect(named('if dag := DAG("d"):')).toEqual(['d.t']);
  expect(named('with (nullcontext(DAG("d")) as dag):')).toEqual([]);
});
