import { describe, expect, test } from 'vitest';
import { factsOf } from '../../support/check-files.ts';
import { readTasks } from '../../support/read-tasks.ts';

const order = (lines: string): Readonly<Record<string, readonly string[]>> => {
  const { pipelines } = factsOf({
    'dags/d.py': `
from airflow import DAG
from airflow.operators.empty import EmptyOperator
from airflow.models.baseoperator import chain
from airflow.utils.edgemodifier import Label
from elsewhere.tasks import clean, load, notify

with DAG("d"):
    a, b = EmptyOperator(task_id="a"), EmptyOperator(task_id="b")
${lines
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
`,
  });
  const edges = pipelines.flatMap((pipeline) => pipeline.edges.map(({ from, to }) => [from, to] as const));
  return Object.fromEntries(
    pipelines.flatMap(({ tasks }) =>
      tasks.map(({ id }) => [id, edges.filter(([, to]) => to === id).map(([from]) => from)]),
    ),
  );
};

describe('a call from outside the workspace that stands in the order of a DAG', () => {
  test('is a task of which nothing is known, and keeps the order through it', () => {
    expect(order('a >> clean("x") >> [load(), notify()] >> b')).toEqual({
      'd.a': [],
      'd.b': ['d.load', 'd.notify'],
      'd.clean': ['d.a'],
      'd.load': ['d.clean'],
      'd.notify': ['d.clean'],
    });
    expect(order('clean() >> load()')).toEqual({ 'd.a': [], 'd.b': [], 'd.clean': [], 'd.load': ['d.clean'] });
    expect(order('one = clean()\nchain(a, one)\none >> b')).toEqual({
      'd.a': [],
      'd.b': ['d.clean'],
      'd.clean': ['d.a'],
    });
  });

  test('is none where no order is said, and neither is a label', () => {
    expect(order('clean("x")\na >> b')).toEqual({ 'd.a': [], 'd.b': ['d.a'] });
    expect(order('a >> Label("x") >> b\nn = 8 >> 1')).toEqual({ 'd.a': [], 'd.b': ['d.a'] });
  });

  test('has the name that an override gives it, and waits for what it is given', () => {
    expect(order('load.override(task_id="one")(a.output) >> load.override(task_id="two")()')).toEqual({
      'd.a': [],
      'd.b': [],
      'd.one': ['d.a'],
      'd.two': ['d.one'],
    });
  });

  test('says that nothing is known of it', () => {
    const tasks = readTasks(
      'from airflow import DAG\nfrom elsewhere import one, two\nwith DAG("d"):\n    one() >> two()',
    );
    expect(tasks.map(({ unread }) => unread.map(({ reason }) => reason))).toEqual([
      ['what one does is not in the workspace'],
      ['what two does is not in the workspace'],
    ]);
  });
});
