import type { Argument } from '../../../pipeline/model/model.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { taskViews } from '../../context/task-views.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { timesUsed } from '../../reruns/times-used.ts';
import type { TaskView } from '../../source/statement-view.ts';

/** A second run of a past interval starts the other DAG as of now, because nobody tells it which interval is meant. */
function* check(context: LintContext): Generator<RuleFinding> {
  if (!hasIntervals(context)) return;
  for (const task of context.tasks) {
    if (task.task.operator !== 'TriggerDagRunOperator') continue;
    const given = (name: string): Argument | undefined => task.task.arguments.find((one) => one.name === name);
    const other = given('trigger_dag_id');
    if (other === undefined || ['logical_date', 'execution_date', 'conf'].some(given)) continue;
    if (!isAsked(context, task, other)) continue;
    yield {
      at: other.at,
      message: `The run that ${words(other)} gets has the time at which it is started as its date, so a rerun of a past interval makes it work on today: pass logical_date or conf.`,
      subject: `${task.task.id} starts ${words(other)}`,
      fixes: [passDate(context, other)],
    };
  }
}

/** A DAG without intervals has none to hand on. */
const hasIntervals = ({ pipeline }: LintContext): boolean => ['cron', 'delta'].includes(pipeline.schedule.value.kind);

/** The DAG that is started works on an interval; where it is not in the workspace, what stands before the trigger does. */
function isAsked(context: LintContext, task: TaskView, { value }: Argument): boolean {
  const name = value.kind === 'literal' && typeof value.value === 'string' ? value.value : undefined;
  const other = name === undefined ? undefined : context.dag(name);
  if (other !== undefined) return taskViews(other).some((view) => timesUsed(context, view).length > 0);
  return context.tasks.some((one) => context.isBefore(one, task) && timesUsed(context, one).length > 0);
}

const words = ({ value }: Argument): string => (value.kind === 'literal' ? `"${value.value}"` : 'the other DAG');

/** Its logical date for the other DAG's: a new argument behind the name of the DAG. */
function passDate(context: LintContext, { at }: Argument): Fix {
  const name = context.pipeline.airflowVersion === 3 ? 'logical_date' : 'execution_date';
  const newText = `, ${name}="{{ logical_date }}"`;
  return {
    title: `Give the DAG that is started this run's logical date`,
    edits: [{ file: at.file, start: at.end, end: at.end, newText }],
    preferred: true,
  };
}

export default {
  id: 'trigger-drops-interval',
  severity: 'error',
  summary: 'A DAG is started without the interval that it is to work on',
  help: 'Pass the date on: `logical_date="{{ logical_date }}"` (Airflow 2: `execution_date`), or an entry of `conf` that the other DAG reads.',
  supersedes: [],
  check,
} satisfies Rule;
