import { existsSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { reasonOf } from '../../node/files/discover-files.ts';
import { firstConfig } from '../../node/first-config.ts';
import { readWorkspace } from '../arguments/workspace-option.ts';
import { exitCodes, type Shell, UsageError } from '../terminal/shell.ts';

export function register(program: Command, shell: Shell): void {
  program
    .command('init')
    .description('write a first backfill.yaml from what the files say')
    .argument('[folder]', 'folder of the pipelines', '.')
    .option('--print', 'print it and write nothing')
    .addHelpText(
      'after',
      `
It has a connection for each Airflow connection id in use and, as comments, what nobody has said of tasks, most useful first.

Examples:
  backfill init
  backfill init dags --print`,
    )
    .action((folder: string, options: { readonly print?: boolean }) => init(folder, options.print === true, shell));
}

async function init(folder: string, printed: boolean, shell: Shell): Promise<void> {
  const root = resolve(shell.cwd, folder);
  if (!existsSync(root)) throw new UsageError(`there is no folder ${folder}`);
  const known = ['backfill.yaml', 'backfill.yml'].find((name) => existsSync(join(root, name)));
  if (known !== undefined && !printed)
    throw new UsageError(`${known} is there already`, 'backfill init --print shows what it would write');
  const text = firstConfig(await readWorkspace(root, shell));
  if (printed) shell.out(text);
  else {
    const file = join(root, 'backfill.yaml');
    try {
      writeFileSync(file, text, { flag: 'wx' });
    } catch (error) {
      throw new UsageError(`${relative(shell.cwd, file)} is not written: ${reasonOf(error)}`);
    }
    shell.out(
      `${relative(shell.cwd, file)} is written. Say in it where the databases are; backfill plan shows the rest.\n`,
    );
  }
  shell.exit(exitCodes.done);
}
