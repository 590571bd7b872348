import { expect, test } from 'vitest';
import { factsOf } from '../../support/check-files.ts';

/** Who runs a task whose DAG has these arguments. */
function executorOf(dagArguments: string, sql = "SELECT '{{ ds }}', '{{ params.shop | upper }}'", task = ''): string {
  const facts = factsOf({
    'dags/one.py': `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
import jinja2
from helpers import macros, day_of, quoted

with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False, ${dagArguments}):
    SQLExecuteQueryOperator(task_id="load", conn_id="dw"${task}, sql="""${sql}""")
`,
  });
  const executor = facts.tasks.get('one.load')?.task.executor;
  return executor?.kind === 'warehouse' ? 'here' : `${executor?.kind}: ${executor?.reason}`;
}

const by = (name: string): string => `airflow: its DAG renders templates with ${name}`;

test.each([
  ['render_template_as_native_obj=True', 'here'],
  ['render_template_as_native_obj=NATIVE', 'here'],
  ['render_template_as_native_obj=False', 'here'],
  ['template_undefined=jinja2.Undefined', by('template_undefined')],
  ['template_undefined=jinja2.StrictUndefined', 'here'],
  ['template_undefined=None', 'here'],
  ['user_defined_macros={"ds": day_of}', by('user_defined_macros: ds')],
  ['user_defined_macros={"day_of": day_of}', 'here'],
  ['user_defined_macros=macros', by('user_defined_macros')],
  ['user_defined_macros={**macros, "day_of": day_of}', by('user_defined_macros')],
  ['user_defined_macros={"params": {"shop": "x"}}', by('user_defined_macros: params')],
  ['user_defined_macros={"shop": {"name": "x"}}', 'here'],
  ['user_defined_macros={"shop": lambda: "x"}', 'here'],
  ['user_defined_macros={"shop": lambda: day_of()}', by('user_defined_macros: shop')],
  ['user_defined_macros={"shop": lambda *names: 1}', by('user_defined_macros: shop')],
  ['user_defined_filters={"upper": lambda text: text + "!"}', 'here'],
  ['user_defined_macros={}', 'here'],
  ['user_defined_macros=None', 'here'],
  ['user_defined_filters={"upper": quoted}', by('user_defined_filters: upper')],
  ['user_defined_filters={"quoted": quoted}', 'here'],
  ['user_defined_filters=dict(upper=quoted)', by('user_defined_filters: upper')],
  ['jinja_environment_kwargs={"trim_blocks": True}', by('jinja_environment_kwargs')],
  ['jinja_environment_kwargs={}', 'here'],
  ['max_active_runs=1', 'here'],
])('a text with templates under %s runs %s', (given, expected) => {
  expect(executorOf(given)).toBe(expected);
});

test.each([
  ['render_template_as_native_obj=True', 'here'],
  ['template_undefined=jinja2.Undefined', 'here'],
  ['user_defined_macros=macros', 'here'],
  ['user_defined_filters=macros', 'here'],
  ['jinja_environment_kwargs={"trim_blocks": True}', 'here'],
  // Other delimiters make a template of what looks plain.
  ['jinja_environment_kwargs={"variable_start_string": "<<"}', by('jinja_environment_kwargs')],
  ['jinja_environment_kwargs=macros', by('jinja_environment_kwargs')],
])('a text without templates under %s runs %s', (given, expected) => {
  expect(executorOf(given, "SELECT '<<ds>>'")).toBe(expected);
});

test.each([
  ["-- day by day\nSELECT '{{ ds }}'", 'here'],
  ['/* (1, 2) */ {% if params.shop %}SELECT 1{% endif %}', by('render_template_as_native_obj')],
  ["SELECT 1{% if params.shop %}, '{{ ds }}'{% endif %}", 'here'],
  // The whole text is one expression, whose value may be a number.
  ['{{ params.shop }}', by('render_template_as_native_obj')],
  // The captured text reads as a number: 0010 would become 10.
  ['SELECT {% set shop %}{{ params.shop }}{% endset %}{{ shop }}', by('render_template_as_native_obj')],
])('with native objects, as a task may ask for by itself, %s runs %s', (sql, expected) => {
  expect(executorOf('max_active_runs=1', sql, ', render_template_as_native_obj=True')).toBe(expected);
  expect(executorOf('render_template_as_native_obj=True', sql)).toBe(expected);
});

test('native objects may make a number of a parameter', () => {
  const given = ', parameters={"shop": "{{ params.shop }}"}';
  expect(executorOf('render_template_as_native_obj=True', "SELECT %(shop)s, '{{ ds }}'", given)).toBe(
    by('render_template_as_native_obj'),
  );
});

test('a float that is a whole number is no param, because plain data has it as an integer', () => {
  const facts = factsOf({
    'dags/one.py': `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), params={"n": 2, "half": 0.5, "whole": 2.0}):
    SQLExecuteQueryOperator(task_id="load", conn_id="dw", sql="SELECT 3 / {{ params.whole }}")
`,
  });
  expect(facts.tasks.get('one.load')?.task.params).toEqual({ n: 2, half: 0.5 });
});
