import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { airflowEnvironment } from '../../../src/node/airflow/airflow-environment.ts';
import { type AirflowQuestion, askAirflow } from '../../../src/node/airflow/ask-airflow.ts';
import { pythonPath } from '../../../src/node/airflow/python-path.ts';
import { redact } from '../../../src/node/airflow/redact.ts';
import { fakePython, oneDagPerFile } from '../../support/fake-python.ts';
import { patienceMs } from '../../support/patience.ts';

const root = mkdtempSync(join(tmpdir(), 'ask-airflow-'));
const ask = (code: string, more: Partial<AirflowQuestion> = {}) =>
  askAirflow({ python: fakePython(code), root, files: ['dags/a.py', 'dags/b.py'], variables: {}, ...more });

describe('a Python that is asked', () => {
  test('answers for the files of the workspace', async () => {
    const asked = await ask(oneDagPerFile);
    expect(asked.ok && asked.answer.dags.map(({ id, file }) => `${id} ${file}`)).toEqual([
      'a dags/a.py',
      'b dags/b.py',
    ]);
  });

  test.each<[string, string, RegExp]>([
    [
      'ends with an error',
      'console.error("Traceback\\nKeyError: 7"); process.exit(3)',
      /ended with code 3: KeyError: 7$/,
    ],
    ['is killed', 'process.kill(process.pid, "SIGKILL")', /ended with SIGKILL: it said nothing/],
    ['writes half an answer', 'answer(\'{"airflow":"3.3.2","dags":[\')', /is torn; ask again/],
    ['writes nothing', '', /ended without an answer/],
    ['has no Airflow', 'answer({ airflow: null, dags: [], errors: [] })', /has no Airflow; name the Python/],
    [
      'shows a password',
      'console.error("no route to postgresql://me:hush-hush@db/x"); process.exit(1)',
      /me:\*\*\*@db/,
    ],
  ])('and %s is said in words', async (_, code, message) => {
    const asked = await ask(code);
    expect(asked.ok ? 'an answer' : asked.message).toMatch(message);
  });

  test('and hangs is ended, with what it started', async () => {
    const pidFile = join(root, 'child');
    const code = `const { spawn } = require('node:child_process');
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
setInterval(() => {}, 1000);`;
    const cancel = new AbortController();
    const asking = ask(code, { signal: cancel.signal });
    await vi.waitFor(() => expect(existsSync(pidFile)).toBe(true), { timeout: patienceMs });
    cancel.abort();
    expect(await asking).toEqual({ ok: false, message: 'cancelled' });
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: patienceMs });
  });

  test('and takes too long is ended', async () => {
    const asked = await ask('setInterval(() => {}, 1000)', { timeoutMs: 1000 });
    expect(asked.ok ? '' : asked.message).toMatch(/did not answer within 1 s; look for a DAG file that waits/);
  });

  test('leaves nothing behind', async () => {
    const asked = await ask(`answer({ airflow: request, dags: [], errors: [] })`);
    if (!asked.ok) throw new Error(asked.message);
    expect(asked.answer.version).toContain('request.json');
    expect(existsSync(asked.answer.version)).toBe(false);
  });

  test.each(['/nowhere/bin/python', root])('%s is no Python', async (python) => {
    const asked = await ask('', { python });
    expect(asked.ok ? '' : asked.message).toContain(`there is no Python`);
  });
});

/** A zombie that nobody has waited for is not running any more. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the environment of Airflow', () => {
  const made = (own: NodeJS.ProcessEnv) =>
    airflowEnvironment(own, '/tmp/x', root, { variables: { limit: 5, 'a.b': 'c' } });

  test('never has the database of the user', () => {
    const environment = made({
      AIRFLOW__DATABASE__SQL_ALCHEMY_CONN: 'postgresql://prod',
      AIRFLOW_HOME: '/srv/airflow',
    });
    expect(environment.AIRFLOW__DATABASE__SQL_ALCHEMY_CONN).toBe('sqlite:////tmp/x/airflow.db');
    expect(environment.AIRFLOW_HOME).toBe('/srv/airflow');
  });

  test('has the settings of the deployed Airflow, under what the user sets', () => {
    const deployed = {
      AIRFLOW__CORE__DEFAULT_TIMEZONE: 'Europe/Madrid',
      AIRFLOW__SCHEDULER__CATCHUP_BY_DEFAULT: 'False',
    };
    const own = { AIRFLOW__SCHEDULER__CATCHUP_BY_DEFAULT: 'True' };
    const environment = airflowEnvironment(own, '/tmp/x', root, { variables: {}, deployed });
    expect(environment.AIRFLOW__CORE__DEFAULT_TIMEZONE).toBe('Europe/Madrid');
    expect(environment.AIRFLOW__SCHEDULER__CATCHUP_BY_DEFAULT).toBe('True');
  });

  test('is a temporary folder where the user has none, and has the Variables of backfill.yaml', () => {
    const environment = made({});
    expect(environment.AIRFLOW_HOME).toBe('/tmp/x');
    expect(environment.AIRFLOW_VAR_LIMIT).toBe('5');
    expect(environment['AIRFLOW_VAR_A.B']).toBe('c');
    expect(environment.AIRFLOW__CORE__LOAD_EXAMPLES).toBe('False');
  });
});

test.each([
  ['postgresql://me:hush@db/x', 'postgresql://me:***@db/x'],
  ['token abcdef123 of A', 'token *** of A'],
  ['https://host/path', 'https://host/path'],
])('%s is shown as %s', (text, shown) => {
  expect(redact(text, { MY_TOKEN: 'abcdef123', HOME: 'https://host' })).toBe(shown);
});

test.each([
  ['python3', 'python3'],
  ['.venv', join('/work', '.venv')],
  ['venv/bin/python', join('/work', 'venv/bin/python')],
  ['/usr/bin/python3', '/usr/bin/python3'],
  ['venv\\Scripts\\python.exe', join('/work', 'venv\\Scripts\\python.exe')],
])('%s in /work is %s', (named, path) => {
  expect(pythonPath(named, '/work')).toBe(path);
});
