import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { evaluateExpression } from '../../../src/core/template/bounds/evaluate.ts';
import { formatTime } from '../../../src/core/template/bounds/format-time.ts';
import type { SymbolicValue } from '../../../src/core/template/names/symbolic-value.ts';
import { renderTemplate } from '../../../src/core/template/render/render.ts';
import type { DataInterval } from '../../../src/core/time/intervals/data-interval.ts';
import { floorTo } from '../../../src/core/time/zones/floor.ts';
import { type Instant, instant } from '../../../src/core/time/zones/instant.ts';
import { shift } from '../../../src/core/time/zones/shift.ts';
import { lawRuns } from '../../support/laws.ts';
import { commonTimeExpressions } from './common-time-expressions.ts';

// Random laws take their time on a busy machine; none of them is about time.
vi.setConfig({ testTimeout: 60_000 });

/** The plain calendar result of a bound, without the widening that lineage asks of it. */
function valueAt(value: SymbolicValue & { kind: 'time' }, interval: DataInterval): Instant {
  const start = value.time.anchor === 'start' ? interval.start : interval.end;
  return value.time.steps.reduce((at, step) => {
    if (step.kind === 'wall') throw new Error('a template knows no session');
    return step.kind === 'floor' ? floorTo(at, step.unit, step.zone) : shift(at, step.offset, step.zone);
  }, start);
}

const day = 86_400_000;
const render = (expression: string, interval: DataInterval, airflowVersion: 2 | 3 = 2) =>
  renderTemplate(`{{ ${expression} }}`, {
    interval,
    zone: 'Europe/Berlin',
    dagId: 'shop',
    taskId: 'load',
    params: { x: 1, days: 7 },
    variables: {},
    airflowVersion,
  });

