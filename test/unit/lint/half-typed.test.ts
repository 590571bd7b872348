import { describe, expect, test } from 'vitest';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { checkFiles, dagWith, type Files, fileSet } from '../../support/check-files.ts';

const parser = await loadPythonParser();

const head = '-- backfill: schedule=@daily start=2024-01-01\n';
const typed = (sql: string): Files => ({ 'sql/a.sql': head + sql });
const said = (files: Files) => checkFiles(files).map(({ rule }) => rule);
const broken = (files: Files) =>
  createWorkspaceReader(parser, defaultReaderOptions)
    .read(fileSet(files))
    .files.flatMap(({ problems }) => problems)
    .filter(({ message }) => message.includes('breaks off'))
    .map(({ at, message, severity }) => [severity, files[at?.file ?? '']?.slice(at?.start, at?.end), message]);

describe('a statement that breaks off', () => {
  test.each([
    'INSERT I',
    'INSERT INTO mart.a',
    'INSERT INTO mart.a (day',
    'INSERT INTO mart.a (day, n)',
    'INSERT INTO mart.a (day, n) SELEC',
    'INSERT INTO mart.a (day, n) SELECT',
    'INSERT INTO mart.a (day, n) SELECT day,',
    'INSERT INTO mart.a (day, n) SELECT day, count(',
    'INSERT INTO mart.a (day, n) SELECT day, n FROM',
    'INSERT INTO mart.a (day, n) SELECT day, n FROM raw.a WHERE',
    "INSERT INTO mart.a (day, n) SELECT day, n FROM raw.a WHERE day = '2024-01-01' AND",
    'INSERT INTO mart.a (day, n) SELECT day, n FROM raw.a WHERE day =',
    'INSERT INTO mart.a (day, n) SELECT day, n FROM raw.a ON CONFLICT (day) DO',
    'UPDATE mart.a',
    'UPDATE mart.a SET n =',
    'MERGE INTO mart.a t USING raw.a s ON t.id = s.id',
    'MERGE INTO mart.a t USING raw.a s ON t.id = s.id WHEN MATCHED THEN',
    'DELETE FROM mart.a WHERE',
  ])('is quiet: %s', (sql) => {
    expect(said(typed(sql))).toEqual([]);
    const last = /\S+$/.exec(sql)?.[0] ?? '';
    const [found, ...more] = broken(typed(sql));
    expect([found?.[0], last.endsWith(String(found?.[1])), more]).toEqual(['info', true, []]);
  });

  test('does not hide another one', () => {
    const files = typed('INSERT INTO mart.b SELECT * FROM raw.b;\nINSERT INTO mart.a (day');
    expect(said(files)).toEqual(['plain-insert']);
    expect(broken(files)).toHaveLength(1);
  });

  test('in a DAG as well', () => {
    const files = dagWith('INSERT INTO mart.a (day, n) SELECT day FROM');
    expect(said(files)).toEqual([]);
    expect(broken(files)).toEqual([['info', 'FROM', 'This statement breaks off behind "FROM".']]);
  });
});

test.each([
  'INSERT INTO mart.a SELECT * FROM raw.a',
  'INSERT INTO mart.a (day, n) VALUES',
  'INSERT INTO mart.a DEFAULT VALUES',
  'INSERT INTO mart.a {{ params.rows }}',
  'INSERT INTO mart.a (day) VALUES (%s)',
  'INSERT INTO mart.a SELECT * FROM raw.a GROUP BY ALL',
  'DELETE FROM mart.a',
  "DELETE FROM mart.a WHERE day = '{{ ds }}'",
  'UPDATE mart.a SET n = n + 1 WHERE {{ params.where }}',
  'INSERT INTO mart.a SELECT count(*) FROM raw.a ORDER BY "from"',
])('breaks off nowhere: %s', (sql) => expect(broken(typed(sql))).toEqual([]));
