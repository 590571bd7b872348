import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface PythonRun {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export type EndedPython = { readonly ok: true } | { readonly ok: false; readonly message: string };

const keptErrorBytes = 8192;

/** Runs a Python to its end, within a time limit, with all processes it starts. What it prints is not kept. */
export function runPython(named: string, args: readonly string[], run: PythonRun): Promise<EndedPython> {
  const python = pythonOf(named);
  if (python === undefined)
    return Promise.resolve({
      ok: false,
      message: `there is no Python in ${named}; name a virtual environment or a Python`,
    });
  return new Promise((resolve) => {
    let errors = '';
    let settled = false;
    const child = spawn(python, args, {
      cwd: run.cwd,
      env: run.environment,
      // The script ends when its input does, so that it never outlives this process.
      stdio: ['pipe', 'ignore', 'pipe'],
      windowsHide: true,
      // A group of its own, so that what a DAG file starts ends with it.
      detached: process.platform !== 'win32',
    });
    const settle = (ended: EndedPython): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      run.signal?.removeEventListener('abort', cancel);
      resolve(ended);
    };
    const stop = (message: string): void => {
      endAll(child);
      settle({ ok: false, message });
    };
    const cancel = (): void => stop('cancelled');
    const seconds = Math.round(run.timeoutMs / 1000);
    const timer = setTimeout(
      () => stop(`${named} did not answer within ${seconds} s; look for a DAG file that waits while it is loaded`),
      run.timeoutMs,
    );
    run.signal?.addEventListener('abort', cancel, { once: true });
    if (run.signal?.aborted) cancel();
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-keptErrorBytes);
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      settle({
        ok: false,
        message:
          error.code === 'ENOENT'
            ? `there is no Python ${named}; name a virtual environment or a Python`
            : `${named} cannot be started: ${error.message}`,
      }),
    );
    child.on('close', (code, signal) => {
      if (code === 0) settle({ ok: true });
      else settle({ ok: false, message: `${named} ended with ${signal ?? `code ${code}`}: ${lastLine(errors)}` });
    });
  });
}

/** A folder stands for the Python of the virtual environment in it. */
function pythonOf(named: string): string | undefined {
  if (!existsSync(named) || !statSync(named).isDirectory()) return named;
  return ['bin/python', 'bin/python3', 'Scripts/python.exe', 'python.exe']
    .map((inside) => join(named, inside))
    .find((file) => existsSync(file));
}

function endAll(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (process.platform === 'win32') spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).unref();
    else process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

const lastLine = (text: string): string => text.trim().split(/\r?\n/).at(-1) || 'it said nothing';
