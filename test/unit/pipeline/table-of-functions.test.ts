import { expect, test } from 'vitest';
import { readTasks } from '../../support/read-tasks.ts';

const head = `from airflow import DAG
from airflow.decorators import task
from airflow.models import Variable
from airflow.operators.empty import EmptyOperator
@task
def first(): ...
@task
def second(): ...
def made(name): return EmptyOperator(task_id=f"made_{name}")
`;

const names = (above: string, lines: string): readonly string[] =>
  readTasks(`${head}${above}\nwith DAG("d", schedule="@daily"):\n${lines.replace(/^/gm, '    ')}\n`).map(
    ({ name }) => name,
  );

const table = 'by_name = {"a": first, "b": second}';

test('what is called by a key that only the run knows is one of the functions that are there', () => {
  expect(names(table, 'by_name[Variable.get("which")]()')).toEqual(['first', 'second']);
  expect(names(table, 'by_name["b"]()')).toEqual(['second']);
  expect(names(`${table}\nby_name["n"] = made`, 'by_name[Variable.get("which")]("x")')).toEqual([
    'first',
    'second',
    'made_x',
  ]);
});

test('also where it was put there under such a key', () => {
  const filled = 'by_name = {}\nfor name in Variable.get("names").split(","):\n    by_name[name] = first';
  expect(names(filled, 'for name in Variable.get("names").split(","):\n    by_name[name]()')).toEqual(['first']);
  expect(names(filled, 'by_name["x"]()')).toEqual(['first']);
});

test('a table of values or of tasks is none of functions', () => {
  expect(names('by_name = {"a": first, "b": 1}', 'by_name[Variable.get("which")]()')).toEqual([]);
  expect(names('', 'by_name = {"a": first()}\nby_name[Variable.get("which")]()')).toEqual(['first']);
});
