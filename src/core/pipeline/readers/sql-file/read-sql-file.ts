import { wholeFile } from '../../../text/mapped-text.ts';
import type { FileReading, FileSet, Pipeline } from '../../model/model.ts';
import type { ReaderOptions } from '../../model/reader-options.ts';
import { placeOfTask } from '../../model/reader-options.ts';
import type { TaskSqlMaker } from '../../model/task-sql-maker.ts';
import { fileTask } from '../own-file/file-task.ts';
import { foreignFormat } from './foreign-format.ts';
import { readHeaderComment } from './header-comment.ts';
import { sqlfluffDialect } from './sqlfluff-dialect.ts';

/** A SQL file that no DAG uses: a pipeline of its own with one task, whose id is the file's path. */
export function readSqlFile(
  file: string,
  text: string,
  files: FileSet,
  options: ReaderOptions,
  makeTaskSql: TaskSqlMaker,
): Omit<FileReading, 'dependsOn'> {
  const format = foreignFormat(file, text, files);
  if (format !== undefined)
    return {
      file,
      pipelines: [],
      problems: [{ message: `${format} models are not read yet.`, at: { file, start: 0, end: 0 }, severity: 'info' }],
    };
  const header = readHeaderComment(file, text);
  const connection = header.connection === undefined ? undefined : options.connections[header.connection];
  const dialect = header.dialect ?? connection?.dialect ?? sqlfluffDialect(file, files) ?? options.defaultDialect;
  const preset = options.defaultConnection?.dialect === dialect ? options.defaultConnection : undefined;
  const sessionZone = (connection ?? preset)?.zone;
  const whole = { file, start: 0, end: text.length };
  const executor = { kind: 'warehouse', connection: header.connection } as const;
  const place = placeOfTask(executor, options);
  const task = fileTask(file, text, {
    operator: 'sql-file',
    sql: [makeTaskSql(wholeFile(file, text), [], dialect, 'file', { sessionZone })],
    executor,
    ...(place === undefined ? {} : { place }),
  });
  const pipeline: Pipeline = {
    id: file,
    format: 'sql-file',
    file,
    at: whole,
    schedule: header.schedule,
    anchor: { startDate: header.startDate, endDate: header.endDate, catchup: true },
    startDateAt: header.startDateAt,
    zone: header.zone,
    catchup: { value: true, at: undefined },
    maxActiveRuns: undefined,
    airflowVersion: 2,
    tasks: [task],
    edges: [],
    clockCalls: [],
  };
  return { file, pipelines: [pipeline], problems: header.problems };
}