describe('evaluation and rendering agree', () => {
  const intervals = fc
    .tuple(
      fc.integer({ min: Date.UTC(2015, 0, 1) / 1000, max: Date.UTC(2030, 0, 1) / 1000 }),
      fc.integer({ min: 1, max: 40 * 86_400 }),
    )
    .map(([start, length]) => ({ start: instant(start * 1000), end: instant((start + length) * 1000) }));
  const onTheHour = fc
    .tuple(
      fc.integer({ min: Date.UTC(2015, 0, 1) / 3_600_000, max: Date.UTC(2030, 0, 1) / 3_600_000 }),
      fc.constantFrom(1, 24, 168, 720),
    )
    .map(([start, length]) => ({ start: instant(start * 3_600_000), end: instant((start + length) * 3_600_000) }));

  test.each(commonTimeExpressions)('%s', (expression) => {
    const value = evaluateExpression(expression);
    expect(value.kind).toBe('time');
    if (value.kind !== 'time') return;
    fc.assert(
      fc.property(fc.oneof(intervals, onTheHour), (interval) => {
        const rendered = render(expression, interval);
        if (rendered.ok) expect(formatTime(valueAt(value, interval), value.form, value.zone)).toBe(rendered.text);
        else expect(rendered.reason).toMatch(/clock change/);
      }),
      { numRuns: lawRuns(40) },
    );
  });

  const part = fc.constantFrom(
    '.subtract(days=1)',
    '.add(days=3)',
    '.add(hours=5)',
    '.subtract(months=1)',
    '.add(weeks=1)',
    ".start_of('month')",
    ".start_of('day')",
    ".start_of('week')",
    ".end_of('month')",
    ".in_timezone('Europe/Berlin')",
    ".in_timezone('UTC')",
    ".in_timezone('America/New_York')",
    ".first_of('quarter')",
    ".last_of('month')",
    '.replace(day=1)',
    '.replace(hour=0, minute=0, second=0)',
    '.naive()',
    ' + macros.timedelta(days=1)',
    ' - macros.timedelta(hours=6)',
  );
  const ending = fc.constantFrom(
    '',
    ' | ds',
    ' | ts',
    ' | ds_nodash',
    ' | ts_nodash',
    '.isoformat()',
    ".strftime('%Y-%m-%d')",
    ".strftime('%Y%m%d%H')",
    '.date()',
    '.to_date_string()',
    ".format('YYYY-MM-DD HH:mm:ss')",
    '.int_timestamp',
    ".strftime('%Y-%m')",
    '.to_datetime_string()',
  );
  const applied = (inner: string, next: string): string => (next.startsWith(' ') ? `(${inner}${next})` : inner + next);
  const chains = fc
    .tuple(fc.constantFrom('logical_date', 'data_interval_end'), fc.array(part, { maxLength: 4 }), ending)
    .map(([name, parts, end]) => parts.reduce<string>(applied, name) + end);

  test('for random chains of methods', () => {
    let compared = 0;
    fc.assert(
      fc.property(chains, fc.oneof(intervals, onTheHour), (expression, interval) => {
        const value = evaluateExpression(expression);
        const rendered = render(expression, interval);
        if (value.kind !== 'time' || !rendered.ok) return;
        compared++;
        expect(formatTime(valueAt(value, interval), value.form, value.zone)).toBe(rendered.text);
      }),
      { numRuns: lawRuns(1000) },
    );
    expect(compared).toBeGreaterThan(lawRuns(300));
  });

  // Clocks that repeat midnight itself, the hour before it, half an hour, or skip midnight; each with a day of a change.
  const changes = [
    ['America/Havana', Date.UTC(2020, 10, 1, 5)],
    ['America/Havana', Date.UTC(2021, 2, 14, 5)],
    ['Atlantic/Azores', Date.UTC(2021, 9, 31, 1)],
    ['Asia/Beirut', Date.UTC(2020, 9, 24, 21)],
    ['America/Santiago', Date.UTC(2022, 3, 3, 3)],
    ['America/Asuncion', Date.UTC(2022, 9, 2, 4)],
    ['Australia/Lord_Howe', Date.UTC(2021, 3, 3, 15)],
    ['Africa/Cairo', Date.UTC(2023, 9, 26, 21)],
  ] as const;
  const ends = ['day', 'week', 'month', 'year'].flatMap((unit) => [`.start_of('${unit}')`, `.end_of('${unit}')`]);
  const written = [
    ' | ds',
    '.date()',
    ".strftime('%Y-%m')",
    '.to_datetime_string()',
    '.add(days=1) | ds',
    '.subtract(days=1) | ds',
  ];

  test.each(changes)('around the clock change of %s at %i', (zone, change) => {
    let compared = 0;
    for (const boundary of ends)
      for (const ending of written) {
        const expression = `data_interval_start.in_timezone('${zone}')${boundary}${ending}`;
        const value = evaluateExpression(expression);
        if (value.kind !== 'time') continue;
        for (let minutes = -33 * 60; minutes <= 33 * 60; minutes += 30) {
          const start = instant(change + minutes * 60_000);
          const interval = { start, end: instant(start + day) };
          const rendered = render(expression, interval);
          if (!rendered.ok) continue;
          compared++;
          const told = `${expression} at ${new Date(start).toISOString()}`;
          expect([told, formatTime(valueAt(value, interval), value.form, value.zone)]).toEqual([told, rendered.text]);
        }
      }
    expect(compared).toBeGreaterThan(2000);
  });
});

