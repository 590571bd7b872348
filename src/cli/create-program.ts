import { Command, CommanderError } from 'commander';
import { register as registerCheck } from './commands/check.ts';
import { register as registerDone } from './commands/done.ts';
import { register as registerGaps } from './commands/gaps.ts';
import { register as registerHistory } from './commands/history.ts';
import { register as registerInit } from './commands/init.ts';
import { register as registerMakeSafe } from './commands/make-safe.ts';
import { register as registerPlan } from './commands/plan.ts';
import { register as registerProve } from './commands/prove.ts';
import { register as registerResume } from './commands/resume.ts';
import { register as registerRun } from './commands/run.ts';
import { register as registerScheduler } from './commands/scheduler.ts';
import { register as registerShow } from './commands/show.ts';
import { register as registerUndo } from './commands/undo.ts';
import { jsonOnFailure } from './terminal/json-failure.ts';
import { exitCodes, type Shell, UsageError } from './terminal/shell.ts';

const registers = [
  registerCheck,
  registerShow,
  registerInit,
  registerMakeSafe,
  registerPlan,
  registerGaps,
  registerProve,
  registerRun,
  registerHistory,
  registerResume,
  registerDone,
  registerUndo,
  registerScheduler,
];

/**
 * Runs one command line to its end. Never rejects for a wrong call or for what files, databases and terminals do; a
 * bug rejects, after everything that was open has been closed.
 */
export async function runCommandLine(words: readonly string[], outer: Shell, version: string): Promise<void> {
  const { shell, finish } = jsonOnFailure(words, outer);
  try {
    await createProgram(shell, version).parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) shell.exit(error.exitCode === 0 ? exitCodes.done : exitCodes.usage);
    else if (error instanceof UsageError) {
      shell.err(`${shell.colors.red('error')} ${error.message}\n`);
      if (error.remedy !== undefined) shell.err(`  ${shell.colors.green('help')} ${error.remedy}\n`);
      shell.exit(exitCodes.usage);
    } else throw error;
  }
  finish();
}

function createProgram(shell: Shell, version: string): Command {
  const program = new Command('backfill')
    .description('Makes scheduled data tasks safe to run twice: check, plan, run and compare.')
    .version(version)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: shell.out,
      writeErr: shell.err,
      getOutHelpWidth: () => Math.min(shell.columns, 100),
      getErrHelpWidth: () => Math.min(shell.errColumns, 100),
      outputError: (text, write) => write(text.replace(/^error: /, `${shell.colors.red('error')} `)),
    })
    .addHelpText(
      'after',
      `
Examples:
  backfill check .
  backfill plan shop_daily.orders_clean --from 2026-11-01 --to 2026-12-01 --downstream
  backfill run shop_daily.orders_clean --from 2026-11-01 --to 2026-12-01 --downstream --preview

Each command has its own --help with examples.`,
    );
  for (const register of registers) register(program, shell);
  // Settings of a parent are copied when a command is added by hand, not by command().
  for (const command of program.commands) command.copyInheritedSettings(program);
  return program;
}
