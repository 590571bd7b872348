import { readFileSync } from 'node:fs';
import type { TaskSql } from '../../../src/core/pipeline/model/model.ts';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parser = await loadPythonParser();
const ownNames = readFileSync('scripts/jinja/own_names.py', 'utf8');

/** A template as the reader understands it whose DAG adds names, filters and a folder of modules to Jinja. */
export function ownSql(template: string, modules: Readonly<Record<string, string>>): TaskSql | undefined {
  const files = new Map([
    [
      'dags/own.py',
      `from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
${ownNames}
with DAG("own", start_date=datetime(2024, 1, 1), schedule="@daily", template_searchpath=["/opt/sql"],
         user_defined_macros=MACROS, user_defined_filters=FILTERS):
    SQLExecuteQueryOperator(task_id="load", conn_id="dw", sql=${JSON.stringify(template)})
`,
    ],
    ...Object.entries(modules).map(([path, text]) => [`sql/${path}`, text] as const),
  ]);
  const { files: readings } = createWorkspaceReader(parser, defaultReaderOptions).read(fileSetOf(files));
  const own = readings.flatMap(({ pipelines }) => pipelines).find(({ id }) => id === 'own');
  return own?.tasks[0]?.sql[0];
}
