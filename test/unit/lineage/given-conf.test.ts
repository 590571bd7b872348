import { expect, test } from 'vitest';
import type { TaskFacts } from '../../../src/core/lineage/facts/facts.ts';
import { windowInWords } from '../../../src/core/lineage/facts/window-words.ts';
import { factsOf } from '../../support/check-files.ts';

const day = "{% if dag_run.conf.get('FOR_DAY') %}{{ dag_run.conf['FOR_DAY'] }}{% else %}{{ ds }}{% endif %}";

const dag = (schedule: string, sql: string): string => `import pendulum
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("d", schedule=${schedule}, start_date=pendulum.datetime(2024, 1, 1, tz="UTC"), catchup=False):
    SQLExecuteQueryOperator(task_id="t", conn_id="w", sql="""${sql}""")
`;

const pair = (value: string): string =>
  `DELETE FROM mart.f WHERE day = '${value}'; INSERT INTO mart.f SELECT * FROM raw.f WHERE day = '${value}';`;

function factsFor(schedule: string, sql: string): TaskFacts {
  const facts = factsOf({ 'dags/d.py': dag(schedule, sql) }).facts.get('d.t');
  if (facts === undefined) throw new Error('not read');
  return facts;
}

test.each([
  ['a branch of the template', pair(day)],
  ['a default', pair('{{ dag_run.conf.get("day", ds) }}')],
  [
    'a name that the template sets',
    `{% set day = dag_run.conf["day"] if dag_run and dag_run.conf and "day" in dag_run.conf else ds %}${pair('{{ day }}')}`,
  ],
  [
    'names in both branches of a text',
    pair("{% if 'day' in dag_run.conf %}{{ dag_run.conf.day }}{% else %}{{ macros.ds_add(ds, 0) }}{% endif %}"),
  ],
])('what a run may be handed is not there in runs of a schedule: %s', (_, sql) => {
  const { reads, writes, unknowns } = factsFor('"@daily"', sql);
  expect(unknowns).toEqual([]);
  expect(writes[0]?.slice).toMatchObject({ kind: 'range', column: 'day' });
  expect(reads.map(({ window }) => windowInWords(window))).toEqual([
    '[day of start (UTC), day of start (UTC) + 1 day)',
  ]);
});

test('a DAG that somebody starts may be handed another day, so its slice is not known', () => {
  const { writes } = factsFor('None', pair('{{ dag_run.conf.get("day", ds) }}'));
  expect(writes[0]?.slice).toMatchObject({ kind: 'unknown' });
});
