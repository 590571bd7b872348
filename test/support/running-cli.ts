import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** The built command line at work in a process of its own. */
export interface RunningCli {
  readonly pid: number | undefined;
  /** Waits until what it has written to either stream matches; the first group is returned. */
  until(pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  ended(): Promise<{ readonly code: number | null; readonly output: string }>;
}

/** `bundle`: the folder that it was built into. */
export function startCli(
  bundle: string,
  { root, env }: { readonly root: string; readonly env: Readonly<Record<string, string>> },
  ...words: readonly string[]
): RunningCli {
  const child = spawn(process.execPath, [join(bundle, 'cli.js'), ...words], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  return {
    pid: child.pid,
    async until(pattern) {
      for (;;) {
        const match = pattern.exec(output);
        if (match !== null) return match[1] ?? '';
        if (child.exitCode !== null) throw new Error(`ended with code ${child.exitCode}:\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    kill: (signal) => void child.kill(signal),
    async ended() {
      if (child.exitCode === null && child.signalCode === null)
        await new Promise((resolve) => child.once('close', resolve));
      return { code: child.exitCode, output };
    },
  };
}
