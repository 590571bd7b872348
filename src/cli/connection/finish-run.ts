import { type AroundRun, runJson } from '../../core/run/stored/run-json.ts';
import type { RunResult } from '../../core/run/unit/run-result.ts';
import { runText } from '../reporters/run/run-text.ts';
import { type ExitCode, exitCodes, type Shell } from '../terminal/shell.ts';

/** Writes how a run ended. */
export function finishRun(
  result: RunResult,
  target: string,
  {
    format,
    samples,
    units,
    connection,
    undoes,
    ...around
  }: {
    readonly format: 'text' | 'json';
    readonly samples: number;
    readonly units?: boolean | undefined;
    readonly connection: string | undefined;
    /** Of an undo: the run that it takes back. */
    readonly undoes?: string | undefined;
  } & AroundRun,
  shell: Shell,
): void {
  if (format === 'json') shell.out(`${JSON.stringify(runJson(result, target, around))}\n`);
  else {
    const { previewed } = around;
    shell.out(
      `\n${runText({ result, samples, units, width: shell.columns, previewed, undoes, connection }, shell.colors)}`,
    );
  }
}

export function exitCodeOf({ outcome }: RunResult): ExitCode {
  switch (outcome) {
    case 'done':
      return exitCodes.done;
    case 'held':
      return exitCodes.held;
    case 'cancelled':
      return exitCodes.cancelled;
    case 'failed':
    case 'refused':
      return exitCodes.findings;
  }
}
