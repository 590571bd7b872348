import pc from 'picocolors';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { Shell } from '../../src/cli/terminal/shell.ts';
import { systemClock } from '../../src/node/system-clock.ts';

export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** One command line inside this process, without a terminal. `changes` replaces parts of its shell. */
export async function runCli(words: readonly string[], cwd: string, changes: Partial<Shell> = {}): Promise<CliResult> {
  let [out, err, code] = ['', '', 0];
  const shell: Shell = {
    cwd,
    env: {},
    clock: systemClock,
    listenForCancel: () => new AbortController().signal,
    isTTY: false,
    columns: Number.POSITIVE_INFINITY,
    errColumns: Number.POSITIVE_INFINITY,
    errRows: Number.POSITIVE_INFINITY,
    colors: pc.createColors(false),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    ask: async () => undefined,
    exit: (wanted) => {
      code = Math.max(code, wanted);
    },
    ...changes,
  };
  await runCommandLine(words, shell, '1.2.3');
  return { code, out, err };
}
