import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { missingClosers, withInsertions } from '../../../src/core/pipeline/python/syntax/repair-python.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parser = await loadPythonParser();

const task = (id: string): string => `    ${id} = SQLExecuteQueryOperator(
        task_id="${id}",
        conn_id="dw",
        sql="""
            DELETE FROM mart.${id} WHERE day = '{{ ds }}';
            INSERT INTO mart.${id} SELECT day, x = 1 FROM raw.${id} WHERE day = '{{ ds }}';
        """,
    )
`;
const head = `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("typed", schedule="@daily", start_date=datetime(2024, 1, 1)):
${task('first')}${task('second')}`;
const tail = `${task('third')}${task('fourth')}    first >> second >> third >> fourth\n`;
const others = ['first', 'second', 'third', 'fourth'];

/** The tasks of a text with the text at their names and the SQL that they run. */
function tasksOf(text: string): ReadonlyMap<string, string> {
  const { files } = createWorkspaceReader(parser, defaultReaderOptions).read(
    fileSetOf(
      new Map([
        ['requirements.txt', 'apache-airflow==2.10.4'],
        ['dags/typed.py', text],
      ]),
    ),
  );
  return new Map(
    files
      .flatMap(({ pipelines }) => pipelines.flatMap(({ tasks }) => tasks))
      .map(({ name, nameAt, sql }) => [
        name,
        `${text.slice(nameAt.start, nameAt.end)} ${sql.map(({ source }) => source.text.trim()).join()}`,
      ]),
  );
}

const whole = tasksOf(head + tail);
const of = (tasks: ReadonlyMap<string, string>) => others.map((name) => tasks.get(name));

describe('the other tasks keep their place', () => {
  test.each([
    ['a call without arguments', '    new = SQLExecuteQueryOperator(\n\n'],
    ['an argument without a value', '    new = SQLExecuteQueryOperator(task_id="new", sql=\n\n'],
    ['a string without an end', '    new = SQLExecuteQueryOperator(task_id="new\n\n'],
    ['three quotes without an end', '    new = SQLExecuteQueryOperator(task_id="new", sql="""SELECT 1\n'],
    ['a call in a call', '    new = SQLExecuteQueryOperator(\n        retries=int(\n        task_id="new",\n    )\n'],
    ['a list without an end', '    first >> [second,\n'],
    ['a mapping without an end', '    more = {"a": \n'],
    ['an attribute without a name', '    first.\n'],
    ['a condition without an end', '    if \n\n'],
    ['a function without a body', '    def helper(\n\n'],
    ['a loop without a body', '    for n in range(3):\n'],
    ['a closing bracket too many', '    more = [1])\n'],
  ])('%s', (_, typed) => {
    expect(of(tasksOf(head + typed + tail))).toEqual(of(whole));
  });

  test('while another one is typed, a few letters at a time', () => {
    const typed = task('new');
    const lengths = Array.from({ length: Math.ceil(typed.length / 3) }, (__, index) => 3 * index);
    const lost = lengths.flatMap((length) => {
      const text = head + typed.slice(0, length) + (length === 0 ? '' : '\n') + tail;
      const tasks = tasksOf(text);
      return of(tasks).every((one, index) => one === of(whole)[index]) ? [] : [typed.slice(0, length)];
    });
    expect(lost).toEqual([]);
  });
});

test('the task that is edited keeps its place while an argument is added', () => {
  const edited = head.replace('task_id="second",', 'task_id="second", retries=int(');
  expect(of(tasksOf(edited + tail))).toEqual(of(whole));
});

test('offsets go into a repaired text and back', () => {
  const insertion = fc.record({ at: fc.nat(30), text: fc.constantFrom(')', '])', '"""') });
  fc.assert(
    fc.property(fc.array(insertion, { maxLength: 4 }), fc.nat(30), (unsorted, offset) => {
      const insertions = [...unsorted].sort((a, b) => a.at - b.at);
      const { text, toOriginal, fromOriginal } = withInsertions('x'.repeat(30), insertions);
      expect(text.length).toBe(30 + insertions.reduce((sum, one) => sum + one.text.length, 0));
      expect(toOriginal(fromOriginal(offset))).toBe(offset);
    }),
  );
});

test('code that lacks nothing gets nothing', () => {
  expect(missingClosers(head + tail)).toEqual([]);
  expect(missingClosers("x = [\n    'a',  # it's (\n]\ny = r'\\\\'\nz = '''\nq = (\n'''\n")).toEqual([]);
});
