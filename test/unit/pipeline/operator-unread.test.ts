import { describe, expect, test } from 'vitest';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';
import { readTasks } from '../../support/read-tasks.ts';

const parser = await loadPythonParser();

function unreadOf(imports: string, code: string): readonly string[] {
  const text = `from airflow import DAG\nfrom airflow.decorators import task\n${imports}\nwith DAG("d"):\n    ${code}\n`;
  const { files } = createWorkspaceReader(parser, defaultReaderOptions).read(fileSetOf(new Map([['d.py', text]])));
  const [made] = files.flatMap(({ pipelines }) => pipelines.flatMap(({ tasks }) => tasks));
  if (made === undefined) throw new Error('no task was read');
  return made.unread.map(({ hides, reason }) => `${hides}: ${reason}`);
}

const operator = (name: string, given = '') =>
  unreadOf(`from airflow.providers.some.operators import ${name}`, `${name}(task_id="t"${given})`);

describe('what an operator does that the file does not show is said once', () => {
  test.each([
    ['BashOperator', 'code: it runs a shell command'],
    ['SSHOperator', 'code: it runs a command on another machine'],
    ['DockerOperator', 'code: it runs a container'],
    ['KubernetesPodOperator', 'code: it runs a container'],
    ['EcsRunTaskOperator', 'code: it runs a container'],
    ['SparkSubmitOperator', 'code: it runs a Spark job'],
    ['DataprocSubmitJobOperator', 'code: it runs a Spark job'],
    ['GlueJobOperator', 'code: it runs in AWS Glue'],
    ['EmrAddStepsOperator', 'code: it runs steps on EMR'],
    ['DatabricksSubmitRunOperator', 'code: it runs a job on Databricks'],
    ['LambdaInvokeFunctionOperator', 'code: it runs a function in the cloud'],
    ['DbtCloudRunJobOperator', 'code: it runs dbt'],
    ['HttpOperator', 'code: it calls a web service'],
    ['AirbyteTriggerSyncOperator', 'code: it starts a sync of another service'],
    ['LoadEverythingOperator', 'code: what LoadEverythingOperator does is not in the workspace'],
  ])('%s', (name, said) => {
    expect(operator(name)).toEqual([said]);
  });

  test('the command that a @task.bash function returns', () => {
    expect(unreadOf('', '@task.bash\n    def t():\n        return "ls"\n    t()')).toEqual([
      'code: it runs a shell command',
    ]);
  });
});

test.each([
  'EmptyOperator',
  'EmailOperator',
  'SlackWebhookOperator',
  'TriggerDagRunOperator',
  'BranchDayOfWeekOperator',
  'S3KeySensor',
  'DateTimeSensorAsync',
  'GCSToS3Operator',
  'LocalFilesystemToGCSOperator',
  'SFTPToS3Operator',
  'S3DeleteObjectsOperator',
  'GCSCreateBucketOperator',
  'DataprocCreateClusterOperator',
  'EmrTerminateJobFlowOperator',
  'RedshiftPauseClusterOperator',
  'BigQueryCreateEmptyTableOperator',
])('%s touches no rows, so nothing is unread', (name) => {
  expect(operator(name)).toEqual([]);
});

test.each([
  ['SQLExecuteQueryOperator', ', conn_id="dw", sql="select 1"'],
  ['S3ToRedshiftOperator', ', table="t", schema="s", s3_bucket="b", s3_key="k"'],
  ['BashOperator', ', bash_command="psql -c \'select 1\'"'],
])('%s is read, so nothing is unread', (name, given) => {
  expect(operator(name, given)).toEqual([]);
});

test.each([
  ['{{ params.query }}', 'the SQL is what {{ params.query }} gives'],
  ["-- nightly\\n{% set d = ds %}{{ logged('DELETE FROM t') }}", "the SQL is what {{ logged('DELETE FROM t') }} gives"],
  ['DELETE FROM t WHERE d = 1; {{ params.rest }}', 'the SQL is what {{ params.rest }} gives'],
  ['{{ params.prefix }}t', 'the SQL is what {{ params.prefix }} gives'],
  ["DELETE FROM t WHERE d = '{{ ds }}'", undefined],
  ["SELECT '{{ params.query }}'", undefined],
  ["-- of '{{ ds }}' alone\\nDELETE FROM t WHERE d = '{{ ds }}'", undefined],
  ["/* {{ ds }} */ DELETE FROM t WHERE d = '{{ ds }}'", undefined],
])('a statement that a template gives is not known: %s', (sql, reason) => {
  const [task] = readTasks(
    `from airflow import DAG\nfrom airflow.providers.postgres.operators.postgres import PostgresOperator\nwith DAG("d"):\n    PostgresOperator(task_id="t", sql="${sql}")\n`,
  );
  expect(task?.unread.map((unread) => unread.reason)).toEqual(reason === undefined ? [] : [reason]);
});
