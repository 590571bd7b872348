import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWorkspaceApi } from '../../../src/vscode/host/workspace/workspace-service.ts';
import type { WorkspaceSettings } from '../../../src/vscode/host/workspace-api.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'service-'));
  mkdirSync(join(root, 'dags'));
  writeFileSync(join(root, 'dags/a.py'), dag('saved'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const settings: WorkspaceSettings = {
  airflowVersion: 'auto',
  airflowPython: undefined,
  trusted: false,
  severities: {},
  shownIn: undefined,
};
const path = 'dags/a.py';
const now = Date.UTC(2026, 0, 2);
const later = Date.UTC(2026, 0, 9);
const dag = (task: string): string => `from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
with DAG("a", schedule="@daily"):
    SQLExecuteQueryOperator(task_id="${task}", conn_id="dw", sql="INSERT INTO mart.t SELECT 1")
`;
const taskLine = (task: string): string =>
  `    SQLExecuteQueryOperator(task_id="${task}", conn_id="dw", sql="INSERT INTO mart.${task} SELECT 1")\n`;

test('of several texts that wait only the newest is read, and all that asked get it', async () => {
  const api = createWorkspaceApi(() => {});
  await api.open({ root, settings });
  const tasksOf = async () => (await api.view({ path, now })).tasks.map(({ task }) => task);
  expect(await tasksOf()).toEqual(['a.saved']);
  const asked = ['one', 'two', 'three'].map((task) => {
    void api.edit({ path, text: dag(task) });
    return tasksOf();
  });
  expect(await Promise.all(asked)).toEqual([['a.three'], ['a.three'], ['a.three']]);
  await api.edit({ path, text: undefined });
  expect(await tasksOf()).toEqual(['a.saved']);
});

test('an interval is looked for at a moment, not at what is none', async () => {
  const api = createWorkspaceApi(() => {});
  await api.open({ root, settings });
  expect(await api.rangeAt({ task: 'a.saved', at: Number.NaN })).toBeUndefined();
  expect(await api.rangeAt({ task: 'a.saved', at: now })).toEqual({ from: '2026-01-02', to: '2026-01-03' });
});

test('each page keeps its own plan while another one plans', async () => {
  writeFileSync(join(root, 'dags/a.py'), `${dag('one')}${taskLine('two')}`);
  const api = createWorkspaceApi(() => {});
  await api.open({ root, settings });
  const plan = (task: string, to: string) =>
    api.plan({ task, from: '2026-01-01', to, without: [], now: later, purpose: 'run' });
  const { stamp } = await plan('a.one', '2026-01-02');
  await plan('a.two', '2026-01-04');
  const statements = async (page: string, index: number) =>
    (await api.unit({ page, index, connection: 'dw', settings: {} })).statements;
  expect(await statements('a.one', 0)).toEqual(['INSERT INTO mart.t SELECT 1']);
  await expect(statements('a.one', 1)).rejects.toThrow('the plan has no unit 1');
  expect(await statements('a.two', 2)).toEqual(['INSERT INTO mart.two SELECT 1']);
  const options = {
    compare: 'rows' as const,
    samples: 0,
    floatTolerance: undefined,
    holdShrinkPercent: undefined,
    earlyCutoff: true,
  };
  const how = { connection: 'dw', settings: {}, options, concurrency: 1, stopAtFirstFailure: false };
  expect(await api.prepare({ page: 'a.one', stamp, ...how })).toMatchObject({
    title: 'a.one 2026-01-01 to 2026-01-02 with downstream',
  });
  await expect(api.prepare({ page: 'a.three', stamp, ...how })).rejects.toThrow('There is no plan any more');
  // What is shown is what runs, whichever answer came first.
  await plan('a.one', '2026-01-03');
  await expect(api.prepare({ page: 'a.one', stamp, ...how })).rejects.toThrow('another one was made since');
});

test('a task is made safe from its name and from its statement, with the edits where its SQL stands', async () => {
  const sql =
    "DELETE FROM mart.t WHERE day = '{{ ds }}';\nINSERT INTO mart.t SELECT * FROM raw.t WHERE day = '{{ ds }}';\n";
  const text = dag('a')
    .replace(/sql="[^"]*"/, 'sql="t.sql"')
    .replace('conn_id="dw"', 'conn_id="postgres"');
  writeFileSync(join(root, 'dags/t.sql'), sql);
  writeFileSync(join(root, 'dags/a.py'), text);
  const api = createWorkspaceApi(() => {});
  await api.open({ root, settings });
  const at = (file: string, start: number) => api.safeTasks({ path: file, start, end: start });
  const [byName] = await at('dags/a.py', text.indexOf('task_id') + 10);
  expect(byName).toMatchObject({
    title: 'Make a safe to run twice',
    edits: [
      { file: 'dags/t.sql', start: { line: 1, column: 1 }, newText: expect.stringContaining('begin_slice') },
      {
        file: 'dags/t.sql',
        start: { line: 2, column: 63 },
        newText: '\nSELECT backfill_ledger.commit_slice();\nCOMMIT;',
      },
    ],
  });
  expect(await at('dags/t.sql', sql.indexOf('INSERT') + 3)).toEqual([byName]);
  expect(await at('dags/t.sql', sql.indexOf('raw.t'))).toEqual([]);
  await api.edit({ path: 'dags/t.sql', text: sql.replace(/^.*\n/, 'TRUNCATE mart.t;\n') });
  expect(await at('dags/t.sql', 2)).toMatchObject([
    { refused: expect.stringContaining('it rewrites the whole table') },
  ]);
});

describe('a file of a large workspace', () => {
  const insert = (dagId: string, table: string, from: string): string => `from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
with DAG("${dagId}", schedule="@daily"):
    SQLExecuteQueryOperator(task_id="t", conn_id="dw", sql="INSERT INTO mart.${table} SELECT * FROM mart.${from}")
`;
  const fill = (): void => {
    for (let n = 0; n < 120; n++) writeFileSync(join(root, `dags/d_${n}.py`), insert(`d_${n}`, `t_${n}`, `t_${n - 1}`));
  };
  const opened = async () => {
    let tell = (): void => {};
    const changed = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const api = createWorkspaceApi(({ kind }) => (kind === 'changed' ? tell() : undefined));
    await api.open({ root, settings });
    return { api, changed };
  };

  test('has its tasks and intervals before the rest is read, and what the rest says when it is', async () => {
    fill();
    const { api, changed } = await opened();
    const first = await api.view({ path: 'dags/d_7.py', now });
    expect(first.tasks).toMatchObject([{ task: 'd_7.t', interval: { label: '2026-01-01' }, downstream: undefined }]);
    // What the others decide is not said before they are read.
    expect(first).toMatchObject({ findings: [], unknowns: [], hints: [], hovers: [], problems: [] });
    await changed;
    const whole = await api.view({ path: 'dags/d_7.py', now });
    expect(whole.tasks).toMatchObject([{ task: 'd_7.t', interval: { label: '2026-01-01' }, downstream: 112 }]);
    expect(whole.findings).not.toEqual([]);
    expect(first.tasks.map(({ at }) => at)).toEqual(whole.tasks.map(({ at }) => at));
  });

  test('waits for the rest where another file has a DAG of its name, and where it is SQL', async () => {
    fill();
    writeFileSync(join(root, 'dags/e.py'), insert('d_7', 'other', 'raw'));
    const { api } = await opened();
    const [task] = (await api.view({ path: 'dags/d_7.py', now })).tasks;
    expect(task?.downstream).toBe(112);
    writeFileSync(join(root, 'dags/load.sql'), 'INSERT INTO mart.t SELECT 1');
    writeFileSync(join(root, 'dags/s.py'), insert('s', 't', 't').replace(/sql=".*"/, 'sql="load.sql"'));
    const again = await opened();
    expect((await again.api.view({ path: 'dags/load.sql', now })).tasks).toMatchObject([
      { task: 's.t', downstream: 0 },
    ]);
  });

  test('is read with its edits, and as the version that the workspace says', async () => {
    fill();
    writeFileSync(
      join(root, 'dags/sdk.py'),
      insert('sdk', 'sdk', 'raw').replace('airflow import DAG', 'airflow.sdk import DAG'),
    );
    const { api, changed } = await opened();
    await api.edit({ path: 'dags/d_7.py', text: insert('mine', 't_7', 't_6').replace('@daily', '0 6 * * *') });
    const first = await api.view({ path: 'dags/d_7.py', now });
    await changed;
    const whole = await api.view({ path: 'dags/d_7.py', now });
    expect(first.tasks[0]?.task).toBe('mine.t');
    expect(first.pipelines).toEqual(whole.pipelines);
  });
});
