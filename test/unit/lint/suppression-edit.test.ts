import { expect, test } from 'vitest';
import { suppressInFile, suppressNextLine } from '../../../src/core/lint/fixes/suppression-edit.ts';
import { applyFix, checkFiles, dagWith, type Files } from '../../support/check-files.ts';

const inserts = "INSERT INTO mart.t SELECT * FROM raw.t WHERE day = '{{ ds }}'";

const oneLine: Files = {
  'dag.py': `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
with DAG("d", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=False):
    SQLExecuteQueryOperator(task_id="t", conn_id="w", sql="${inserts}")
`,
};

test.each<readonly [string, Files]>([
  ['a string over several lines', dagWith(inserts)],
  ['a string on one line', oneLine],
  ['a SQL file', { 'a.sql': `${inserts};\n` }],
  ['Windows line ends', { 'a.sql': `-- head\r\n${inserts};\r\n` }],
])('a suppression in %s silences the rule and nothing else', (_, files) => {
  const [finding] = checkFiles(files).filter(({ rule }) => rule === 'plain-insert');
  if (finding === undefined) throw new Error('the example has no finding');
  const text = files[finding.at.file] ?? '';
  for (const edit of [suppressNextLine(finding, text), suppressInFile(finding, text)]) {
    const mended = applyFix(files, { title: '', edits: [edit], preferred: false });
    const left = checkFiles(mended).map(({ rule }) => rule);
    expect(left).not.toContain('plain-insert');
    expect(left).not.toContain('unknown-suppression');
    expect((mended[finding.at.file] ?? '').includes('\r\n')).toBe(text.includes('\r\n'));
  }
});

test('a suppression of the file goes below the interpreter and coding lines', () => {
  const at = { file: 'a.py', start: 0, end: 1 };
  const finding = { rule: 'r', severity: 'error' as const, message: '', at, related: [], fixes: [] };
  const text = '#!/usr/bin/env python\n# -*- coding: utf-8 -*-\nx = 1\n';
  expect(suppressInFile(finding, text)).toMatchObject({ start: text.indexOf('x'), newText: '# backfill-disable r\n' });
});
