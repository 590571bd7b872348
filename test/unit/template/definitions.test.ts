import { expect, test } from 'vitest';
import { formatTime } from '../../../src/core/template/bounds/format-time.ts';
import { maskTemplate } from '../../../src/core/template/mask/mask.ts';
import { renderTemplate } from '../../../src/core/template/render/render.ts';
import { exactTime } from '../../../src/core/time/expressions/evaluate-time.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { ownSql } from './own-sql.ts';

const modules = {
  'dates.sql': `{% macro before(day, days=1) %}{{ macros.ds_add(day, -days) }}{% endmacro %}
{% macro month(at) -%} {{ at.strftime('%Y-%m-01') }} {%- endmacro %}
{% set zone = 'Europe/Berlin' %}
{% macro many(days) %}{% for day in days %}{{ day }}{% endfor %}{% endmacro %}`,
};
const intervals = [
  ['2024-03-01T00:00Z', '2024-03-02T00:00Z'],
  ['2024-03-30T23:00Z', '2024-03-31T22:00Z'],
  ['2023-12-31T13:05Z', '2024-01-01T13:05Z'],
].map(([start = '', end = '']) => ({ start: instant(Date.parse(start)), end: instant(Date.parse(end)) }));

test.each([
  ['', 'own_day_before(ds)'],
  ['', 'own_days_back(ds, 3)'],
  ['', 'own_days_back(own_day_before(ds), days=own_days)'],
  ['', 'macros.ds_add(ds, -own_settings.days)'],
  ['', 'own_hour(data_interval_start)'],
  ['', 'own_first_of_month(logical_date)'],
  ['', 'own_year(ds)'],
  ['', 'own_local(data_interval_end)'],
  ['', '(logical_date - timedelta(days=1)) | ds'],
  ['', '(logical_date - dt.timedelta(days=2)) | ds'],
  ['', "datetime.strptime(ds, '%Y-%m-%d').strftime('%d.%m.%Y')"],
  ['', 'ds | own_plus(2)'],
  ['{% set day = macros.ds_add(ds, -1) %}', 'day'],
  ['{%- set day = ds -%}', "day.replace('-', '')"],
  ['{% set a = ds %}{% set b = macros.ds_add(a, 1) %}', 'macros.ds_add(b, 1)'],
  ['{% set ds = macros.ds_add(ds, -3) %}', 'ds'],
  ['{% set day %}{{ ds }} 00:00:00{% endset %}', 'day'],
  ['{% set zone = "Europe/Berlin" %}', 'data_interval_end.in_timezone(zone) | ds'],
  ['{% set settings = {"back": 7} %}', 'macros.ds_add(ds, -settings.back)'],
  ['{% macro before(days) %}{{ macros.ds_add(ds, -days) }}{% endmacro %}', 'before(2)'],
  ['{% macro stamp(at) -%} {{ at | ds }}T00:00:00 {%- endmacro %}', 'stamp(data_interval_end)'],
  ["{% from 'dates.sql' import before with context %}", 'before(ds, 2)'],
  ["{% from 'dates.sql' import month as first %}", 'first(logical_date)'],
  ["{% import 'dates.sql' as dates %}", 'dates.month(data_interval_end)'],
  ["{% import 'dates.sql' as dates %}", 'data_interval_start.in_timezone(dates.zone) | ds'],
  ["{% import 'dates.sql' as dates %}{% set start = dates.month(logical_date) %}", 'start'],
])('%s {{ %s }} is read as what it renders', (definitions, expression) => {
  const sql = ownSql(`${definitions}[{{ ${expression} }}]`, modules);
  const value = sql?.masked.holes.at(-1)?.value;
  if (sql === undefined || value?.kind !== 'time') return expect.fail(`read as ${JSON.stringify(value)}`);
  for (const interval of intervals) {
    const context = { interval, zone: 'UTC', dagId: 'own', taskId: 'load', params: {}, variables: {} };
    const rendered = renderTemplate(sql.source.text, { ...context, airflowVersion: 2 }, sql.environment);
    expect(rendered).toEqual({
      ok: true,
      text: `[${formatTime(exactTime(value.time, interval), value.form, value.zone)}]`,
    });
  }
});

const readingOf = (text: string) => maskTemplate(text, []).holes.at(-1)?.value;

test.each([
  ['a loop variable', '{% for ds in ["2024-01-01"] %}{{ ds }}{% endfor %}'],
  ['a name set twice', '{% set day = ds %}{% set day = next_ds %}{{ day }}'],
  ['a name set under a condition', '{% if params.full %}{% set ds = "2024-01-01" %}{% endif %}{{ ds }}'],
  ['a name set to several values', '{% set a, ds = 1, 2 %}{{ ds }}'],
  ['a name of a with block', '{% with ds = next_ds %}{{ ds }}{% endwith %}'],
  ['a macro that is more than one expression', '{% macro ds() %}{% if x %}1{% endif %}{% endmacro %}{{ ds() }}'],
  ['a name made of such a name', '{% for day in x %}{% set y = 1 %}{% endfor %}{% set z = y %}{{ z }}'],
  ['an import that is not found', "{% import 'nowhere.sql' as ds %}{{ ds }}"],
])('%s is not taken for a name of Airflow', (_, text) => {
  expect(readingOf(text)).toEqual({ kind: 'unknown', reason: expect.stringMatching(/is set in the template itself$/) });
});

test('before it is set, a name is what Airflow gives', () => {
  const [first, second] = maskTemplate('{{ ds }}{% set ds = next_ds %}{{ ds }}', []).holes;
  expect(first?.value).toEqual(readingOf('{{ ds }}'));
  expect(second?.value).toEqual(readingOf('{{ next_ds }}'));
});

test('a half-typed tag does not hide what is set', () => {
  expect(readingOf('{% set day = ds %}{% if %} {{ x. {{ day }}')).toEqual(readingOf('{{ ds }}'));
});
