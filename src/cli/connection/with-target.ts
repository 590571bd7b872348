import type { Workspace } from '../../node/load-workspace.ts';
import { reportProblems } from '../terminal/report-problems.ts';
import { reportWorldError } from '../terminal/report-world-error.ts';
import { exitCodes, type Shell } from '../terminal/shell.ts';
import { openTarget, type Target } from './target.ts';

/** Opens a database, does the work, closes it. What the world says is shown with what to do, exit code 1 (usage: 2). */
export async function withTarget(
  workspace: Workspace,
  name: string | undefined,
  shell: Shell,
  work: (target: Target) => Promise<void>,
): Promise<void> {
  try {
    const target = await openTarget(workspace, name, shell);
    if ('problem' in target) {
      reportProblems([target.problem], workspace.text, shell);
      return shell.exit(exitCodes.usage);
    }
    try {
      await work(target);
    } finally {
      await target.warehouse.close();
    }
  } catch (error) {
    reportWorldError(error, shell);
  }
}
