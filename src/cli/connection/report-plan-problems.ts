import type { Plan } from '../../core/plan/model/plan.ts';
import { plural } from '../../core/text/plural.ts';
import type { Problem } from '../../core/text/span.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { reportProblems } from '../terminal/report-problems.ts';
import type { Shell } from '../terminal/shell.ts';
import { filesOf } from './plan-file-now.ts';

/**
 * Problems of the files that a plan's tasks were read from, and of the configuration. Those of other files are counted
 * only: they may hide a task, but not one of this plan.
 */
export function reportPlanProblems(workspace: Workspace, plan: Plan, shell: Shell): void {
  const files = new Set([
    workspace.config.file,
    ...[...plan.byTask.keys()].flatMap((task) => filesOf(workspace, task)),
  ]);
  const concerns = ({ at }: Problem): boolean => at === undefined || files.has(at.file);
  reportProblems(workspace.problems.filter(concerns), workspace.text, shell);
  const others = workspace.problems.filter((problem) => problem.severity === 'error' && !concerns(problem));
  const elsewhere = new Set(others.map(({ at }) => at?.file)).size;
  if (others.length > 0) {
    const where = `${plural(others.length, 'problem')} in ${plural(elsewhere, 'other file')}`;
    shell.err(`${shell.colors.yellow('warning')} ${where}, which may hide tasks; backfill check shows them\n`);
  }
}
