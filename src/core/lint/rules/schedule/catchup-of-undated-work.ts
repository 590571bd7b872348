import type { Pipeline } from '../../../pipeline/model/model.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { textAt } from '../../context/text-at.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { timesUsed } from '../../reruns/times-used.ts';
import type { TaskView } from '../../source/statement-view.ts';

/** Each past interval that is caught up on does the very same work, because none of it says which interval it is for. */
function* check(context: LintContext): Generator<RuleFinding> {
  const { pipeline } = context;
  const { kind } = pipeline.schedule.value;
  if (pipeline.format !== 'airflow' || !pipeline.catchup.value || (kind !== 'cron' && kind !== 'delta')) return;
  // A start that moves with the clock leaves nothing to catch up on.
  if (pipeline.anchor.startDate === undefined || pipeline.clockCalls.some((call) => call.flowsInto === 'start-date'))
    return;
  const at = pipeline.catchup.at ?? pipeline.schedule.at ?? pipeline.startDateAt;
  if (at === undefined || context.tasks.some((task) => mayBeDated(context, task))) return;
  const [first, ...others] = context.tasks.filter((task) => works(context, task));
  if (first === undefined) return;
  const isWritten = pipeline.catchup.at !== undefined;
  yield {
    at,
    severity: isWritten ? 'warning' : 'info',
    message: `Nothing in "${pipeline.id}" uses the interval of its run, so each interval that is caught up on since the start date does the same work again${isWritten ? '' : '; catchup is on in Airflow 2 unless the DAG or catchup_by_default says otherwise'}.`,
    subject: `${pipeline.id} catchup`,
    related: [first, ...others].map(({ task }) => ({ message: 'works without the interval', at: task.nameAt })),
    fixes: offFix(context, pipeline),
  };
}

/** Operators that do nothing with data of their own: they wait, choose, or start what has a DAG of its own. */
const idle =
  /^(?:Empty|Dummy|LatestOnly|ShortCircuit|Branch\w*|ExternalTaskMarker|TriggerDagRun)Operator$|Sensor(?:Async)?$|^@task\.(?:branch|short_circuit|sensor)/;

/** Operators that take what they do from their arguments alone, so that reading these is enough. */
const plain =
  /^(?:Bash|Python|PythonVirtualenv|ExternalPython|SSH|Docker|DockerSwarm|KubernetesPod|SparkSubmit|SparkSql|Email|SimpleHttp|Http|Slack\w*|Ecs\w*|EKS\w*|Emr\w*|Glue\w*|Lambda\w*|Batch|Dataproc\w*|Dataflow\w*|BigQuery\w*|GCS\w*|Databricks\w*|S3\w*|Dbt\w*|Airbyte\w*|Fivetran\w*|Postgres|MySql|MsSql|Sqlite|Oracle|Snowflake\w*|Redshift\w*|SQLExecuteQuery|SQL\w*Check|Athena|Hive|Presto|Trino|Jdbc|ClickHouse\w*|(?:S3|GCS|Sql|MySql|MySQL|Postgres|Oracle|Mongo|MSSQL|BigQuery|Redshift|Local\w*|Google\w*|Salesforce|SFTP|FTP|Azure\w*)To(?:S3|GCS|Sql|MySql|Postgres|Redshift|Snowflake|BigQuery|Hive|GoogleCloudStorage|MySqlOperator|SFTP|Azure\w*|Gcs))Operator$|^@task(?:\.virtualenv|\.external_python|\.docker|\.kubernetes)?$/;

/** Something of the task uses the interval, or is not read and may. */
function mayBeDated(context: LintContext, task: TaskView): boolean {
  const { operator, unread, passesContext, arguments: given } = task.task;
  if (timesUsed(context, task).length > 0 || (task.task.timesTaken ?? []).length > 0) return true;
  if (idle.test(operator)) return false;
  if (!plain.test(operator) || passesContext === true) return true;
  // What a command does elsewhere is not read either, but it only knows what it is given.
  const isPython = /Python|^@task/.test(operator);
  if (unread.some(({ hides }) => hides === 'statement' || (isPython && hides === 'code'))) return true;
  return given.some(
    ({ name, valueAt, value }) =>
      value.kind === 'time' ||
      /\{\{|\{%/.test(textAt(context, valueAt)) ||
      (value.kind === 'unknown' && !setup.test(name) && hasNames(textAt(context, valueAt))) ||
      // A text that is put together elsewhere, or that stands in a file.
      (value.kind === 'literal' && typeof value.value === 'string' && /\{\{|\.(?:sh|bash)\s*$/.test(value.value)),
  );
}

/** Arguments that say how and when a task runs, and not on what. */
const setup =
  /^(?:dag|task_group|task_id|python_callable|(?:on|sla)_\w+|\w*callback|retr\w+|\w*timeout|start_date|end_date|pool\w*|priority\w*|trigger_rule|executor_config|resources|container_resources|volumes|volume_mounts|secrets|affinity|tolerations|owner|email\w*|depends_on_past|params|queue|provide_context|image\w*|namespace|\w+_conn_id|conn_id|labels|annotations|node_selector\w*|do_xcom_push|get_logs|is_delete_operator_pod|cluster_context|config_file|in_cluster|autocommit)$/;

/** A name of Python outside quotes: what it holds may be of the interval. */
const hasNames = (text: string): boolean =>
  /\b(?!(?:True|False|None|dict|list|str|int|Variable|get)\b)[A-Za-z_]\w*/.test(
    text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs, ''),
  );

/** It does something that a run for each past interval would repeat. */
function works(context: LintContext, { task }: TaskView): boolean {
  if (idle.test(task.operator)) return false;
  if (task.operator !== 'BashOperator') return true;
  const command = task.arguments.find(({ name }) => name === 'bash_command');
  return command === undefined || !showing.test(textAt(context, command.valueAt));
}

/** A command that only shows something or waits. */
const showing = /^[rbfuRBFU]*(["']|"""|''')\s*(?:echo|printf|date|sleep|true|exit|ls|pwd|whoami)\b[^;&|>]*$/;

/** Off, where it is written as on. */
function offFix(context: LintContext, { catchup: { at } }: Pipeline): readonly Fix[] {
  const text = at === undefined ? '' : textAt(context, at);
  const start = text.lastIndexOf('True');
  if (at === undefined || start < 0 || !/^\W*catchup\W/.test(text)) return [];
  const edit = { file: at.file, start: at.start + start, end: at.start + start + 4, newText: 'False' };
  return [{ title: 'Catch up on nothing', edits: [edit], preferred: true }];
}

export default {
  id: 'catchup-of-undated-work',
  severity: 'warning',
  summary: 'Catching up on intervals that nothing in the DAG uses',
  help: 'Set `catchup=False`, or cut the work by the interval of the run.',
  supersedes: [],
  check,
} satisfies Rule;
