import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { askAirflow } from '../../src/node/airflow/ask-airflow.ts';
import { askScript } from '../../src/node/airflow/ask-script.ts';
import { loadWorkspace } from '../../src/node/load-workspace.ts';

function workspace(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'exact-mode-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const imports = `from datetime import datetime
import importlib, os, sys, time
from airflow import DAG
from airflow.models import Variable
try:
    from airflow.providers.standard.operators.bash import BashOperator
    from airflow.providers.standard.operators.empty import EmptyOperator
except ImportError:
    from airflow.operators.bash import BashOperator
    from airflow.operators.empty import EmptyOperator
`;

const dynamic = `${imports}
print("what a file prints is its own")
with DAG("orders", schedule=Variable.get("orders_schedule"), start_date=datetime(2024, 1, 1), catchup=False):
    load = EmptyOperator(task_id="load")
    for table in sorted(os.environ):
        if table.startswith("COPY_"):
            load >> BashOperator(task_id=f"copy_{table}", bash_command=f"copy {table}")
`;

describe.each([2, 3])('Airflow %i, asked', (version) => {
  const python = fileURLToPath(new URL(`../../.venv-airflow${version}`, import.meta.url));
  const ask = (root: string, files: readonly string[], environment: Record<string, string> = {}) =>
    askAirflow({ python, root, files, variables: { orders_schedule: '0 5 * * *' }, environment });

  test('confirms and corrects a workspace, and the plan has its tasks', async () => {
    vi.stubEnv('COPY_A', '1');
    vi.stubEnv('COPY_B', '1');
    const root = workspace({
      'dags/orders.py': dynamic,
      'dags/broken.py': `${imports}import nothing_like_this\nDAG("broken", start_date=datetime(2024, 1, 1))\n`,
      'backfill.yaml': `version: 1\nairflow: { version: ${version}, python: ${python} }\nvariables: { orders_schedule: "0 5 * * *" }\n`,
    });
    const { facts, problems, tasks } = await loadWorkspace(root, { airflow: 'configured' });
    vi.unstubAllEnvs();
    const orders = facts.pipelines.find(({ id }) => id === 'orders');
    expect(orders?.schedule.value).toMatchObject({ kind: 'cron', expression: '0 5 * * *' });
    expect(orders?.tasks.map(({ name }) => name)).toEqual(['load', 'copy_COPY_A', 'copy_COPY_B']);
    expect(orders?.airflow?.corrected).toEqual(['tasks', 'edges']);
    expect(tasks.find(({ id }) => id === 'orders.copy_COPY_B')?.executor.kind).toBe('airflow');
    expect(facts.pipelines.find(({ id }) => id === 'broken')?.airflow).toBeUndefined();
    expect(problems.map(({ message }) => message).join('\n')).toContain("No module named 'nothing_like_this'");
  });

  test('never opens the database of the user, and writes nothing into the workspace', async () => {
    const root = workspace({ 'dags/orders.py': dynamic, 'dags/helper.py': 'value = 1\n' });
    const home = mkdtempSync(join(tmpdir(), 'airflow-home-'));
    writeFileSync(join(home, 'airflow.cfg'), `[database]\nsql_alchemy_conn = sqlite:///${home}/own.db\n`);
    const asked = await ask(root, ['dags/orders.py'], { AIRFLOW_HOME: home });
    expect(asked.ok).toBe(true);
    expect(existsSync(join(home, 'own.db'))).toBe(false);
    expect(readdirSync(join(root, 'dags')).sort()).toEqual(['helper.py', 'orders.py']);
  });

  test('loses only the file that ends the process or waits', async () => {
    const root = workspace({
      'dags/orders.py': dynamic,
      'dags/exits.py': `${imports}sys.exit(4)\n`,
      'dags/waits.py': `${imports}time.sleep(600)\n`,
    });
    const files = ['dags/exits.py', 'dags/orders.py', 'dags/waits.py'];
    const asked = await ask(root, files, { AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT: '2' });
    if (!asked.ok) throw new Error(asked.message);
    expect(asked.answer.dags.map(({ id }) => id)).toEqual(['orders']);
    expect(asked.answer.errors.map(({ file }) => file)).toEqual(['dags/exits.py', 'dags/waits.py']);
  });

  test('answers for a thousand DAGs', async () => {
    const many = (file: number) =>
      `${imports}for number in range(10):\n    with DAG(f"dag_${file}_{number}", schedule="@daily", start_date=datetime(2024, 1, 1)):\n        EmptyOperator(task_id="a") >> EmptyOperator(task_id="b")\n`;
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, file) => [`dags/many_${file}.py`, many(file)]));
    const asked = await ask(workspace(files), Object.keys(files));
    if (!asked.ok) throw new Error(asked.message);
    expect(new Set(asked.answer.dags.map(({ id }) => id)).size).toBe(1000);
  });

  test('ends when its caller does', async () => {
    const root = workspace({ 'waits.py': `${imports}time.sleep(600)\n` });
    const request = join(root, 'request.json');
    writeFileSync(request, JSON.stringify({ files: [join(root, 'waits.py')], pythonPath: [] }));
    const child = spawn(join(python, 'bin/python'), [askScript() ?? '', request, join(root, 'answer.json')], {
      env: { ...process.env, AIRFLOW_HOME: root, AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT: '0' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)));
    child.stdin?.end();
    expect(await ended).toBe('SIGKILL');
    expect(existsSync(join(root, 'answer.json'))).toBe(false);
  });
});
