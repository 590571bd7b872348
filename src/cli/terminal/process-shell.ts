import { getEventListeners, setMaxListeners } from 'node:events';
import { createInterface } from 'node:readline/promises';
import pc from 'picocolors';
import { systemClock } from '../../node/system-clock.ts';
import { type ExitCode, exitCodes, type Shell } from './shell.ts';

/** The shell of a real process. `code` is what was asked for by the end. */
export interface ProcessShell {
  readonly shell: Shell;
  code(): ExitCode;
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function processShell(): ProcessShell {
  const { stdin, stdout, stderr, env } = process;
  const controller = new AbortController();
  // Every running and every waiting unit listens.
  setMaxListeners(0, controller.signal);
  let code: ExitCode = exitCodes.done;

  const cancel = (): void => {
    const nobodyCares = getEventListeners(controller.signal, 'abort').length === 0;
    if (nobodyCares) process.exit(exitCodes.cancelled);
    // Without listeners the system ends the process, also one that is too busy to take notice.
    for (const signal of endingSignals) process.removeListener(signal, cancel);
    controller.abort();
  };
  // Whoever reads the output may stop reading: `backfill plan … | head`.
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(code);
      throw error;
    });
  }

  const shell: Shell = {
    cwd: process.cwd(),
    env,
    clock: systemClock,
    listenForCancel() {
      for (const signal of endingSignals) process.on(signal, cancel);
      return controller.signal;
    },
    isTTY: stderr.isTTY === true && env.TERM !== 'dumb',
    // Asked again each time, because windows are resized.
    get columns() {
      return widthOf(stdout);
    },
    get errColumns() {
      return widthOf(stderr);
    },
    get errRows() {
      return stderr.isTTY === true ? stderr.rows || 24 : Number.POSITIVE_INFINITY;
    },
    colors: pc.createColors(colorsWanted(env, stdout.isTTY === true)),
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    ask: (question) => ask(question, controller),
    exit(wanted) {
      code = Math.max(code, wanted) as ExitCode;
    },
  };
  return { shell, code: () => code };

  async function ask(question: string, cancel: AbortController): Promise<string | undefined> {
    if (stdin.isTTY !== true || stderr.isTTY !== true) return undefined;
    const lines = createInterface({ input: stdin, output: stderr });
    lines.on('SIGINT', () => cancel.abort());
    try {
      return await lines.question(question, { signal: cancel.signal });
    } catch {
      stderr.write('\n');
      return '';
    } finally {
      lines.close();
    }
  }
}

const widthOf = (stream: NodeJS.WriteStream): number =>
  stream.isTTY === true ? stream.columns || 80 : Number.POSITIVE_INFINITY;

/** NO_COLOR (any value but empty) beats FORCE_COLOR beats what the terminal is. */
export function colorsWanted(env: Readonly<Record<string, string | undefined>>, terminal: boolean): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0') return true;
  return terminal && env.TERM !== 'dumb';
}
