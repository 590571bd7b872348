import { describe, expect, test } from 'vitest';
import { sliceInWords, windowInWords } from '../../../src/core/lineage/facts/window-words.ts';
import { buildWorkspaceFacts } from '../../../src/core/lineage/workspace/build-workspace-facts.ts';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { parseYaml } from '../../../src/node/parse-yaml.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parser = await loadPythonParser();
const read = (files: Readonly<Record<string, string>>) =>
  createWorkspaceReader(parser, { ...defaultReaderOptions, parseYaml }).read(fileSetOf(new Map(Object.entries(files))));

const spark = 'from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()';
const body = `spark.table("raw.clicks").where(f"ds = '{day}'").write.mode("overwrite").parquet(f"s3://lake/clicks/ds={day}")`;

/** A script of each way to take an argument. */
const scripts = {
  'jobs/argv.py': `import sys\n${spark}\nday = sys.argv[1]\n${body}\n`,
  'jobs/parsed.py': `import argparse\n${spark}\ndef main():\n    parser = argparse.ArgumentParser()\n    parser.add_argument("--env", default="dev")\n    parser.add_argument("-d", "--run-date", required=True)\n    args = parser.parse_args()\n    day = args.run_date\n    ${body}\nif __name__ == "__main__":\n    main()\n`,
  'jobs/named.py': `import sys\nfrom awsglue.utils import getResolvedOptions\n${spark}\nday = getResolvedOptions(sys.argv, ["day"])["day"]\n${body}\n`,
  'notebooks/daily.py': `# Databricks notebook source\nday = dbutils.widgets.get("day")\n${body}\n`,
  'jobs/clicked.py': `import click\n${spark}\n@click.command()\n@click.option("--day")\ndef main(day):\n    ${body}\nmain()\n`,
  'jobs/env.py': `import os\n${spark}\nday = os.environ["DAY"]\n${body}\n`,
};

const dag = (task: string): string =>
  `from datetime import datetime\nfrom airflow import DAG\nfrom airflow.operators.bash import BashOperator\nfrom airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator\nfrom airflow.providers.google.cloud.operators.dataproc import DataprocSubmitJobOperator\nfrom airflow.providers.amazon.aws.operators.emr import EmrAddStepsOperator, EmrServerlessStartJobOperator\nfrom airflow.providers.amazon.aws.operators.glue import GlueJobOperator\nfrom airflow.providers.databricks.operators.databricks import DatabricksNotebookOperator, DatabricksSubmitRunOperator\nwith DAG("d", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=True):\n    ${task}\n`;

const ofDay = '[day of start (UTC), day of start (UTC) + 1 day)';

