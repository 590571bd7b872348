import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { type AskOptions, loadWorkspace, type Workspace } from '../../node/load-workspace.ts';
import { type Shell, UsageError } from '../terminal/shell.ts';
import { workLine } from '../terminal/work-line.ts';
import { type AirflowOptions, airflowToAsk } from './airflow-option.ts';

export interface WorkspaceOptions {
  readonly workspace?: string;
  readonly format: 'text' | 'json';
}

/** For commands that are given paths as well. */
export const addWorkspaceOption = (command: Command): Command =>
  command.option(
    '--workspace <folder>',
    'folder of the pipelines (default: the nearest one with a backfill.yaml, else this one)',
  );

export function addWorkspaceOptions(command: Command): Command {
  return addWorkspaceOption(command).addOption(
    new Option('--format <format>', 'how the result is written').choices(['text', 'json']).default('text'),
  );
}

/** The folder that was named, else the nearest one upwards with a `backfill.yaml`, else the current one. */
export function workspaceFolder({ workspace }: Pick<WorkspaceOptions, 'workspace'>, shell: Shell): string {
  if (workspace !== undefined) {
    const folder = resolve(shell.cwd, workspace);
    if (!existsSync(folder)) throw new UsageError(`there is no folder ${workspace}`);
    if (!statSync(folder).isDirectory())
      throw new UsageError(`${workspace} is not a folder`, 'name the folder of the pipelines');
    return folder;
  }
  for (let folder = shell.cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'backfill.yaml')) || existsSync(join(folder, 'backfill.yml'))) return folder;
    if (dirname(folder) === folder) return shell.cwd;
  }
}

export const openWorkspace = (
  options: Pick<WorkspaceOptions, 'workspace'> & AirflowOptions,
  shell: Shell,
): Promise<Workspace> => readWorkspace(workspaceFolder(options, shell), shell, airflowToAsk(options, shell));

/** The workspace of a folder; what is done and how far it is is said once it lasts. */
export async function readWorkspace(root: string, shell: Shell, ask: AskOptions = {}): Promise<Workspace> {
  const line = workLine(shell);
  const onAsk = (python: string): void => {
    line.end();
    ask.onAsk?.(python);
  };
  try {
    return await loadWorkspace(root, { ...ask, onAsk, onWork: line.tell });
  } finally {
    line.end();
  }
}
