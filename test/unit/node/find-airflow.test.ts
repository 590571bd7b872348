import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findAirflow } from '../../../src/node/airflow/find-airflow.ts';

function folderWith(...files: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'find-airflow-'));
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  return root;
}

test('virtual environments with an Airflow are found by their files', () => {
  const root = folderWith(
    '.venv/pyvenv.cfg',
    '.venv/lib/python3.11/site-packages/airflow/__init__.py',
    'services/venv/pyvenv.cfg',
    'services/venv/Lib/site-packages/airflow/__init__.py',
    'without/pyvenv.cfg',
    'without/lib/python3.11/site-packages/pandas/__init__.py',
    'source/lib/python3.11/site-packages/airflow/__init__.py',
  );
  expect(findAirflow(root, {})).toEqual([join(root, '.venv'), join(root, 'services/venv')]);
});

test('the active one is offered too, once', () => {
  const active = join(folderWith('v/pyvenv.cfg', 'v/lib/python3.12/site-packages/airflow/__init__.py'), 'v');
  expect(findAirflow(folderWith(), { VIRTUAL_ENV: active })).toEqual([active]);
  expect(findAirflow(dirname(active), { VIRTUAL_ENV: active })).toEqual([active]);
});
