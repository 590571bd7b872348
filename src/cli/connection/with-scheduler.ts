import type { Scheduler } from '../../core/scheduler/port/scheduler.ts';
import { resolveScheduler } from '../../node/config/resolve-scheduler.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { openScheduler } from '../../orchestrators/open.ts';
import { reportProblems } from '../terminal/report-problems.ts';
import { reportWorldError } from '../terminal/report-world-error.ts';
import { exitCodes, type Shell, UsageError } from '../terminal/shell.ts';

/** Opens a scheduler and does the work. What the world says is shown with what to do, exit code 1 (usage: 2). */
export async function withScheduler(
  workspace: Workspace,
  name: string | undefined,
  shell: Shell,
  work: (scheduler: Scheduler) => Promise<void>,
): Promise<void> {
  const resolved = resolveScheduler(workspace.config, name, shell.env);
  if (resolved === undefined) {
    const example = `schedulers: { prod: { url: https://airflow.example.org, user: …, password: \${env:AIRFLOW_PASSWORD} } }`;
    throw new UsageError(`${workspace.config.file} has no scheduler`, `add one: ${example}`);
  }
  if ('problem' in resolved) {
    reportProblems([resolved.problem], workspace.text, shell);
    return shell.exit(exitCodes.usage);
  }
  try {
    await work(await openScheduler(resolved.scheduler));
  } catch (error) {
    reportWorldError(error, shell);
  }
}
