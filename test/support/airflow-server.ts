import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, type PostgresServer } from './postgres-server.ts';

const run = promisify(execFile);

/** A real Airflow on a free port of this machine: its API, its scheduler with a LocalExecutor, its DAGs from a folder. */
export interface AirflowServer {
  readonly version: 2 | 3;
  readonly url: string;
  readonly user: 'admin';
  readonly password: string;
  /** Where logs and settings of it are. */
  readonly home: string;
  stopScheduler(): Promise<void>;
  startScheduler(): Promise<void>;
  restartApi(): Promise<void>;
  pause(dag: string, paused: boolean): Promise<void>;
  /** What a piece of work comes to; throws as soon as one of its processes has ended by itself, which would be waited for in vain. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Runs its command line. */
  airflow(...words: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

const password = 'correct-horse-battery';

export interface AirflowSetup {
  readonly version: 2 | 3;
  readonly dags: string;
  /** For its own tables: a database of it. */
  readonly server: PostgresServer;
  readonly database: string;
  /** Airflow connections by id, as URIs. */
  readonly connections: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Resolves when its API answers and its scheduler has been seen alive. Its database must be there, and be empty. */
export async function startAirflow(setup: AirflowSetup): Promise<AirflowServer> {
  const { version } = setup;
  const home = mkdtempSync(join(tmpdir(), `backfill-airflow${version}-`));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = environmentOf(setup, home, port, url);
  const program = fileURLToPath(new URL(`../../.venv-airflow${version}/bin/airflow`, import.meta.url));
  mkdirSync(join(home, 'out'));
  const airflow = async (...words: readonly string[]): Promise<string> =>
    (await run(program, words, { env, cwd: home, maxBuffer: 64 << 20 })).stdout;
  await airflow('db', 'migrate');
  if (version === 2) {
    const person = ['--firstname', 'A', '--lastname', 'B', '--email', 'a@example.org', '--role', 'Admin'];
    await airflow('users', 'create', '--username', 'admin', '--password', password, ...person);
  }
  const processes = new Map<string, ChildProcess>();
  let die: (error: Error) => void = () => {};
  const death = new Promise<never>((_, reject) => {
    die = reject;
  });
  // It is for whoever is at work meanwhile.
  death.catch(() => {});
  const start = (name: string, ...words: readonly string[]): void => {
    const log = openSync(join(home, 'out', `${name}.log`), 'a');
    const child = spawn(program, words, { env, cwd: home, detached: true, stdio: ['ignore', log, log] });
    processes.set(name, child);
    child.once('exit', () => {
      if (processes.get(name) === child) die(new Error(`Airflow's ${name} has ended by itself:\n${tails(home)}`));
    });
    closeSync(log);
  };
  const end = async (name: string): Promise<void> => {
    const child = processes.get(name);
    processes.delete(name);
    if (child?.pid === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    signalGroup(child.pid, 'SIGTERM');
    const hard = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), 15_000);
    await ended;
    clearTimeout(hard);
    signalGroup(child.pid, 'SIGKILL');
  };
  const startApi = (): void => (version === 3 ? start('api', 'api-server') : start('api', 'webserver'));
  const answers = (): Promise<void> => until(home, async () => (await fetch(healthUrl(version, url))).ok);
  startApi();
  start('scheduler', 'scheduler');
  if (version === 3) start('dag-processor', 'dag-processor');
  const server: AirflowServer = {
    version,
    url,
    user: 'admin',
    password,
    home,
    airflow,
    during: (work) => Promise.race([work, death]),
    stopScheduler: () => end('scheduler'),
    startScheduler: async () => {
      start('scheduler', 'scheduler');
      await schedules();
    },
    restartApi: async () => {
      await end('api');
      startApi();
      await answers();
    },
    pause: async (dag, paused) => {
      const authorization = await loginFor(version, url);
      const init = { method: 'PATCH', headers: { authorization, 'content-type': 'application/json' } };
      const body = JSON.stringify({ is_paused: paused });
      // Its API may be away just now.
      await until(home, async () => (await fetch(`${apiOf(version, url)}/dags/${dag}`, { ...init, body })).ok);
    },
    stop: async () => {
      await Promise.all([...processes.keys()].map(end));
      endWhoIsLeft(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
  const schedules = (): Promise<void> =>
    until(home, async () => {
      const answer = (await (await fetch(healthUrl(version, url))).json()) as { scheduler?: { status?: string } };
      return answer.scheduler?.status === 'healthy';
    });
  try {
    await server.during(answers().then(schedules));
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

const apiOf = (version: 2 | 3, url: string): string => `${url}/api/${version === 3 ? 'v2' : 'v1'}`;

const healthUrl = (version: 2 | 3, url: string): string =>
  `${apiOf(version, url)}/${version === 3 ? 'monitor/health' : 'health'}`;

async function loginFor(version: 2 | 3, url: string): Promise<string> {
  if (version === 2) return `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  for (let tries = 0; ; tries++) {
    const body = JSON.stringify({ username: 'admin', password });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/auth/token`, { method: 'POST', headers, body }).catch(() => undefined);
    const { access_token: token } = answer?.ok ? ((await answer.json()) as { access_token?: string }) : {};
    if (token !== undefined) return `Bearer ${token}`;
    if (tries > 120) throw new Error(`${url} gives no token`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function signalGroup(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // Nobody of it is there any more.
  }
}

/** A task has a process group of its own, and outlives a scheduler that was ended the hard way. */
function endWhoIsLeft(home: string): void {
  const names = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of names.map(Number)) {
    try {
      if (pid === process.pid || !readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`AIRFLOW_HOME=${home}\0`))
        continue;
      process.kill(pid, 'SIGKILL');
    } catch {
      // It is gone, or somebody else's.
    }
  }
}

/** Waits for a condition, whatever it throws until then. */
async function until(home: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; ; tries++) {
    if (await holds().catch(() => false)) return;
    if (tries > 600) throw new Error(`Airflow did not come up:\n${tails(home)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const tails = (home: string): string =>
  ['api', 'scheduler', 'dag-processor']
    .map((name) => {
      try {
        return readFileSync(join(home, 'out', `${name}.log`), 'utf8').slice(-3000);
      } catch {
        return '';
      }
    })
    .join('\n');

function environmentOf(setup: AirflowSetup, home: string, port: number, url: string): NodeJS.ProcessEnv {
  const { version, server, database } = setup;
  const { user, host } = server;
  const own = `postgresql+psycopg2://${user}:${encodeURIComponent(server.password)}@${host}:${server.port}/${database}`;
  writeFileSync(join(home, 'passwords.json'), JSON.stringify({ admin: password }));
  const common = {
    PATH: process.env.PATH,
    HOME: home,
    TZ: 'UTC',
    AIRFLOW_HOME: home,
    AIRFLOW__CORE__DAGS_FOLDER: setup.dags,
    AIRFLOW__CORE__LOAD_EXAMPLES: 'False',
    AIRFLOW__CORE__EXECUTOR: 'LocalExecutor',
    AIRFLOW__CORE__PARALLELISM: '4',
    AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION: 'False',
    AIRFLOW__CORE__FERNET_KEY: 'dGhpcnR5LXR3by1ieXRlcy1vZi1ub3RoaW5nLWhlcmU=',
    AIRFLOW__DATABASE__SQL_ALCHEMY_CONN: own,
    AIRFLOW__SCHEDULER__DAG_DIR_LIST_INTERVAL: '10',
    AIRFLOW__SCHEDULER__MIN_FILE_PROCESS_INTERVAL: '10',
    AIRFLOW__SCHEDULER__JOB_HEARTBEAT_SEC: '1',
    AIRFLOW__SCHEDULER__LOCAL_TASK_JOB_HEARTBEAT_SEC: '1',
    AIRFLOW__USAGE_DATA_COLLECTION__ENABLED: 'False',
    ...Object.fromEntries(
      Object.entries(setup.connections).map(([id, uri]) => [`AIRFLOW_CONN_${id.toUpperCase()}`, uri]),
    ),
    ...setup.environment,
  };
  if (version === 2) {
    return {
      ...common,
      AIRFLOW__API__AUTH_BACKENDS: 'airflow.api.auth.backend.basic_auth',
      AIRFLOW__WEBSERVER__WEB_SERVER_HOST: '127.0.0.1',
      AIRFLOW__WEBSERVER__WEB_SERVER_PORT: String(port),
      AIRFLOW__WEBSERVER__BASE_URL: url,
      AIRFLOW__WEBSERVER__WORKERS: '1',
      AIRFLOW__WEBSERVER__SECRET_KEY: 'only for tests',
    };
  }
  return {
    ...common,
    AIRFLOW__API__HOST: '127.0.0.1',
    AIRFLOW__API__PORT: String(port),
    AIRFLOW__API__WORKERS: '1',
    AIRFLOW__API__BASE_URL: url,
    AIRFLOW__API_AUTH__JWT_SECRET: 'a secret that is long enough for tests and nothing else whatever',
    AIRFLOW__CORE__EXECUTION_API_SERVER_URL: `${url}/execution/`,
    AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS: 'admin:admin',
    AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE: join(home, 'passwords.json'),
    AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL: '10',
    AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL: '10',
  };
}