describe('what an expression stands for', () => {
  const floorDay = { kind: 'floor', unit: 'day', zone: 'UTC' };
  const days = (count: number) => ({ kind: 'shift', offset: { months: 0, days: count, ms: 0 }, zone: 'UTC' });
  const time = (anchor: string, steps: unknown[], form: unknown) => ({ kind: 'time', time: { anchor, steps }, form });

  test.each([
    ['ds', time('start', [floorDay], 'date')],
    ['next_ds', time('end', [floorDay], 'date')],
    ['yesterday_ds', time('start', [floorDay, days(-1)], 'date')],
    ['macros.ds_add(ds, -7)', time('start', [floorDay, days(-7)], 'date')],
    ['macros.ds_add(ds, 2 - 3)', time('start', [floorDay, days(-1)], 'date')],
    ['data_interval_end', time('end', [], 'datetime')],
    ['ts', time('start', [], 'timestamp')],
    ['data_interval_end.naive()', time('end', [], { strftime: '%Y-%m-%d %H:%M:%S' })],
    ['data_interval_end.naive().isoformat()', time('end', [], 'naive-timestamp')],
    ['logical_date.naive() + macros.timedelta(days=1)', time('start', [days(1)], { strftime: '%Y-%m-%d %H:%M:%S' })],
    [
      "logical_date.in_timezone('Europe/Berlin').naive()",
      { ...time('start', [], { strftime: '%Y-%m-%d %H:%M:%S' }), zone: 'Europe/Berlin' },
    ],
    ['ts_nodash', time('start', [], 'basic-timestamp')],
    ["ds.replace('-', '')", time('start', [floorDay], 'basic-date')],
    ["ds | replace('-', '')", time('start', [floorDay], 'basic-date')],
    ['ts[:10]', time('start', [floorDay], 'date')],
    ['ts[:19]', time('start', [], 'naive-timestamp')],
    ["ds ~ ' 00:00:00'", time('start', [floorDay], { strftime: '%Y-%m-%d 00:00:00' })],
    ["'50% ' ~ ds", time('start', [floorDay], { strftime: '50%% %Y-%m-%d' })],
    ['data_interval_start.int_timestamp', time('start', [], 'epoch-seconds')],
    ['dag_run.logical_date | ds', time('start', [floorDay], 'date')],
    [
      "data_interval_start.in_timezone('Europe/Berlin') | ds",
      { ...time('start', [{ ...floorDay, zone: 'Europe/Berlin' }], 'date'), zone: 'Europe/Berlin' },
    ],
    ['params.table', { kind: 'parameter', source: 'params', name: 'table' }],
    ["params['table']", { kind: 'parameter', source: 'params', name: 'table' }],
    ["params.get('table', 'x')", { kind: 'parameter', source: 'params', name: 'table' }],
    ['params.table | upper', { kind: 'parameter', source: 'params', name: 'table', made: true }],
    ["params.table ~ '_x'", { kind: 'parameter', source: 'params', name: 'table', made: true }],
    ['params.table[:3]', { kind: 'parameter', source: 'params', name: 'table', made: true }],
    ['var.value.schema', { kind: 'parameter', source: 'var', name: 'schema' }],
    ["var.value.get('schema')", { kind: 'parameter', source: 'var', name: 'schema' }],
    ['var.json.cfg.schema', { kind: 'parameter', source: 'var', name: 'cfg.schema' }],
    ["var('start')", { kind: 'parameter', source: 'var', name: 'start' }],
    ["env_var('HOME')", { kind: 'parameter', source: 'env', name: 'HOME' }],
    ['conn.warehouse.schema', { kind: 'parameter', source: 'conn', name: 'warehouse.schema' }],
    ["dag_run.conf['date']", { kind: 'parameter', source: 'conf', name: 'date' }],
    ["dag_run.conf.get('date')", { kind: 'literal', value: null }],
    ["ti.xcom_pull(task_ids='a')", { kind: 'state', name: 'ti.xcom_pull' }],
    ["ti.xcom_pull('a')['rows'] | int", { kind: 'state', name: 'ti.xcom_pull' }],
    ['prev_data_interval_start_success', { kind: 'state', name: 'prev_data_interval_start_success' }],
    ['prev_start_date_success | ds', { kind: 'state', name: 'prev_start_date_success' }],
    ['run_id', { kind: 'state', name: 'run_id' }],
    ['macros.datetime.now()', { kind: 'clock', name: 'macros.datetime.now' }],
    ["macros.datetime.utcnow().strftime('%Y')", { kind: 'clock', name: 'macros.datetime.utcnow' }],
    ['(macros.datetime.now() - macros.timedelta(days=1)) | ds', { kind: 'clock', name: 'macros.datetime.now' }],
    ["'orders'", { kind: 'literal', value: 'orders' }],
    ['-3', { kind: 'literal', value: -3 }],
  ])('%s', (expression, expected) => {
    expect(evaluateExpression(expression)).toEqual(expected);
  });

  test.each([
    ['prev_ds', /tick before/],
    ['table', /not a name that Airflow gives/],
    ["ref('orders')", /not a function that Airflow gives/],
    ['ds if params.x else next_ds', /condition/],
    ['params.x or ds', /condition/],
    ["dag_run.conf.get('x') or params.x or ds", /condition/],
    ['logical_date.replace(day=1)', /time of day/],
    ["logical_date.end_of('month').replace(day=1)", /time of day/],
    ["logical_date.end_of('day') | ts", /microseconds/],
    ['logical_date.replace(day=15)', /fields/],
    ["logical_date.end_of('day').naive()", /microseconds/],
    ["logical_date.in_timezone('America/Havana').naive().replace(hour=0, minute=0, second=0)", /time of day/],
    ["logical_date.in_timezone('America/Havana').naive() + macros.timedelta(days=1)", /time of day/],
    ['ds[1:3]', /cuts a field/],
    ["macros.ds_format(ds, '%Y%m%d', '%Y')", /another pattern/],
    ['dag_run.logical_date.subtract(days=1)', /subtract/],
    ["logical_date.strftime('%Z')", /%Z/],
    ["logical_date.in_timezone('Nowhere/Land') | ds", /zone/],
    ["logical_date.in_timezone('Europe/Berlin').add(days=1, hours=1)", /together/],
    ['macros.random()', /random/],
    ['', /cannot be read/],
    ['ds +', /cannot be read/],
    ['macros.ds_add(ds, ', /cannot be read/],
    ["'abc", /cannot be read/],
    ['macros.timedelta(days=1)', /length of time/],
  ])('%s is unknown and says why', (expression, reason) => {
    expect(evaluateExpression(expression)).toEqual({ kind: 'unknown', reason: expect.stringMatching(reason) });
  });

  test('a shift by a parameter depends on the parameter', () => {
    expect(evaluateExpression('macros.ds_add(ds, params.days)')).toEqual({
      kind: 'parameter',
      source: 'params',
      name: 'days',
      made: true,
    });
  });

  test('any text is read without an exception', () => {
    const words = fc.constantFrom(
      'ds',
      'macros',
      '.',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      "'",
      '"',
      ' ',
      '|',
      '~',
      '-',
      '+',
      'if',
      'else',
      'is',
      'not',
      '1',
      '1.5',
      ',',
      ':',
      '\\',
      'é',
      '😀',
      '\n',
      '%',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(words, { maxLength: 40 }).map((list) => list.join('')),
        ),
        (text) => {
          evaluateExpression(text);
          render(text, { start: instant(0), end: instant(day) });
        },
      ),
      { numRuns: lawRuns(1000) },
    );
  });

  test.each([
    ['parentheses', '('.repeat(20_000)],
    ['a closed nest', `${'('.repeat(20_000)}ds${')'.repeat(20_000)}`],
    ['a long sum', Array(50_000).fill('1').join('+')],
    ['minus signs', `${'-'.repeat(50_000)}1`],
    ['nots', `${'not '.repeat(50_000)}1`],
    ['attributes', `ds${'.a'.repeat(50_000)}`],
    ['filters', `ds${'|ds'.repeat(50_000)}`],
    ['conditions', `1${' if 1 else 1'.repeat(20_000)}`],
    ['a chain of comparisons', Array(50_000).fill('1').join('<')],
    ['a chain of texts', Array(50_000).fill('1').join('~')],
  ])('%s do not exhaust the stack', (_, expression) => {
    evaluateExpression(expression);
    render(expression, { start: instant(0), end: instant(day) });
  });
});
