import { expect, test } from 'vitest';
import { checkFiles } from '../../support/check-files.ts';
import { workspace } from './workspace.ts';

const day = "d = '{{ ds }}'";
const either = (one: string, other: string): string => `{% if params.x %}${one}{% else %}${other}{% endif %}`;
const fills = (where = `where ${day}`): string => `insert into t select d, n from s ${where};`;

function factsOf(sql: string): readonly string[] {
  const found = workspace({ d: { tasks: { t: sql } } }).facts.get('d.t');
  const writes = (found?.writes ?? []).map(({ table, mode, slice }) => `${table} ${mode} ${slice.kind}`);
  const reads = (found?.reads ?? []).map(({ table, window }) => `${table} ${window.kind}`);
  const places = (found?.unknowns ?? []).map(({ about, at }) => `${about}: ${sql.slice(at?.start, at?.end)}`);
  return [...writes, ...reads, ...places];
}

test.each([
  [
    'another way to make room',
    either('truncate t;', `delete from t where ${day};`) + fills(),
    ['t unknown unknown', 's range', `slice: ${day}`],
  ],
  [
    'none',
    `{% if params.x %}delete from t where ${day};{% endif %}${fills()}`,
    ['t unknown unknown', 's range', `slice: ${day}`],
  ],
  [
    'other bounds',
    `delete from t where ${either(day, `date_trunc('month', d) = date_trunc('month', '{{ ds }}'::date)`)}; ${fills()}`,
    ['t delete+insert unknown', 's range', expect.stringMatching(/^slice: date_trunc/)],
  ],
  [
    'other rows of a source',
    `delete from t where ${day}; insert into t select '{{ ds }}', n from s ${either(`where ${day}`, "where d > '{{ macros.ds_add(ds, -7) }}' and d <= '{{ ds }}'")}`,
    ['t delete+insert range', 's unknown', expect.stringMatching(/^window: d > /)],
  ],
  [
    'a condition beside',
    `delete from t where ${day} ${either('and n > 1', 'and n > 2')}; ${fills()}`,
    ['t delete+insert range', 's range'],
  ],
  [
    'the same condition twice',
    `${either(`delete from t where ${day};`, '')}${either(fills(), '')}`,
    ['t delete+insert range', 's range'],
  ],
  [
    'a condition that always holds',
    `{% if true %}delete from t where ${day};{% endif %}${fills()}`,
    ['t delete+insert range', 's range'],
  ],
])('%s in another branch', (_, sql, said) => expect(factsOf(sql)).toEqual(said));

const dag = (sql: string) => ({
  'dags/d.py': `import pendulum
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator
with DAG("d", schedule="@daily", start_date=pendulum.datetime(2026, 1, 1, tz="UTC"), catchup=True, default_args={"retries": 2}):
    PostgresOperator(task_id="t", sql="""${sql}""")
`,
});

test.each([
  [either('truncate t;', `delete from t where ${day};`) + fills(), ['warning whole-target-overwrite params.x']],
  [either(`delete from t where ${day};`, 'truncate t;') + fills(), ['warning whole-target-overwrite not params.x']],
  [`{% if not params.x %}delete from t where ${day};{% endif %}${fills()}`, ['warning plain-insert params.x']],
  [
    `{% if params.x == 1 %}${fills()}{% elif params.x == 2 %}truncate t;${fills()}{% else %}delete from t where ${day};${fills()}{% endif %}`,
    ['warning plain-insert params.x == 1', 'warning whole-target-overwrite params.x == 2'],
  ],
  // In each branch: nothing depends on it.
  [either('select 1;', 'select 2;') + fills(), ['error plain-insert']],
  [either(`delete from t where ${day};`, `delete from t where ${day} and true;`) + fills(), []],
])('what is so in one branch only is said with its condition: %s', (sql, said) => {
  const found = checkFiles(dag(sql)).filter(({ severity }) => severity === 'error' || severity === 'warning');
  const when = /That is so when (.*), which the template decides/;
  expect(
    found.map(({ rule, severity, message }) => [severity, rule, ...(when.exec(message)?.slice(1) ?? [])].join(' ')),
  ).toEqual(said);
});
