import { awayDelay, defaultRunOptions } from '../../core/run/unit/run-options.ts';
import { isNotServing } from '../../core/warehouse/port/sql-state.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { reportProblems } from '../terminal/report-problems.ts';
import { reportWorldError } from '../terminal/report-world-error.ts';
import { exitCodes, type Shell } from '../terminal/shell.ts';
import { openTarget, type Target } from './target.ts';

/**
 * Opens a database, does the work, closes it. What the world says is shown with what to do, exit code 1 (usage: 2). `waits`:
 * for a server that is there and takes no work for now, as a run does. `makes`: an embedded database that is not there.
 */
export async function withTarget(
  workspace: Workspace,
  name: string | undefined,
  shell: Shell,
  work: (target: Target) => Promise<void>,
  { waits = false, makes = false }: { readonly waits?: boolean; readonly makes?: boolean } = {},
): Promise<void> {
  try {
    const open = () => openTarget(workspace, name, shell, makes);
    const target = await (waits ? onceServing(open, shell) : open());
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

/** Opens what says that it is full or not yet up once it takes connections, and says so; anything else is thrown at once. */
async function onceServing<T>(open: () => Promise<T>, shell: Shell): Promise<T> {
  const startedAt = shell.clock.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof WarehouseError) || !isNotServing(error.detail.sqlState)) throw error;
      const delayMs = awayDelay(defaultRunOptions, attempt, shell.clock.now() - startedAt);
      if (delayMs === undefined) throw error;
      if (attempt === 1) shell.err(`waiting for the server: ${error.message}\n`);
      await shell.clock.sleep(delayMs);
    }
  }
}
