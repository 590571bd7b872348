import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isSarif } from '../../support/is-sarif.ts';
import { runCli } from '../../support/run-cli.ts';

const dag = `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
with DAG("a", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    SQLExecuteQueryOperator(task_id="x", conn_id="dw", sql="""DELETE FROM mart.a WHERE day = '{{ macros.ds_add(ds, 1) }}';
        INSERT INTO mart.a /* 😀 */ SELECT *, now() AS loaded_at FROM raw.a WHERE day = '{{ ds }}'""")
`;

async function sarifOf(files: Readonly<Record<string, string>>): Promise<{ runs: { results: unknown[] }[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'backfill-sarif-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return JSON.parse((await runCli(['check', '.', '--format', 'sarif'], folder)).out);
}

test.each<[string, Record<string, string>, number]>([
  ['findings with fixes and related places', { 'dag of a.py': dag }, 1],
  ['nothing to say', { 'a.sql': 'SELECT 1;' }, 0],
  ['a file that is not whole', { 'a b.sql': "INSERT INTO t SELECT 'never closed" }, 0],
  ['no file', {}, 0],
])('SARIF keeps to its schema: %s', async (_, files, least) => {
  const log = await sarifOf(files);
  expect(isSarif(log) || isSarif.errors).toBe(true);
  expect(log.runs.flatMap(({ results }) => results).length).toBeGreaterThanOrEqual(least);
});

test('the schema tells what is none', async () => {
  const log = await sarifOf({});
  expect(isSarif({ ...log, version: '2.0.0' })).toBe(false);
  expect(isSarif({ ...log, runs: [{ ...log.runs[0], tool: {} }] })).toBe(false);
  expect(isSarif({ ...log, runs: [{ ...log.runs[0], columnKind: 'bytes' }] })).toBe(false);
});
