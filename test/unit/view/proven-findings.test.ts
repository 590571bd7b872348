import { expect, test } from 'vitest';
import type { SliceDiff } from '../../../src/core/diff/slice-diff.ts';
import type { Finding } from '../../../src/core/lint/model/finding.ts';
import type { Task } from '../../../src/core/pipeline/model/model.ts';
import type { UnitProof } from '../../../src/core/run/relational/prove/prove.ts';
import { type KeptProof, provenFindings } from '../../../src/core/view/findings/proven-findings.ts';
import { readTasks } from '../../support/read-tasks.ts';

const main = `from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
with DAG("a", schedule="@daily"):
    SQLExecuteQueryOperator(task_id="one", conn_id="w", sql="sql/both.sql")
    SQLExecuteQueryOperator(task_id="two", conn_id="w", sql="sql/both.sql")
`;
const sql = "DELETE FROM mart.t WHERE day = '{{ ds }}';\nINSERT INTO mart.t SELECT CURRENT_DATE;\n";
const tasks = new Map(readTasks(main, { 'dags/sql/both.sql': sql }).map((task) => [task.id, task]));
const task = (id: string): Task | undefined => tasks.get(id);
const text = (file: string): string | undefined => (file === 'dags/sql/both.sql' ? sql : main);

const at = (word: string) => {
  const start = sql.indexOf(word);
  return { file: 'dags/sql/both.sql', start, end: start + word.length };
};
const clock: Finding = {
  rule: 'wall-clock',
  severity: 'hint',
  message: 'It reads the clock.',
  at: at('CURRENT_DATE'),
  related: [],
  fixes: [],
};
const slices = [{ table: 'mart.t' } as SliceDiff];
const different: UnitProof['verdict'] = { kind: 'different', under: 'another plan', slices, statements: [] };
const insert = { at: at('INSERT INTO mart.t'), text: 'INSERT INTO mart.t' };
const kept = (day: number, verdict: UnitProof['verdict'], notCovered: readonly string[] = []): KeptProof => ({
  proof: { unit: `a@${day}`, task: 'a', verdict, varied: [], notCovered, notEmptied: [], leftOut: [] },
  label: `2026-01-0${day}`,
  place: verdict.kind === 'different' ? insert : undefined,
});
const same: UnitProof['verdict'] = { kind: 'no-difference' };
const proven = (proofs: Readonly<Record<string, readonly KeptProof[]>>, findings: readonly Finding[] = [clock]) =>
  provenFindings(findings, task, new Map(Object.entries(proofs)), text);

test('a finding is cleared only where all intervals left the same rows and all was covered', () => {
  expect(proven({ 'a.one': [kept(1, same)] }).findings).toEqual([
    { ...clock, message: 'It reads the clock.\nCleared for 2026-01-01: a second run left the same rows.' },
  ]);
  expect(proven({ 'a.one': [kept(1, same, ['now inside a view'])] }).findings).toEqual([clock]);
  const failed = { kind: 'failed', error: { message: 'no table' } } as UnitProof['verdict'];
  expect(proven({ 'a.one': [kept(1, same), kept(2, failed)] }).findings).toEqual([clock]);
  expect(proven({ 'a.gone': [kept(1, different)] })).toEqual({ findings: [clock], problems: [] });
});

test('of two tasks that share a text the one that differs counts, and a confirmed hint is a warning', () => {
  const one = [kept(1, same)];
  const two = [1, 2, 3, 4].map((day) => kept(day, different));
  for (const proofs of [
    { 'a.one': one, 'a.two': two },
    { 'a.two': two, 'a.one': one },
  ]) {
    expect(proven(proofs)).toMatchObject({
      findings: [
        {
          severity: 'warning',
          message: expect.stringContaining(
            'Confirmed for 2026-01-01 and 3 more intervals: a second run left other rows.',
          ),
        },
      ],
    });
  }
  const error: Finding = { ...clock, severity: 'error' };
  expect(proven({ 'a.two': two }, [error]).findings).toMatchObject([{ severity: 'error' }]);
});

test('a statement that left other rows is marked once, a task that wrote elsewhere at its name', () => {
  const outside: UnitProof['verdict'] = { kind: 'outside', reason: 'it wrote mart.u' };
  const { problems } = proven({ 'a.one': [kept(1, different), kept(2, different)], 'a.two': [kept(3, outside)] }, []);
  expect(problems).toEqual([
    {
      at: insert.at,
      severity: 'warning',
      message: 'Run twice for 2026-01-01, 2026-01-02, this left other rows in mart.t, under another plan.',
    },
    {
      at: task('a.two')?.nameAt,
      severity: 'warning',
      message: 'Run for 2026-01-03, the task wrote outside of its slice: it wrote mart.u',
    },
  ]);
});
