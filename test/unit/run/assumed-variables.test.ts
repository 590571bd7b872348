import { expect, test } from 'vitest';
import { makeTaskSql } from '../../../src/core/pipeline/model/make-task-sql.ts';
import type { Pipeline, Task } from '../../../src/core/pipeline/model/model.ts';
import type { Plan } from '../../../src/core/plan/model/plan.ts';
import { assumedVariables } from '../../../src/core/run/preflight/assumed-variables.ts';
import { wholeFile } from '../../../src/core/text/mapped-text.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';

const [start, end] = [instant(Date.UTC(2026, 10, 28)), instant(Date.UTC(2026, 10, 29))];

/** What is said of a plan of two intervals of one task with these texts. */
function said(texts: readonly string[], given: Partial<Parameters<typeof assumedVariables>[2]> = {}, ofDag = {}) {
  const sql = texts.map((text, index) => makeTaskSql(wholeFile(`${index}.sql`, text), [], 'postgres', 'file'));
  const task = { id: 'shop.daily', name: 'daily', sql, params: {} } as unknown as Task;
  const schedule = { value: { kind: 'cron' } };
  const pipeline = { id: 'shop', zone: 'UTC', airflowVersion: 2, schedule, given: ofDag } as unknown as Pipeline;
  const unit = { task: 'shop.daily', data: { start, end }, executor: { kind: 'warehouse', connection: undefined } };
  const plan = { units: [unit, unit], byTask: new Map([['shop.daily', [0, 1]]]) } as unknown as Plan;
  const known = { tasks: new Map([['shop.daily', { task, pipeline }]]) };
  return assumedVariables(plan, known, { variables: {}, params: {}, ...given }).map(({ message }) => message);
}

test('a default that is taken in place of a Variable nobody has given is said once for a task, with its value', () => {
  const condition = "SELECT 1 WHERE region = '{{ var.value.get('region', 'eu') }}'";
  expect(said([condition, condition])).toEqual([
    'shop.daily takes the default "eu" of the Variable "region", which has no value here; where Airflow has one, its own runs take that. Give it under variables in backfill.yaml.',
  ]);
  const branch = "{% if var.json.get('load', default_var={}) %}TRUNCATE t;{% endif %}";
  expect(said(["{% if var.value.get('full', 'no') == 'yes' %}TRUNCATE t;{% endif %} SELECT 1"])).toHaveLength(1);
  // What cannot be rendered is refused with its own words.
  expect(said([branch])).toEqual([]);
});

test('nothing is said where the value is given, of all or of one DAG, nor where no default is asked for', () => {
  const condition = "SELECT 1 WHERE region = '{{ var.value.get('region', 'eu') }}'";
  expect(said([condition], { variables: { region: 'us' } })).toEqual([]);
  expect(said([condition], {}, { variables: { region: 'us' } })).toEqual([]);
  expect(said(["SELECT '{{ var.value.region }}', '{{ ds }}'"])).toEqual([]);
});
