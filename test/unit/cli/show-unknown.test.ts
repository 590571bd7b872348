import { createColors } from 'picocolors';
import { expect, test } from 'vitest';
import { showJson } from '../../../src/cli/reporters/show/show-json.ts';
import type { ShowReport } from '../../../src/cli/reporters/show/show-report.ts';
import { showText } from '../../../src/cli/reporters/show/show-text.ts';
import { showUnknownText } from '../../../src/cli/reporters/show/show-unknown-text.ts';
import type { TaskFacts, Unknown } from '../../../src/core/lineage/facts/facts.ts';
import type { TaskId } from '../../../src/core/pipeline/model/model.ts';
import { readConfig } from '../../../src/node/config/read-config.ts';
import { factsOf } from '../../support/check-files.ts';

const file = 'dags/shop.py';
const text = `import pendulum
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("shop", schedule="@daily", start_date=pendulum.datetime(2026, 1, 1), catchup=False):
    SQLExecuteQueryOperator(task_id="sums", conn_id="w", sql="""
        DELETE FROM mart.sums WHERE day = '{{ ds }}';
        INSERT INTO mart.sums SELECT day, n FROM mart.clean WHERE day = '{{ ds }}';""")
    SQLExecuteQueryOperator(task_id="other", conn_id="w", sql="SELECT 1")
`;
const start = text.indexOf('mart.clean');
const unknown: Unknown = {
  task: 'shop.sums',
  about: 'window',
  table: 'mart.clean',
  message: 'Which part of mart.clean it reads is not known.',
  at: { file, start, end: start + 10 },
};
const read = factsOf({ [file]: text });
const sums = { ...(read.facts.get('shop.sums') as TaskFacts), unknowns: [unknown] };
const report: ShowReport = {
  facts: { ...read, facts: new Map<TaskId, TaskFacts>([...read.facts, ['shop.sums', sums]]) },
  pipelines: read.pipelines,
  problems: [],
  text: (name) => (name === file ? text : undefined),
  fileName: (name) => name,
};
const colors = createColors(false);

test('text groups what is known with where it was said, what is not with its place, and counts', () => {
  const lines = showText(report, colors).split('\n');
  expect(lines).toContainEqual(
    expect.stringMatching(/^ {4}writes mart\.sums +delete\+insert .* from SQL, dags\/shop\.py:8$/),
  );
  expect(lines).toContainEqual(expect.stringMatching(/^ {4}reads +mart\.clean +day in .* from SQL, dags\/shop\.py:8$/));
  expect(lines).toContain('    unknown Which part of mart.clean it reads is not known.  dags/shop.py:8');
  expect(lines.at(-2)).toBe(
    '1 pipeline, 2 tasks: 1 read whole, 1 partly; show --unknown says what to declare in backfill.yaml',
  );
});

test('what stands in the way of several tasks is said once, with those that it frees', () => {
  const other = { ...(read.facts.get('shop.other') as TaskFacts), unknowns: [{ ...unknown, task: 'shop.other' }] };
  const facts = new Map<TaskId, TaskFacts>([...read.facts, ['shop.sums', sums], ['shop.other', other]]);
  const shown = showUnknownText({ ...report, facts: { ...read, facts } }, colors);
  expect(shown).toContain('shop.sums, shop.other  2 tasks with nothing else unknown\n  Which part of mart.clean');
  expect(shown.split('Which part of mart.clean').length).toBe(2);
});

test('only what is not known, and an entry that can be pasted', () => {
  const shown = showUnknownText(report, colors);
  expect(shown).toContain('shop.sums\n  Which part of mart.clean it reads is not known.  dags/shop.py:8\n');
  expect(shown).not.toContain('shop.other');
  const yaml = shown.slice(shown.indexOf('\ntasks:\n'));
  const { config, problems } = readConfig('backfill.yaml', `version: 1\n${yaml}`);
  expect(problems).toEqual([]);
  expect(config.declared.get('shop.sums')?.reads).toMatchObject([{ table: 'mart.clean' }]);
});

test('JSON has provenance, places and unknowns beside what it had', () => {
  const { version, summary, pipelines } = JSON.parse(showJson(report));
  expect(version).toBe(1);
  expect(summary).toEqual({ pipelines: 1, tasks: 2, whole: 1, partly: 1, graphOnly: 0 });
  const [task] = pipelines[0].tasks;
  const at = { file, range: { start: { line: 8, column: 50 }, end: { line: 8, column: 60 } } };
  expect(task.reads).toMatchObject([{ table: 'mart.clean', from: 'sql', at }]);
  expect(task.unknowns).toEqual([{ about: 'window', table: 'mart.clean', message: unknown.message, at }]);
});
