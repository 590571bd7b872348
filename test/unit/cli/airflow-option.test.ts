import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakePython, oneDagPerFile } from '../../support/fake-python.ts';
import { runCli } from '../../support/run-cli.ts';

const python = fakePython(oneDagPerFile);
const root = mkdtempSync(join(tmpdir(), 'airflow-option-'));
mkdirSync(join(root, 'dags'));
writeFileSync(
  join(root, 'dags/orders.py'),
  'from datetime import datetime\nfrom airflow import DAG\nDAG("orders", schedule="@daily", start_date=datetime(2024, 1, 1))\n',
);
writeFileSync(join(root, 'backfill.yaml'), `version: 1\nairflow: { python: "${python}" }\n`);

test('the Airflow of backfill.yaml is asked, and show says what it took from it', async () => {
  const { out, err } = await runCli(['show', '.', '--airflow'], root);
  expect(err).toContain(`asking the Airflow of ${python} …`);
  expect(out).toContain('orders  no schedule · UTC · schedule, start date, catchup from Airflow 3.3.2');
  expect(err).toContain('dags/orders.py:3:15 warning The schedule is read as "@daily" in UTC');
});

test('JSON has what was corrected, for programs', async () => {
  const { out } = await runCli(['show', '.', '--airflow', '--format', 'json'], root);
  expect(JSON.parse(out).pipelines[0].airflow).toEqual({
    version: '3.3.2',
    corrected: ['schedule', 'start-date', 'catchup'],
  });
});

test('a folder that names a Python does not make a check start it', async () => {
  const { out, err } = await runCli(['show', '.'], root);
  expect(err).not.toContain('asking');
  expect(out).toContain('orders  @daily');
});

test('--airflow-python beats backfill.yaml, from the folder of the call; one that is not there is an error', async () => {
  const { out, err, code } = await runCli(['check', '.', '--airflow-python', 'venv/bin/python'], root);
  expect(err + out).toContain(`Airflow was not asked: there is no Python ${join(root, 'venv/bin/python')}`);
  expect(code).toBe(1);
});

test('--airflow without a Python in backfill.yaml says so, and reads', async () => {
  const bare = mkdtempSync(join(tmpdir(), 'airflow-option-'));
  writeFileSync(join(bare, 'orders.sql'), '-- backfill: schedule=@daily\nselect 1');
  const { err, out } = await runCli(['show', '.', '--airflow'], bare);
  expect(err).toContain('backfill.yaml names none');
  expect(out).toContain('orders.sql');
});

test.each(['plan', 'run'])('%s takes it too', async (command) => {
  const { err } = await runCli(
    [command, 'orders', '--from', '2024-01-01', '--to', '2024-01-02', '--airflow-python', python],
    root,
  );
  expect(err).toContain(`asking the Airflow of ${python} …`);
});
