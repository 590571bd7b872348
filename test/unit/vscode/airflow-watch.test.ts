import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { watchAirflow } from '../../../src/vscode/host/workspace/airflow-watch.ts';
import { fakePython, oneDagPerFile } from '../../support/fake-python.ts';
import { patienceMs } from '../../support/patience.ts';

const dag = 'from airflow import DAG\n';

function workspace() {
  const root = mkdtempSync(join(tmpdir(), 'airflow-watch-'));
  mkdirSync(join(root, 'dags'));
  const texts = new Map<string, string>();
  const said: string[] = [];
  const write = (path: string, text: string): void => {
    texts.set(path, text);
    writeFileSync(join(root, path), text);
  };
  const watch = watchAirflow({
    root,
    files: { read: (path) => texts.get(path), paths: () => [...texts.keys()] },
    readings: () => [],
    onAnswer: (message) => said.push(message),
  });
  return { root, write, watch, said };
}

test('is asked in the background about what was saved, each text once', async () => {
  const { root, write, watch, said } = workspace();
  const asked = join(root, 'asked');
  const python = fakePython(
    `require('node:fs').appendFileSync(${JSON.stringify(asked)}, files.length + '\\n');\n${oneDagPerFile}`,
  );
  const count = async () => (await import('node:fs')).readFileSync(asked, 'utf8').trim().split('\n');
  write('dags/a.py', dag);
  write('dags/b.py', dag);
  watch.follow({ python, variables: {} });
  expect(watch.answers().size).toBe(0);
  await vi.waitFor(() => expect(watch.answers().size).toBe(2), { timeout: patienceMs });
  write('dags/b.py', `${dag}# more\n`);
  watch.look();
  await vi.waitFor(async () => expect(await count()).toEqual(['2', '1']), { timeout: patienceMs });
  await vi.waitFor(() => expect(said).toHaveLength(2), { timeout: patienceMs });
  expect(watch.failure()).toBeUndefined();
});

test('says why it could not be asked, and forgets it with the Python', async () => {
  const { write, watch, said } = workspace();
  write('dags/a.py', dag);
  watch.follow({ python: '/nowhere/python', variables: {} });
  await vi.waitFor(() => expect(said).toHaveLength(1), { timeout: patienceMs });
  expect(watch.failure()).toContain('there is no Python /nowhere/python');
  watch.follow(undefined);
  expect(watch.failure()).toBeUndefined();
  expect(watch.answers().size).toBe(0);
});
