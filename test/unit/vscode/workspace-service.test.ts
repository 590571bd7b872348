import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WorkspaceSettings } from '../../../src/vscode/host/workspace-api.ts';
import { createWorkspaceApi } from '../../../src/vscode/host/workspace-service.ts';

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
const dag = (task: string): string => `from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
with DAG("a", schedule="@daily"):
    SQLExecuteQueryOperator(task_id="${task}", conn_id="dw", sql="INSERT INTO mart.t SELECT 1")
`;

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
