import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createWorkspaceApi } from '../../../src/vscode/host/workspace/workspace-service.ts';
import type { WorkspaceEvent, WorkspaceSettings } from '../../../src/vscode/host/workspace-api.ts';
import { fakePython, oneDagPerFile } from '../../support/fake-python.ts';
import { patienceMs } from '../../support/patience.ts';

const root = mkdtempSync(join(tmpdir(), 'airflow-thread-'));
mkdirSync(join(root, 'dags'));
writeFileSync(
  join(root, 'dags/orders.py'),
  'from datetime import datetime\nfrom airflow import DAG\nDAG("orders", schedule="@daily", start_date=datetime(2024, 1, 1))\n',
);
const asked = join(root, 'asked');
const python = fakePython(`writeFileSync(${JSON.stringify(asked)}, '');\n${oneDagPerFile}`);
writeFileSync(join(root, 'backfill.yaml'), `version: 1\nairflow: { python: "${python}" }\n`);

const settings: WorkspaceSettings = {
  airflowVersion: 'auto',
  airflowPython: undefined,
  trusted: false,
  severities: {},
  shownIn: undefined,
};

test('nothing runs before the workspace is trusted; then the reading is corrected when the answer arrives', async () => {
  const events: WorkspaceEvent[] = [];
  const api = createWorkspaceApi((event) => events.push(event));
  const said = async () => (await api.check({ now: 0 })).problems.map(({ message }) => message).join('\n');
  await api.open({ root, settings });
  const read = await said();
  // Longer than the quiet time after which Airflow would be asked.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(existsSync(asked)).toBe(false);

  await api.configure({ ...settings, trusted: true });
  expect(await said()).toBe(read);
  await vi.waitFor(() => expect(events).toContainEqual({ kind: 'changed' }), { timeout: patienceMs });
  expect(await said()).toContain('Airflow 3.3.2 has no schedule, which is used.');
  expect(events).toContainEqual({ kind: 'log', message: 'Airflow has loaded 1 DAG file' });

  // While a text is typed that Airflow has not seen, it counts as it is read.
  await api.edit({ path: 'dags/orders.py', text: 'from airflow import DAG\nDAG("orders", schedule="@weekly")\n' });
  expect(await said()).not.toContain('3.3.2');
  await api.edit({ path: 'dags/orders.py', text: undefined });
  expect(await said()).toContain('3.3.2');
});
