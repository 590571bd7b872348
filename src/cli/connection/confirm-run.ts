import type { Command } from 'commander';
import type { Shell } from '../terminal/shell.ts';
import { type RunPlace, targetText } from './describe-target.ts';

export interface ConfirmOptions {
  readonly yes?: boolean;
  /** The connection's name, where nobody can type it. */
  readonly confirmTarget?: string;
}

export const addConfirmOptions = (command: Command, yes: string): Command =>
  command
    .option('--yes', yes)
    .option('--confirm-target <name>', 'the connection’s name, for a protected target where nobody can type it');

/**
 * Asks before anything is written: yes or no, or for a protected target the name of its connection, which `yes` does
 * not replace. `undefined` when the run may go on, else why not.
 */
export async function confirmRun(
  question: string,
  { name: connection, description: { target, protected: guarded } }: RunPlace,
  { yes, confirmTarget }: ConfirmOptions,
  shell: Shell,
): Promise<string | undefined> {
  if (confirmTarget !== undefined && confirmTarget !== connection)
    return `nothing was run: --confirm-target ${confirmTarget} is not the connection of this run, ${connection}`;
  if (guarded ? confirmTarget === connection : yes === true) return undefined;
  const where = targetText(connection, target);
  const ask = guarded
    ? `${question} on ${where}, which is protected? Type ${connection} to go on: `
    : `${question} on ${where}? [y/N] `;
  const answer = (await shell.ask(ask))?.trim();
  if (answer === undefined) {
    return guarded
      ? `nothing was run: ${connection} is protected and nobody can be asked here; look at the plan and add --confirm-target ${connection}`
      : 'nothing was run: nobody can be asked here; look at the plan and add --yes';
  }
  const agreed = guarded ? answer === connection : /^y(es)?$/i.test(answer);
  return agreed ? undefined : 'nothing was run';
}
