import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { renderTemplate } from '../../../src/core/template/render/render.ts';
import type { TemplateContext } from '../../../src/core/template/render/template-context.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { lawRuns } from '../../support/laws.ts';

// Random laws take their time on a busy machine; none of them is about time.
vi.setConfig({ testTimeout: 60_000 });

const context: TemplateContext = {
  interval: { start: instant(Date.UTC(2026, 10, 28)), end: instant(Date.UTC(2026, 10, 29)) },
  zone: 'Europe/Berlin',
  dagId: 'shop_daily',
  taskId: 'load',
  params: { table: 'orders', list: [1, null], n: 3 },
  variables: { schema: 'mart', number: 7, cfg: { a: { b: 1 } }, json: '{"a": [1, 2]}', list: [1] },
  airflowVersion: 2,
};
const render = (text: string, changes: Partial<TemplateContext> = {}) =>
  renderTemplate(text, { ...context, ...changes });
const rendered = (text: string, changes: Partial<TemplateContext> = {}): string => {
  const result = render(text, changes);
  return result.ok ? result.text : `refused: ${result.reason}`;
};

test('the tick before is that of the schedule, under Airflow 2', () => {
  const previousTick = () => instant(Date.UTC(2026, 10, 26, 8, 30));
  const text = "'{{ prev_ds }}' '{{ prev_ds_nodash }}' '{{ prev_execution_date }}' {{ prev_execution_date.hour }}";
  expect(rendered(text, { previousTick })).toBe("'2026-11-26' '20261126' '2026-11-26 08:30:00+00:00' 8");
  expect(rendered('{{ prev_ds }}', { previousTick, airflowVersion: 3 })).toBe(
    'refused: "prev_ds" was removed in Airflow 3',
  );
});

describe('refusals', () => {
  test.each([
    ["select '{{ ds }}', {{ missing }}", 'missing', /"missing" is not a name/],
    ['a\r\nb {{ missing }}', 'missing', /missing/],
    ['{% if missing %}x{% endif %}', 'if missing', /missing/],
    ['{% for x in missing %}x{% endfor %}', 'for x in missing', /missing/],
    ['{% if true %}{{ conn.warehouse.password }}{% endif %}', 'conn.warehouse.password', /connections/],
    ['{{ prev_ds }}', 'prev_ds', /schedule has none/],
    ['{{ run_id }}', 'run_id', /this run/],
    ["{{ dag_run.conf['x'] }}", "dag_run.conf['x']", /"x" is not defined/],
    ["{{ ti.xcom_pull(task_ids='a') }}", "ti.xcom_pull(task_ids='a')", /other runs/],
    ['{{ macros.datetime.now() }}', 'macros.datetime.now()', /clock/],
    ['{{ macros.uuid.uuid4() }}', 'macros.uuid.uuid4()', /random/],
    ['{{ var.value.nowhere }}', 'var.value.nowhere', /"nowhere" has no value/],
    ['{{ var.value.list }}', 'var.value.list', /not a text/],
    ['{{ var.json.schema }}', 'var.json.schema', /not JSON/],
    ['{{ ds.__class__ }}', 'ds.__class__', /no attribute/],
    ['{{ ds', '{{ ds', /not closed/],
    ['{% if true %}x', '', /"{% endif %}" is missing/],
    ['{% include "a.sql" %}', 'include "a.sql"', /"include" is not supported/],
    ['{{ ds | shout }}', 'ds | shout', /"shout" is not supported/],
    ['{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}', 'm()', /too often/],
  ])('%j', (text, expression, reason) => {
    const result = render(text);
    expect(result).toMatchObject({ ok: false, expression, reason: expect.stringMatching(reason) });
    if (!result.ok) expect(text.slice(result.start, result.end)).toBe(expression);
  });

  test('a conf that somebody hands over is not known, that of a schedule is empty', () => {
    const text = "{% if dag_run.conf.get('d') %}{{ dag_run.conf['d'] }}{% else %}{{ ds }}{% endif %}";
    expect(rendered(text)).toBe('2026-11-28');
    expect(rendered(text, { conf: 'unknown' })).toMatch(/refused: "dag_run.conf" depends on .* this run/);
  });

  test('old names are refused in Airflow 3', () => {
    for (const name of [
      'execution_date',
      'next_ds',
      'yesterday_ds',
      'tomorrow_ds_nodash',
      'next_execution_date',
      'dag_run.execution_date',
    ])
      expect(rendered(`{{ ${name} }}`, { airflowVersion: 3 })).toMatch(/removed in Airflow 3/);
  });

  test('the next tick is not told by an empty interval', () => {
    const interval = { start: context.interval.start, end: context.interval.start };
    expect(rendered('{{ next_ds }}', { interval })).toMatch(/next tick/);
    expect(rendered('{{ data_interval_end | ds }}', { interval })).toBe('2026-11-28');
  });
});

