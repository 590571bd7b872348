import type { JobRefusal } from '../../core/run/unit/job-refusal.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { reportProblems } from '../terminal/report-problems.ts';
import type { Shell } from '../terminal/shell.ts';

/** Writes why units cannot be run: each reason once, however many intervals it stops. */
export function reportRefusals(refusals: readonly JobRefusal[], workspace: Workspace, shell: Shell): void {
  const byMessage = new Map(refusals.map((refusal) => [refusal.message, refusal]));
  const problems = [...byMessage.values()].map(
    ({ message, remedy, at }) => ({ message: `${message}; ${remedy}`, at, severity: 'warning' }) as const,
  );
  reportProblems(problems, workspace.text, shell);
}