describe('a script and the operator that runs it', () => {
  test.each([
    'SparkSubmitOperator(task_id="t", application="/opt/jobs/argv.py", application_args=["{{ ds }}"])',
    'SparkSubmitOperator(task_id="t", application="s3://code/jobs/parsed.py", application_args=["--env", "prod", "--run-date", "{{ ds }}"])',
    'SparkSubmitOperator(task_id="t", application="jobs/parsed.py", application_args=["--run-date={{ ds }}"])',
    'SparkSubmitOperator(task_id="t", application="jobs/env.py", env_vars={"DAY": "{{ ds }}"})',
    'SparkSubmitOperator(task_id="t", application="jobs/clicked.py", application_args=["--day", "{{ ds }}"])',
    'BashOperator(task_id="t", bash_command="cd /opt && spark-submit --master yarn --conf a=b jobs/argv.py {{ ds }}")',
    'BashOperator(task_id="t", bash_command="""\\nspark-submit \\\\\\n  jobs/parsed.py \\\\\\n  -d \'{{ ds }}\'\\n""")',
    'BashOperator(task_id="t", bash_command="python /opt/jobs/argv.py {{ ds }}")',
    'DataprocSubmitJobOperator(task_id="t", job={"pyspark_job": {"main_python_file_uri": "gs://b/jobs/argv.py", "args": ["{{ ds }}"]}})',
    'EmrAddStepsOperator(task_id="t", steps=[{"HadoopJarStep": {"Jar": "command-runner.jar", "Args": ["spark-submit", "--deploy-mode", "cluster", "s3://b/jobs/argv.py", "{{ ds }}"]}}])',
    'EmrServerlessStartJobOperator(task_id="t", job_driver={"sparkSubmit": {"entryPoint": "s3://b/jobs/argv.py", "entryPointArguments": ["{{ ds }}"]}})',
    'GlueJobOperator(task_id="t", script_location="s3://b/jobs/named.py", script_args={"--day": "{{ ds }}"})',
    'DatabricksNotebookOperator(task_id="t", notebook_path="/Repos/team/notebooks/daily", notebook_params={"day": "{{ ds }}"})',
    'DatabricksSubmitRunOperator(task_id="t", spark_python_task={"python_file": "dbfs:/jobs/argv.py", "parameters": ["{{ ds }}"]})',
    'DatabricksSubmitRunOperator(task_id="t", json={"notebook_task": {"notebook_path": "/notebooks/daily", "base_parameters": {"day": "{{ ds }}"}}})',
  ])('%s', (task) => {
    const reading = read({ ...scripts, 'dags/d.py': dag(task) });
    const facts = buildWorkspaceFacts(reading, new Map()).facts.get('d.t');
    expect(facts?.unknowns).toEqual([]);
    expect(facts?.writes.map(({ table, mode, slice }) => [table, mode, sliceInWords(slice)])).toEqual([
      ['s3://lake/clicks', 'insert_overwrite', ofDay],
    ]);
    expect(facts?.reads.map(({ table, window }) => [table, windowInWords(window)])).toEqual([['raw.clicks', ofDay]]);
    // What a task runs is no pipeline by itself.
    const ids = reading.files.flatMap(({ pipelines }) => pipelines.map(({ id }) => id));
    expect(ids).toHaveLength(1 + Object.keys(scripts).length - 1);
    const executor = reading.files.flatMap(({ pipelines }) => pipelines)[0]?.tasks[0]?.executor;
    expect(executor).toMatchObject({
      kind: 'airflow',
      reason: expect.stringMatching(/^has Spark run (?:jobs|notebooks)\//),
    });
  });

  test.each([
    [
      'a script that is not there',
      'SparkSubmitOperator(task_id="t", application="gone.py")',
      /gone\.py is not in the workspace/,
    ],
    [
      'a script that may be one of two',
      'SparkSubmitOperator(task_id="t", application="/opt/same.py")',
      /may be a\/same\.py or b\/same\.py/,
    ],
    ['a jar', 'SparkSubmitOperator(task_id="t", application="/opt/app.jar")', /app\.jar is no Python/],
    ['a path of the run', 'SparkSubmitOperator(task_id="t", application=find())', /runs a Spark job: /],
    [
      'a command beside it',
      'BashOperator(task_id="t", bash_command="load.sh && spark-submit jobs/argv.py {{ ds }}")',
      /runs a shell command/,
    ],
  ])('%s is said', (_, task, reason) => {
    const { files } = read({ ...scripts, 'a/same.py': '', 'b/same.py': '', 'dags/d.py': dag(task) });
    const unread = files.flatMap(({ pipelines }) => pipelines).find(({ id }) => id === 'd')?.tasks[0]?.unread;
    expect(unread?.map(({ reason: why }) => why).join()).toMatch(reason);
  });

  test.each(['python load.py {{ ds }}', 'python -m jobs.argv {{ ds }}', 'python3 gone.py'])(
    'what else Python runs is a command: %s',
    (command) => {
      const task = `BashOperator(task_id="t", bash_command="${command}")`;
      const { files } = read({ ...scripts, 'load.py': 'import sys\n', 'dags/d.py': dag(task) });
      const found = files.flatMap(({ pipelines }) => pipelines).find(({ id }) => id === 'd')?.tasks[0];
      expect([found?.sql, found?.unread.map(({ reason }) => reason)]).toEqual([[], ['it runs a shell command']]);
    },
  );

  test('without a task that runs it the interval is an argument, which is said', () => {
    const reading = read({ 'jobs/argv.py': scripts['jobs/argv.py'] });
    const facts = buildWorkspaceFacts(reading, new Map()).facts.get('jobs/argv.py');
    expect(JSON.stringify(facts?.unknowns)).toContain(
      'sys.argv[1] is an argument of the job that no task of the workspace gives it',
    );
  });

  test('settings of the operator hold for the script', () => {
    const task =
      'SparkSubmitOperator(task_id="t", application="jobs/all.py", conf={"spark.sql.sources.partitionOverwriteMode": "dynamic"}, application_args=["{{ ds }}"])';
    const script = scripts['jobs/argv.py'].replace('.parquet(f"s3://lake/clicks/ds={day}")', '.insertInto("m.t")');
    const sql = (conf: boolean) =>
      read({ 'jobs/all.py': script, 'dags/d.py': dag(conf ? task : task.replace(/conf=\{.*?\}, /, '')) })
        .files.flatMap(({ pipelines }) => pipelines)[0]
        ?.tasks[0]?.sql.map(({ overwrites }) => overwrites);
    expect([sql(true), sql(false)]).toEqual([['dynamic'], ['static']]);
  });
});
