import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const project = fileURLToPath(new URL('../../..', import.meta.url));

/** The command line as it is shipped, in a folder of its own. */
export async function buildCli(): Promise<{ readonly folder: string; readonly program: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'backfill-cli-'));
  await promisify(execFile)(process.execPath, ['scripts/build.mjs', folder], { cwd: project });
  return { folder, program: join(folder, 'cli.js') };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface CliProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** One command line as a process of its own. */
export function startCli(
  program: string,
  words: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): CliProcess {
  const child = spawn(process.execPath, [program, ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, out, err }));
  });
  return { child, ended };
}
