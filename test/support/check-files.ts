import type { DeclaredFacts } from '../../src/core/lineage/facts/declared-facts.ts';
import type { DeclaredSources } from '../../src/core/lineage/facts/declared-sources.ts';
import type { WorkspaceFacts } from '../../src/core/lineage/facts/workspace-facts.ts';
import { buildWorkspaceFacts } from '../../src/core/lineage/workspace/build-workspace-facts.ts';
import { checkWorkspace } from '../../src/core/lint/check.ts';
import type { Finding, Fix } from '../../src/core/lint/model/finding.ts';
import type { FileSet } from '../../src/core/pipeline/model/model.ts';
import { defaultReaderOptions, type ReaderOptions } from '../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../src/node/python-parser.ts';

/** A small workspace in memory: text by path. */
export type Files = Readonly<Record<string, string>>;

const parser = await loadPythonParser();

export const fileSet = (files: Files): FileSet => ({
  paths: () => Object.keys(files).sort(),
  read: (path) => files[path],
});

export function factsOf(
  files: Files,
  options: Partial<ReaderOptions> = {},
  declared: DeclaredFacts = new Map(),
  sources?: DeclaredSources,
): WorkspaceFacts {
  const reader = createWorkspaceReader(parser, { ...defaultReaderOptions, ...options });
  return buildWorkspaceFacts(reader.read(fileSet(files)), declared, sources);
}

export const checkFiles = (
  files: Files,
  options: Partial<ReaderOptions> = {},
  declared: DeclaredFacts = new Map(),
): Finding[] => checkWorkspace(factsOf(files, options, declared), { severities: {} });

/** The files after a fix; edits of one file must not overlap. */
export function applyFix(files: Files, fix: Fix): Files {
  const changed: Record<string, string> = { ...files };
  for (const edit of [...fix.edits].sort((a, b) => b.start - a.start)) {
    const text = changed[edit.file] ?? '';
    changed[edit.file] = text.slice(0, edit.start) + edit.newText + text.slice(edit.end);
  }
  return changed;
}

/** A finding in one line, with the text that it underlines. */
export const inWords = (files: Files, { rule, severity, at }: Finding): string =>
  `${rule} ${severity} «${(files[at.file] ?? '').slice(at.start, at.end)}»`;

/** One daily DAG with one SQL task, for tests that are about the SQL. `more` goes into the DAG's arguments. */
export const dagWith = (sql: string, { schedule = '"@daily"', more = '', task = '' } = {}): Files => ({
  'dags/one.py': `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("one", schedule=${schedule}, start_date=datetime(2024, 1, 1), catchup=False${more}):
    SQLExecuteQueryOperator(task_id="load", conn_id="dw"${task}, sql="""
${sql}
""")
`,
});