describe('values', () => {
  test.each([
    ['{{ var.value.schema }}.{{ params.table }}', 'mart.orders'],
    ['{{ var.value.number }} {{ var.json.number }}', '7 7'],
    ['{{ var.json.cfg.a.b }} {{ var.json.json.a[1] }}', '1 2'],
    ["{{ var.value.get('nowhere', 'x') }}", 'x'],
    ['{{ params.list[1] }} {{ params.list | last }}', 'None None'],
    ["{{ params.list[1] | default('x') }}", 'None'],
    ["{{ params.get('none') }}", 'None'],
    ['{{ dag.dag_id }}.{{ task.task_id }} {{ task_instance_key_str }}', 'shop_daily.load shop_daily__load__20261128'],
    ["{{ data_interval_start.in_timezone('Europe/Berlin') }}", '2026-11-28 01:00:00+01:00'],
    ['{{ params.n | tojson }}', '3'],
  ])('%s', (text, expected) => {
    expect(rendered(text)).toBe(expected);
  });

  test('are not changed by a template', () => {
    const params = { list: ['a'] };
    expect(rendered("{% do params.list.append('b') %}{{ params.list | join }}", { params })).toBe('ab');
    expect(params).toEqual({ list: ['a'] });
  });

  test.each([
    '{{ params.n | tojson ~ "<" }}',
    '{{ (params.n | tojson) is string }}',
    '{{ params.n | tojson | replace("3", "<") }}',
  ])('%s would be escaped, so it is refused', (text) => {
    expect(rendered(text)).toMatch(/refused/);
  });
});

describe('limits', () => {
  test.each([
    ["{{ 'a' * 1000000000 }}"],
    ['{{ 2 ** 100000 }}'],
    ["{{ 'a'.zfill(1000000000) }}"],
    ['{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}'],
    ['{% if true %}'.repeat(5000)],
    ["{% set a = 'x' * 1000000 %}{% set b = a ~ a ~ a ~ a ~ a ~ a ~ a ~ a ~ a ~ a %}{% set c = b ~ b ~ b %}{{ c }}"],
    ['{{ logical_date.add(years=100000) }}'],
  ])('%s is refused', (text) => {
    expect(rendered(text)).toMatch(/refused/);
  });
});

test('text without tags is the same, newlines apart', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((text) => !/\{[{%#]/.test(text)),
      (text) => {
        expect(rendered(text)).toBe(text.replace(/\r\n?/g, '\n').replace(/\n$/, ''));
      },
    ),
  );
});

test('any text is rendered or refused', () => {
  const words = fc.constantFrom(
    '{{',
    '}}',
    '{%',
    '%}',
    '{#',
    '#}',
    '{{ ds }}',
    '{% if ds %}',
    '{% else %}',
    '{% elif ds %}',
    '{% endif %}',
    '{% for a in params.list %}',
    '{% endfor %}',
    '{% set x = 1 %}',
    '{% set x %}',
    '{% endset %}',
    '{% raw %}',
    '{% endraw %}',
    '{%- ',
    ' -%}',
    '{{- a }}',
    '{% macro m(a) %}',
    '{% endmacro %}',
    '{{ m(1) }}',
    '{% with a = 1 %}',
    '{% endwith %}',
    '{% filter upper %}',
    '{% endfilter %}',
    '\r\n',
    '\n',
    ' ',
    'x',
    "'",
    '|',
    '.',
    '(',
    ')',
    'ds',
    'loop',
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), (list) => {
      const text = list.join('');
      const result = render(text);
      if (result.ok) return;
      expect(result.reason).not.toBe('');
      expect(result.end).toBeGreaterThanOrEqual(result.start);
      expect(result.end).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: lawRuns(1000) },
  );
});
