import type { Unread } from '../../../model/table-access.ts';
import { emptyOperators, sqlOperators } from '../operators/sql-operators.ts';
import type { TaskBuilder } from '../program/program.ts';
import { transferOperators } from './transfer-operators.ts';

/** What operators do whose work is code that this file does not hold, by the name of the class. */
const opaque: readonly (readonly [RegExp, string])[] = [
  [/^(?:@task\.bash|Bash|RemoteBash)/, 'runs a shell command'],
  [/^(?:SSH|WinRM|PsrpOperator)/, 'runs a command on another machine'],
  [
    /^(?:@task\.(?:docker|kubernetes)|Docker|Kubernetes|GKEStart|Ecs|ECS|AzureContainer|CloudRun|Nomad|Swarm)/,
    'runs a container',
  ],
  [
    /^(?:SparkSubmit|SparkJDBC|SparkKubernetes|Livy|DataprocSubmit|DataprocCreateBatch|Synapse|PySpark)/,
    'runs a Spark job',
  ],
  [/^(?:Glue|AwsGlue|AWSGlue)/, 'runs in AWS Glue'],
  [/^Emr/, 'runs steps on EMR'],
  [/^Databricks/, 'runs a job on Databricks'],
  [/^(?:Dataflow|Beam|DataFusion|CloudDataFusion)/, 'runs a data pipeline of its own'],
  [/^(?:Batch|AwsBatch|Lambda|AwsLambda|CloudFunction|StepFunction)/, 'runs a function in the cloud'],
  [/^(?:Dbt|DbtCloud|Cosmos)/, 'runs dbt'],
  [/^(?:SimpleHttp|Http)Operator$/, 'calls a web service'],
  [/^(?:Airbyte|Fivetran|Hightouch|Census)/, 'starts a sync of another service'],
  [/^(?:Papermill|Jupyter)/, 'runs a notebook'],
];

const stores =
  '(?:S3|GCS|Gcs|GoogleCloudStorage|Local|LocalFilesystem|SFTP|FTP|FTPS|Sftp|Wasb|AzureBlobStorage|ADLS|AzureDataLake|AzureFileShare|GoogleDrive|GDrive|Drive|Samba|WebHdfs|WebHDFS|Http|ImapAttachment|Glacier|GoogleApi|Salesforce|Mongo|FacebookAdsReport|GoogleAds|GoogleCalendar|GoogleSheets|Sheets)';

/** Classes that wait, decide, notify, move files or manage resources: no table is touched. */
const harmless: readonly RegExp[] = [
  /Sensor(?:Async)?$/,
  /^(?:TriggerDagRun|ShortCircuit|Email|Slack\w*|Discord\w*|Telegram|Opsgenie\w*|Pagerduty\w*|Jira|SnsPublish|SqsPublish)Operator$/,
  /^Branch\w*Operator$|^\w*BranchOperator$/,
  new RegExp(`^${stores}To${stores}(?:Operator|Transfer)$`),
  /^(?:S3|GCS|Gcs|Sftp|SFTP|FTP|Wasb|ADLS|GoogleCloudStorage)(?:Create|Delete|List|Copy|Get|Put|File|Bucket|Object|Synchronize|Time)\w*Operator$/,
  /(?:Create|Delete|Start|Stop|Pause|Resume|Resize|Update|Terminate|Scale|Reboot)\w*(?:Cluster|Instance|Instances|Bucket|Topic|Subscription|Snapshot|Workgroup|Namespace|Dataset|Database)\w*Operator$/,
  /^BigQuery(?:Create|Update|Get|List|Upsert)\w*Operator$/,
  /^Emr(?:Terminate|Modify)\w*Operator$/,
];

/**
 * Says once what a task does that no part of the file shows. Python callables are followed elsewhere and say for
 * themselves what of them is not known.
 */
export function operatorUnread(task: TaskBuilder): Unread[] {
  const { operator, runsBase } = task;
  // `super().execute(context)`: what the base does counts beside what is followed.
  if (runsBase !== undefined && task.callable !== undefined)
    return operatorUnread({ ...task, operator: runsBase.operator, callable: undefined, runsBase: undefined });
  // What `@task.bash` returns is a command, which is run after its Python.
  if (isPython(operator) || (task.callable !== undefined && operator !== '@task.bash')) return [];
  if (emptyOperators.has(operator) || sqlOperators[operator] !== undefined || transferOperators.has(operator))
    return [];
  if (harmless.some((pattern) => pattern.test(operator))) return [];
  const does = opaque.find(([pattern]) => pattern.test(operator))?.[1];
  const own = operator === 'BaseOperator' ? 'the execute method of an own operator is not followed' : undefined;
  const reason = does === undefined ? (own ?? `what ${operator} does is not in the workspace`) : `it ${does}`;
  return [{ hides: 'code', reason, at: task.nameAt }];
}

const isPython = (operator: string): boolean =>
  /^(?:@task|@asset|Python|BranchPython|ExternalPython|BranchExternalPython|PythonVirtualenv|BranchPythonVirtualenv|ShortCircuit)/.test(
    operator,
  ) && !/^@task\.(?:bash|docker|kubernetes)/.test(operator);
