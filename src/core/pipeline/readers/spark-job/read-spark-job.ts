import type { FileReading, FileSet, Pipeline } from '../../model/model.ts';
import type { ReaderOptions } from '../../model/reader-options.ts';
import type { TaskSqlMaker } from '../../model/task-sql-maker.ts';
import { emptyCall } from '../../python/calls/call.ts';
import { baseName } from '../../python/library/paths.ts';
import type { SyntaxTree } from '../../python/syntax/syntax-tree.ts';
import { newTask } from '../airflow/declare/tasks.ts';
import { followScript } from '../airflow/jobs/follow-script.ts';
import { noArguments } from '../airflow/jobs/job-arguments.ts';
import { clockCallsOf } from '../airflow/pipelines/clock-calls.ts';
import { sentTaskSql } from '../airflow/pipelines/task-sql.ts';
import { hostOf, newProgram, type TaskBuilder } from '../airflow/program/program.ts';
import { fileTask } from '../own-file/file-task.ts';

/** Whether a Python file is worth following as a job: it names Spark, and something that writes. */
export const mayBeSparkJob = (path: string, text: string): boolean =>
  /\bpyspark\b|\bawsglue\b|Databricks notebook source|\bspark\.(?:sql|table|read)\b/.test(text) &&
  /\.write\b|\.writeTo\b|\.sql\(|write_dynamic_frame|getSink|DeltaTable|writeStream/.test(text) &&
  !/(?:^|\/)(?:tests?|testing)\/|(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest|setup)\.py$/.test(path);

const nobody =
  'no task of the workspace runs this job: name the script in the operator that submits it (application=, a spark-submit command), or keep its DAG in the same workspace';

/** A PySpark script that no task of the workspace runs: a pipeline of its own, whose interval is an argument. */
export function readSparkJob(
  file: string,
  text: string,
  files: FileSet,
  parse: (file: string, text: string) => SyntaxTree,
  options: ReaderOptions,
  makeTaskSql: TaskSqlMaker,
): Omit<FileReading, 'dependsOn'> {
  const whole = { file, start: 0, end: text.length };
  const program = newProgram(file);
  const builder = hostOf<TaskBuilder>(
    {
      kind: 'host',
      host: newTask(program, 'spark-job', emptyCall(whole, 'script'), undefined, { defaultName: baseName(file) }),
    },
    'task',
  );
  if (builder === undefined) return { file, pipelines: [], problems: [] };
  const clocks = followScript(builder, file, noArguments, { files, parse, options });
  const sql = sentTaskSql(builder, { file, files, options, makeTaskSql, written: program.written });
  const writes =
    builder.accessed.some(({ direction }) => direction === 'write') ||
    sql.some(({ reading }) => reading.statements.some(({ kind }) => kind !== 'select' && kind !== 'create_view'));
  const isStream = builder.unread.some(({ reason }) => reason.startsWith('it writes a stream'));
  // Asks and shows, or defines what others call: no job.
  if (!writes && !isStream) return { file, pipelines: [], problems: [] };
  const task = fileTask(file, text, {
    operator: 'spark-job',
    sql,
    executor: { kind: 'none', reason: nobody },
    accesses: builder.accessed,
    unread: builder.unread,
  });
  const pipeline: Pipeline = {
    id: file,
    format: 'spark-job',
    file,
    at: whole,
    schedule: { value: { kind: 'none' }, at: undefined },
    anchor: { startDate: undefined, endDate: undefined, catchup: true },
    startDateAt: undefined,
    zone: 'UTC',
    catchup: { value: true, at: undefined },
    maxActiveRuns: undefined,
    airflowVersion: 2,
    tasks: [task],
    edges: [],
    clockCalls: clockCallsOf(file, clocks, undefined, [{ builder, id: file, sql }]),
  };
  return { file, pipelines: [pipeline], problems: [] };
}
