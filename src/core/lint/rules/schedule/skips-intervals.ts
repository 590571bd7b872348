import { isJournalName } from '../../../lineage/facts/table-roles.ts';
import { accessedTable } from '../../../lineage/tasks/access-facts.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { textAt } from '../../context/text-at.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { templateTimes, timesUsed } from '../../reruns/times-used.ts';
import { type TaskView, tableKey } from '../../source/statement-view.ts';

/** A second run of a past interval, and every run that is caught up on, skips the load and is marked as done. */
function* check(context: LintContext): Generator<RuleFinding> {
  const { kind } = context.pipeline.schedule.value;
  if (kind !== 'cron' && kind !== 'delta') return;
  for (const guard of context.tasks) {
    if (!latestOnly.test(guard.task.operator)) continue;
    const loads = guarded(context, guard).flatMap((task) => {
      const load = loadOf(context, task);
      return load === undefined ? [] : [{ task, load }];
    });
    const [first, ...others] = loads;
    if (first === undefined) continue;
    yield {
      at: guard.task.at,
      message: `Whatever follows runs for the newest interval only: when an earlier one is run again or caught up on, "${first.task.task.name}", which ${first.load} for its interval, is skipped, and the run counts as done.`,
      subject: `${guard.task.id} skips`,
      related: [first, ...others].map(({ task }) => ({ message: 'skipped', at: task.task.nameAt })),
    };
  }
}

const latestOnly = /^LatestOnlyOperator$/;

/** Tasks that are skipped with the guard: behind it, as far as each runs only where all before it have succeeded. */
function guarded(context: LintContext, guard: TaskView): readonly TaskView[] {
  const found = new Set<TaskView>();
  const open = [guard];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { kind, from, to } of context.pipeline.edges) {
      if (kind !== 'order' || from !== next.task.id) continue;
      const task = context.tasks.find((one) => one.task.id === to);
      if (task === undefined || found.has(task) || !strict.test(task.task.triggerRule?.value ?? 'all_success'))
        continue;
      found.add(task);
      open.push(task);
    }
  }
  return context.tasks.filter((task) => found.has(task));
}

/** Under which a task is skipped where one before it was. */
const strict = /^(?:all_success|none_skipped)$/;

const fills = /^(?:insert|insert_overwrite|insert_replace_where|replace|merge|update|create_table_as|copy|load)$/;

/** What a task does with its interval, in words; `undefined` where it has none or leaves nothing of it. */
function loadOf(context: LintContext, task: TaskView): string | undefined {
  if (timesUsed(context, task).length === 0) return undefined;
  const filled = [
    ...task.statements
      .filter(({ statement }) => fills.test(statement.kind) && statement.copyDirection !== 'to')
      .flatMap((view) => view.statement.targets.map((target) => tableKey(view, target))),
    ...task.task.accesses.flatMap((access) =>
      access.direction === 'write' ? (accessedTable(access) ?? 'a table') : [],
    ),
  ].filter((table) => !isJournalName(table));
  if (filled[0] !== undefined) return `writes ${filled[0]}`;
  const { operator } = task.task;
  // A path alone says when something was put there, not what.
  const given = task.task.arguments.filter(
    ({ name, valueAt }) => handsData.test(name) && templateTimes(context, valueAt).length > 0,
  );
  if (given.length === 0) return undefined;
  const runsProgram =
    /^BashOperator$/.test(operator) && given.some(({ valueAt }) => program.test(textAt(context, valueAt)));
  return runsProgram || runsJob.test(operator) ? 'starts a job' : undefined;
}

/** Arguments that tell code which data it is to work on. */
const handsData =
  /^(?:bash_command|cmds?|command|sql|query|arguments|args|\w+_args|params|parameters|conf|configuration|env|env_vars|job|job_parameters|vars|entrypoint_arguments)$/;

/** What loads data where a shell starts it. */
const program = /\b(?:dbt\s+(?:run|build|snapshot)|spark-submit|python[23]?\s|psql|snowsql|bq\s+(?:load|query))/;

/** Operators that hand the interval to code which is there to load it. */
const runsJob =
  /(?:Spark|Dataproc|Databricks|Emr|Glue|Dataflow|KubernetesPod|Docker|EcsRun\w*|EcsOperator|Batch|Dbt\w*|Ingest|ToGCS|ToS3|ToRedshift|ToBigQuery|ToSnowflake)\w*Operator$/;

export default {
  id: 'skips-intervals',
  severity: 'error',
  summary: 'A latest-only guard before the load of an interval',
  help: 'Take the guard away from the load; put it before messages and whatever else only the newest run is to do.',
  supersedes: [],
  check,
} satisfies Rule;
