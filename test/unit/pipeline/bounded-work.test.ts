import { afterEach, describe, expect, test, vi } from 'vitest';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { leadingComments, withoutLeadingComments } from '../../../src/core/sql/lex/leading-comments.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parser = await loadPythonParser();

const read = (files: Record<string, string>) =>
  createWorkspaceReader(parser, defaultReaderOptions).read(fileSetOf(new Map(Object.entries(files))));

afterEach(() => vi.restoreAllMocks());

describe('comments at the head of a SQL text', () => {
  test('are cut in one way only, however many ways there are', () => {
    expect(leadingComments('-'.repeat(5000)).comments).toEqual([{ start: 0, end: 5000 }]);
    expect(leadingComments('/* a */ '.repeat(5000)).comments).toHaveLength(5000);
    expect(leadingComments(' \n;\n-- a\r\n/* b\n */select 1')).toEqual({
      comments: [
        { start: 4, end: 8 },
        { start: 10, end: 18 },
      ],
      end: 18,
    });
    expect(withoutLeadingComments('/* open')).toBe('/* open');
    expect(withoutLeadingComments('')).toBe('');
  });

  const rules = `${'-'.repeat(300)}\n${'/* a */\n'.repeat(300)}`;

  test('do not hold up a file without a header', () => {
    const [file] = read({ 'a.sql': `${rules}INSERT INTO mart.a SELECT * FROM raw.a` }).files;
    expect(file?.pipelines[0]?.schedule.value.kind).toBe('none');
  });

  test('may stand before the header', () => {
    const header = '-- backfill: schedule=@daily start=2026-01-01 zoom=1';
    const text = `${rules}${header}\nINSERT INTO mart.a SELECT * FROM raw.a`;
    const [file] = read({ 'a.sql': text }).files;
    expect(file?.pipelines[0]?.schedule.value.kind).toBe('cron');
    expect(file?.problems.map(({ at }) => text.slice(at?.start, at?.end))).toEqual(['zoom=1']);
  });

  test('do not hide a header inside another comment', () => {
    const [file] = read({ 'a.sql': '-- as in -- backfill: schedule=@daily\nSELECT 1' }).files;
    expect(file?.pipelines[0]?.schedule.value.kind).toBe('none');
  });

  test('do not hold up SQL that Python sends', () => {
    const body = `${rules}nothing that is SQL`.replaceAll('\n', ' ');
    const text = [
      'from airflow import DAG',
      'from airflow.operators.python import PythonOperator',
      'def work():',
      `    cursor.execute("""${body}""")`,
      `    cursor.execute("""${'/* a */ '.repeat(300)}INSERT INTO mart.a SELECT 1""")`,
      'with DAG("a"):',
      '    PythonOperator(task_id="a", python_callable=work)',
    ].join('\n');
    const [file] = read({ 'a.py': text }).files;
    expect(file?.pipelines[0]?.tasks[0]?.sql).toHaveLength(1);
  });
});

test('each literal of a file is searched once, not the rest of the file with it', () => {
  const entries = Array.from({ length: 1000 }, (_, index) => `    "key ${index}": "value ${index}",`);
  const text = `from airflow import DAG\nknown = {\n${entries.join('\n')}\n}\nwith DAG("a"):\n    pass\n`;
  let searched = 0;
  const exec = RegExp.prototype.exec;
  vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, on: string) {
    if (this.global) searched += on.length - this.lastIndex;
    return exec.call(this, on);
  });
  expect(read({ 'a.py': text }).files[0]?.pipelines).toHaveLength(1);
  expect(searched).toBeGreaterThan(0);
  expect(searched).toBeLessThan(20 * text.length);
});

describe('a file that is followed with all that it imports', () => {
  const work = 'for a in range(170):\n    for b in range(170):\n        x = a + b\n';
  const making = `from airflow.operators.empty import EmptyOperator\ndef add(dag, name):\n    EmptyOperator(task_id=name, dag=dag)\n`;
  /** Modules that make tasks are followed anew for each file. */
  const files = (count: number): Record<string, string> => {
    const names = Array.from({ length: count }, (_, index) => `part${index}`);
    const main = [
      'from airflow import DAG',
      ...names.map((name) => `import ${name}`),
      'with DAG("d") as dag:',
      ...names.map((name) => `    ${name}.add(dag, "${name}")`),
    ].join('\n');
    const part = `${making}from airflow import DAG\nDAG("other")\n${work}`;
    return { 'd.py': main, ...Object.fromEntries(names.map((name) => [`${name}.py`, part])) };
  };
  const problems = (count: number): readonly string[] =>
    (read(files(count)).files.find(({ file }) => file === 'd.py')?.problems ?? []).map(({ message }) => message);

  test('is given up where all of it together is too much, and says so', () => {
    expect(problems(5).filter((message) => message.includes('too large'))).toEqual([
      'This file and the modules that it imports are too large to follow to their end; the tasks found so far are shown, and what their Python does as far as it was followed.',
    ]);
  });

  test('is followed to its end below that, though it is more than one file may take', () => {
    expect(problems(2).filter((message) => message.includes('too large'))).toEqual([]);
  });
});
