import { describe, expect, test } from 'vitest';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { factsOf } from '../../support/check-files.ts';
import { fileSetOf } from '../../support/folder-files.ts';
import { readTasks } from '../../support/read-tasks.ts';

const parser = await loadPythonParser();

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

test.each([
  ['from acme.dags import SalesDAG', 'with SalesDAG(dag_id="d"):\n    pass', 'SalesDAG'],
  ['from acme.flow import dag', '@dag(schedule="@daily")\ndef d():\n    pass\nd()', 'dag'],
  ['from acme.flow import dag', '@dag\ndef d():\n    pass\nd()', 'dag'],
  [
    'from airflow import DAG',
    'class House(DAG):\n    def __init__(self, **given):\n        super().__init__(schedule="@daily", **given)\nx = House(dag_id="d")',
    'House',
  ],
])('a DAG that is made in a way that is not followed is said: %s', (imports, lines, name) => {
  const files = fileSetOf(new Map([['dags/d.py', `# airflow dag\n${imports}\n${lines}\n`]]));
  const [read] = createWorkspaceReader(parser, defaultReaderOptions).read(files).files;
  expect(read?.pipelines).toEqual([]);
  expect(read?.problems.map(({ message }) => message)).toContain(
    `${name} makes a DAG in a way of its own, which is not followed: the DAG and its tasks are not shown.`,
  );
});
