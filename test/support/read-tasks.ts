import type { Pipeline, Task } from '../../src/core/pipeline/model/model.ts';
import { defaultReaderOptions } from '../../src/core/pipeline/model/reader-options.ts';
import type { TableAccess } from '../../src/core/pipeline/model/table-access.ts';
import { createWorkspaceReader } from '../../src/core/pipeline/workspace/read-workspace.ts';
import type { SymbolicValue } from '../../src/core/template/names/symbolic-value.ts';
import { parseYaml } from '../../src/node/parse-yaml.ts';
import { loadPythonParser } from '../../src/node/python-parser.ts';
import { fileSetOf } from './folder-files.ts';

const parser = await loadPythonParser();

/** The DAGs of `dags/main.py` beside other files. */
export function readPipelines(main: string, others: Readonly<Record<string, string>> = {}): readonly Pipeline[] {
  const files = new Map(Object.entries({ ...others, 'dags/main.py': main }));
  const { files: readings } = createWorkspaceReader(parser, { ...defaultReaderOptions, parseYaml }).read(
    fileSetOf(files),
  );
  return readings.flatMap(({ pipelines }) => pipelines);
}

/** Their tasks. */
export const readTasks = (main: string, others: Readonly<Record<string, string>> = {}): readonly Task[] =>
  readPipelines(main, others).flatMap(({ tasks }) => tasks);

/** A DAG file whose one task runs these lines of Python, with the imports in front of them. */
export function bodyFile(lines: string, imports = ''): string {
  const body = lines
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
  return `from airflow import DAG\nfrom airflow.operators.python import PythonOperator\n${imports}\ndef work(ds, **context):\n${body}\n\nwith DAG("d"):\n    PythonOperator(task_id="t", python_callable=work)\n`;
}

/** The task of a {@link bodyFile}. */
export function readBody(lines: string, imports = '', others: Readonly<Record<string, string>> = {}): Task {
  const [task] = readTasks(bodyFile(lines, imports), others);
  if (task === undefined) throw new Error('no task was read');
  return task;
}

/** An access in one line: `write shop.orders append by to_sql`; a mode that no argument says is marked. */
export function accessInWords({ direction, table, by, mode, partition, key }: TableAccess): string {
  const parts = [
    direction,
    nameInWords(table.value),
    mode && `${mode.value}${mode.at === undefined ? ' (default)' : ''}`,
    `by ${by}`,
    partition && `partition ${nameInWords(partition.value)}`,
    key.length > 0 && `key ${key.join(',')}`,
  ];
  return parts.filter((part) => typeof part === 'string').join(' ');
}

const nameInWords = (value: SymbolicValue): string => (value.kind === 'literal' ? String(value.value) : value.kind);

/** Kind and target of every statement that a task sends, in order. */
export const statementsInWords = (task: Task): readonly string[] =>
  task.sql.flatMap(({ reading }) =>
    reading.statements.map(({ kind, target, reads }) =>
      [kind, target?.name, ...reads.map(({ name }) => `< ${name}`)].filter((part) => part !== undefined).join(' '),
    ),
  );
