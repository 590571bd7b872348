import type { Argument, Task } from '../../../pipeline/model/model.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { textAt } from '../../context/text-at.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { isOneAtATime, runsOverlap } from '../../reruns/overlapping-runs.ts';

/** Two runs at once compare with the same state and each adds its change. */
function* check(context: LintContext): Generator<RuleFinding> {
  const overlap = runsOverlap(context.pipeline);
  if (overlap === 'never') return;
  for (const { task } of context.tasks) {
    const mark = comparing(context, task);
    if (mark === undefined || isOneAtATime(task)) continue;
    const often =
      overlap === 'declared'
        ? `${context.pipeline.maxActiveRuns?.value} runs may be under way at once`
        : context.pipeline.catchup.value
          ? 'runs that are caught up on are under way at once'
          : 'a run that takes longer than its interval overlaps the next one';
    yield {
      at: mark.at,
      severity: 'warning',
      message: `A snapshot compares with the rows that are current and then adds to them; ${often}, and two of them leave two current rows of one record. Set max_active_runs=1.`,
      subject: `${task.id} compares`,
    };
  }
}

/** The argument that makes the task take a dbt snapshot. */
function comparing(context: LintContext, task: Task): Pick<Argument, 'at'> | undefined {
  const command = task.arguments.find(
    ({ name, valueAt }) =>
      /^(?:bash_command|command|cmds|arguments|dbt_commands|commands)$/.test(name) &&
      /\bdbt\b[^\n;&|]*["'\s]snapshot\b/.test(textAt(context, valueAt)),
  );
  if (command !== undefined) return command;
  return /^Dbt\w*Snapshot\w*Operator$/.test(task.operator) ? { at: task.nameAt } : undefined;
}

export default {
  id: 'overlapping-runs',
  severity: 'warning',
  summary: 'Work that compares and then inserts, in runs that may be under way at once',
  help: 'Set `max_active_runs=1` on the DAG, so that one run has ended before the next one compares.',
  supersedes: [],
  check,
} satisfies Rule;
