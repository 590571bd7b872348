import type { WarehouseDescription } from '../core/warehouse/ports.ts';
import type { Shell } from './shell.ts';

/**
 * Asks before anything is written: yes or no, or for a protected target its name. `undefined` when the run may go on,
 * else why not.
 */
export async function confirmRun(
  question: string,
  { target, protected: guarded }: WarehouseDescription,
  yes: boolean,
  shell: Shell,
): Promise<string | undefined> {
  if (yes && !guarded) return undefined;
  const ask = guarded
    ? `${question} on the protected target ${target}? Type its name to go on: `
    : `${question} on ${target}? [y/N] `;
  const answer = (await shell.ask(ask))?.trim();
  if (answer === undefined) {
    return guarded
      ? `${target} is protected: a run on it is confirmed on a terminal, by typing its name`
      : 'nothing was run: nobody can be asked here; look at the plan and add --yes';
  }
  const agreed = guarded ? answer === target : /^y(es)?$/i.test(answer);
  return agreed ? undefined : 'nothing was run';
}
