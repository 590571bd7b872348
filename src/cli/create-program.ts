import { Command, CommanderError } from 'commander';
import { jsonOnFailure } from './terminal/json-failure.ts';
import { exitCodes, type Shell, UsageError } from './terminal/shell.ts';

type Register = (program: Command, shell: Shell) => void;

/** In the order of the help. A command is loaded when it is called, since reading and planning take long to load. */
const commands: Readonly<Record<string, () => Promise<{ readonly register: Register }>>> = {
  check: () => import('./commands/check.ts'),
  show: () => import('./commands/show.ts'),
  init: () => import('./commands/init.ts'),
  'make-safe': () => import('./commands/make-safe.ts'),
  plan: () => import('./commands/plan.ts'),
  gaps: () => import('./commands/gaps.ts'),
  prove: () => import('./commands/prove.ts'),
  run: () => import('./commands/run.ts'),
  history: () => import('./commands/history.ts'),
  resume: () => import('./commands/resume.ts'),
  done: () => import('./commands/done.ts'),
  undo: () => import('./commands/undo.ts'),
  scheduler: () => import('./commands/scheduler.ts'),
  observe: () => import('./commands/observe.ts'),
};

/** The command that is called alone; all of them for help and for a word that may be a slip of one. */
async function registersFor([first = '']: readonly string[]): Promise<readonly Register[]> {
  const called = Object.hasOwn(commands, first) ? commands[first] : undefined;
  const loaded = await Promise.all((called === undefined ? Object.values(commands) : [called]).map((load) => load()));
  return loaded.map(({ register }) => register);
}

/** What `runCommandLine` does with every call but the one for the version. */
export async function runProgram(words: readonly string[], outer: Shell, version: string): Promise<void> {
  const { shell, finish } = jsonOnFailure(words, outer);
  try {
    await createProgram(await registersFor(words), shell, version).parseAsync(words, { from: 'user' });
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

function createProgram(registers: readonly Register[], shell: Shell, version: string): Command {
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
