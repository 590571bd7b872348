import { expect, test } from 'vitest';
import { matchDag } from '../../../src/core/scheduler/match/match-dag.ts';
import type { DeployedDag } from '../../../src/core/scheduler/port/scheduler.ts';
import { readPipelines } from '../../support/read-tasks.ts';

const dagFile = (tasks: readonly string[], schedule = '"@daily"') => `
from datetime import datetime, timedelta
from airflow import DAG
from airflow.operators.bash import BashOperator
with DAG("d", schedule=${schedule}, start_date=datetime(2026, 1, 1)):
${tasks.map((task) => `    BashOperator(task_id=${task}, bash_command="true")`).join('\n')}
`;
const pipelineOf = (file: string) => {
  const [pipeline] = readPipelines(file);
  if (pipeline === undefined) throw new Error('no DAG was read');
  return pipeline;
};
const deployed = (more: Partial<DeployedDag> = {}, tasks: readonly string[] = ['a', 'b']): DeployedDag => ({
  id: 'd',
  paused: false,
  active: true,
  importErrors: false,
  schedule: '0 0 * * *',
  maxActiveRuns: 16,
  tasks: tasks.map((id) => ({ id, operator: 'BashOperator', pool: 'default_pool', poolSlots: 1 })),
  ...more,
});
const here = pipelineOf(dagFile(['"a"', '"b"']));
const codes = (pipeline: typeof here, there: DeployedDag | undefined) =>
  matchDag(pipeline, there).map(({ code, stops }) => `${code}${stops ? '!' : ''}`);

test('a DAG that is deployed as it is here differs in nothing, a preset being its cron', () => {
  expect(codes(here, deployed())).toEqual([]);
  expect(codes(here, deployed({ schedule: '@daily' }))).toEqual([]);
});

test('what keeps a DAG from running there, and what is another there, is said', () => {
  expect(codes(here, undefined)).toEqual(['missing!']);
  expect(codes(here, deployed({ paused: true, importErrors: true }))).toEqual(['import-errors', 'paused!']);
  expect(codes(here, deployed({ active: false }))).toEqual(['not-active!']);
  expect(codes(here, deployed({ schedule: '0 1 * * *' }))).toEqual(['other-schedule!']);
  const [difference] = matchDag(here, deployed({}, ['a', 'c']));
  expect(difference?.message).toBe('d is deployed without b and with c, which is not here');
});

test('what cannot be compared is not said to differ', () => {
  const open = pipelineOf(dagFile(['"a"', 'name()']));
  expect(codes(open, deployed({}, ['a', 'whatever']))).toEqual([]);
  expect(codes(here, deployed({ schedule: '1 day, 0:00:00' }))).toEqual([]);
  expect(codes(pipelineOf(dagFile(['"a"', '"b"'], 'timedelta(days=1)')), deployed())).toEqual([]);
});
