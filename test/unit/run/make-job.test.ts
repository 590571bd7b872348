import { describe, expect, test } from 'vitest';
import type { DeclaredTask } from '../../../src/core/lineage/facts/declared-facts.ts';
import type { SliceFact, TaskFacts } from '../../../src/core/lineage/facts/facts.ts';
import { makeTaskSql } from '../../../src/core/pipeline/model/make-task-sql.ts';
import type { Pipeline, Task } from '../../../src/core/pipeline/model/model.ts';
import type { PlanUnit } from '../../../src/core/plan/model/plan.ts';
import { makeCarriedJob } from '../../../src/core/run/jobs/make-carried-job.ts';
import { isRefusal, type JobSetting, makeJob } from '../../../src/core/run/jobs/make-job.ts';
import { renderPart, unqualified } from '../../../src/core/run/jobs/render-statements.ts';
import type { UnitJob } from '../../../src/core/run/unit/unit-job.ts';
import { wholeFile } from '../../../src/core/text/mapped-text.ts';
import type { TimeExpression } from '../../../src/core/time/expressions/time-expression.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';

const start = instant(Date.UTC(2026, 10, 28));
const end = instant(Date.UTC(2026, 10, 29));
const unit: PlanUnit = {
  id: 'shop.daily@2026-11-28T00:00:00Z',
  task: 'shop.daily',
  start,
  next: end,
  data: { start, end },
  reasons: [],
  waitsFor: [],
  executor: { kind: 'warehouse', connection: undefined },
  slices: [],
};
const setting: JobSetting = {
  run: 'r1',
  codeHash: 'c',
  variables: {},
  params: {},
  options: {
    compare: 'rows',
    samples: 0,
    holdShrinkPercent: 50,
    keepBeforeRows: 1000,
    earlyCutoff: true,
    lockTable: false,
    lockTimeoutMs: 1,
    statementTimeoutMs: 1,
    leaseMs: 1,
    settings: {},
  },
};
const at = { file: 'dag.py', start: 0, end: 1 };
const bound = (anchor: 'start' | 'end'): TimeExpression => ({ anchor, steps: [] });

/** A task with this SQL; `[[` and `]]` mark the predicate of its slice. */
function taskOf(sql: string, changes: Partial<Task> = {}): { task: Task; facts: TaskFacts; pipeline: Pipeline } {
  const open = sql.indexOf('[[');
  const close = sql.indexOf(']]') - 2;
  const text = sql.replace('[[', '').replace(']]', '');
  const predicate = open < 0 ? undefined : { sqlIndex: 0, start: open, end: close };
  const slice: SliceFact = { kind: 'range', column: 'day', lo: bound('start'), hi: bound('end'), predicate };
  const task: Task = {
    id: 'shop.daily',
    name: 'daily',
    at,
    nameAt: at,
    operator: 'SQLExecuteQueryOperator',
    sql: [makeTaskSql(wholeFile('q.sql', text), [], 'postgres', 'file')],
    executor: { kind: 'warehouse', connection: undefined },
    retries: undefined,
    triggerRule: undefined,
    autocommit: undefined,
    splitStatements: undefined,
    params: { depth: 7 },
    arguments: [],
    accesses: [],
    outlets: [],
    inlets: [],
    unread: [],
    dependsOnPast: false,
    ...changes,
  };
  const facts: TaskFacts = {
    task: task.id,
    reads: [
      {
        table: 'raw.orders',
        window: { kind: 'range', column: 'ts', lo: [bound('start')], hi: [bound('end')] },
        provenance: 'sql',
        at,
      },
      { table: 'dim.shop', window: { kind: 'unbounded' }, provenance: 'sql', at },
    ],
    writes: [{ table: 'mart.daily', slice, mode: 'delete+insert', key: ['day'], provenance: 'sql', at }],
    unknowns: [],
    problems: [],
  };
  const pipeline = {
    id: 'shop',
    zone: 'UTC',
    airflowVersion: 2,
    schedule: { value: { kind: 'cron' } },
    tasks: [task],
  } as unknown as Pipeline;
  return { task, facts, pipeline };
}

const make = (sql: string, changes: Partial<Task> = {}, setup: Partial<JobSetting> = {}) =>
  makeJob(unit, { ...taskOf(sql, changes), declared: undefined }, { ...setting, ...setup });

const job = (sql: string, changes?: Partial<Task>, setup?: Partial<JobSetting>): UnitJob => {
  const made = make(sql, changes, setup);
  if (isRefusal(made)) throw new Error(made.message);
  return made;
};

describe('makeCarriedJob', () => {
  const carriedBy = { scheduler: 'prod', all: true };
  const uncompared = (facts: Partial<TaskFacts>): string | undefined => {
    const source = taskOf('select 1');
    const given = { ...source, facts: { ...source.facts, ...facts }, declared: undefined };
    return makeCarriedJob(unit, given, setting, carriedBy).carried?.uncompared;
  };

  test('never counts as compared where nothing of it can be', () => {
    expect(uncompared({})).toBeUndefined();
    expect(uncompared({ writes: [] })).toBe('shop.daily names no table that it writes');
    const known = { task: 'shop.daily', table: undefined, message: 'its code is not followed', at } as const;
    const unknowns = [{ about: 'tables', ...known }] as const;
    expect(uncompared({ writes: [], unknowns })).toContain('which tables shop.daily writes is not known');
  });

  test('says of what only marks a place that its end is no sign of work', () => {
    const marks = (operator: string): unknown => {
      const source = taskOf('select 1');
      const given = { ...source, task: { ...source.task, operator }, declared: undefined };
      return makeCarriedJob(unit, given, setting, carriedBy).carried?.marks;
    };
    expect(marks('EmptyOperator')).toBe(true);
    expect(marks('PythonOperator')).toBeUndefined();
  });
});

describe('makeJob', () => {
  test('is held as its task says, else as the run does', () => {
    const heldAt = (hold: DeclaredTask['hold']): unknown => {
      const made = makeJob(
        unit,
        { ...taskOf('DELETE FROM mart.daily'), declared: { reads: [], writes: [], hold } },
        setting,
      );
      return isRefusal(made) ? made : made.options.holdShrinkPercent;
    };
    expect(heldAt(undefined)).toBe(50);
    expect(heldAt({ shrinkPercent: 80 })).toBe(80);
    expect(heldAt({ shrinkPercent: undefined })).toBeUndefined();
  });

  test('renders, splits, and cuts the slice by the task’s own literals', () => {
    const made = job(
      "-- the day anew\nDELETE FROM mart.daily AS d WHERE [[d.day = '{{ ds }}']];\nINSERT INTO mart.daily SELECT ';', {{ params.depth }} FROM raw.orders; ",
    );
    expect(made.statements.map(({ text }) => text)).toEqual([
      "DELETE FROM mart.daily AS d WHERE d.day = '2026-11-28'",
      "INSERT INTO mart.daily SELECT ';', 7 FROM raw.orders",
    ]);
    expect(made.statements[1]?.at).toMatchObject({ file: 'q.sql' });
    expect(made.slices).toEqual([
      {
        table: 'mart.daily',
        column: 'day',
        from: '2026-11-28T00:00:00Z',
        to: '2026-11-29T00:00:00Z',
        predicate: "day = '2026-11-28'",
        mode: 'delete+insert',
        key: ['day'],
        volatile: [],
      },
    ]);
    expect(made.inputs).toEqual([
      { table: 'raw.orders', column: 'ts', from: '2026-11-28T00:00:00Z', to: '2026-11-29T00:00:00Z' },
      { table: 'dim.shop', column: undefined, from: undefined, to: undefined },
    ]);
  });

  test('around a clock change the slice is exact, and only what is read may be wider', () => {
    // New York, 2024-11-03: the second 01:00 begins at 06:00 in UTC.
    const hour = { start: instant(Date.UTC(2024, 10, 3, 6)), end: instant(Date.UTC(2024, 10, 3, 7)) };
    const offset = { months: 0, days: 1, ms: 0 };
    const dayOn: TimeExpression = { anchor: 'start', steps: [{ kind: 'shift', offset, zone: 'America/New_York' }] };
    const source = taskOf("DELETE FROM mart.daily WHERE day = '{{ ts }}'");
    const slice: SliceFact = { kind: 'range', column: 'day', lo: bound('start'), hi: dayOn, predicate: undefined };
    const facts: TaskFacts = {
      ...source.facts,
      reads: [
        {
          table: 'raw.orders',
          window: { kind: 'range', column: 'ts', lo: [bound('start')], hi: [dayOn] },
          provenance: 'sql',
          at,
        },
      ],
      writes: source.facts.writes.map((write) => ({ ...write, slice })),
    };
    const made = makeJob({ ...unit, data: hour }, { ...source, facts, declared: undefined }, setting);
    expect(made).toMatchObject({
      slices: [{ from: '2024-11-03T06:00:00Z', to: '2024-11-04T06:00:00Z' }],
      inputs: [{ from: '2024-11-03T06:00:00Z', to: '2024-11-04T07:00:00Z' }],
    });
  });

  test('a predicate that needs what the template sets before it', () => {
    const made = job(
      "{% set day = ds_nodash %}DELETE FROM mart.daily WHERE [[day = '{{ day }}' AND kind IN ('{{ params.depth }}')]];",
    );
    expect(made.slices[0]?.predicate).toBe("day = '20261128' AND kind IN ('7')");
  });

  test.each([
    ['comes out several times', '{% for k in [1, 2] %}', 'AND k = {{ k }}', '{% endfor %}'],
    ['does not come out in this interval', "{% if ds == '2020-01-01' %}", '', '{% else %}SELECT 1{% endif %}'],
  ])('a predicate that %s leaves the rows between its bounds', (_, open, more, close) => {
    const made = job(`${open}DELETE FROM mart.daily WHERE [[day = '{{ ds }}' ${more}]];${close}`);
    expect(made.slices).toMatchObject([
      { column: 'day', from: '2026-11-28T00:00:00Z', to: '2026-11-29T00:00:00Z', predicate: undefined },
    ]);
  });

  test('params of the configuration go over those of the file; Variables come from it', () => {
    const made = job(
      "SELECT {{ params.depth }}, '{{ var.value.region }}'",
      {},
      { params: { depth: 9 }, variables: { region: 'eu' } },
    );
    expect(made.statements[0]?.text).toBe("SELECT 9, 'eu'");
  });

  test.each([
    ['SELECT {{ ti.xcom_pull() }}', 'not-rendered', 'cannot be rendered'],
    ["SELECT '{{ var.value.nothing }}'", 'not-rendered', 'var.value.nothing'],
    ['SELECT {{ ds', 'not-rendered', 'cannot be rendered'],
    ['SELECT * FROM t WHERE a = %(name)s', 'not-rendered', 'nothing gives %(name)s a value'],
    [
      'DELETE FROM t WHERE a = 1\nINSERT INTO t SELECT 1',
      'not-rendered',
      'a semicolon seems to be missing in front of INSERT',
    ],
    ["SELECT 'open", 'not-rendered', 'cannot be read'],
    ['-- nothing\n', 'no-statements', 'has no SQL to run'],
  ])('%s is refused: %s', (sql, code, message) => {
    expect(make(sql)).toMatchObject({ code, message: expect.stringContaining(message), remedy: expect.any(String) });
  });

  test('what PREPARE and a function number is given by who calls them', () => {
    const prepared = "PREPARE p(date) AS DELETE FROM t WHERE day = $1; EXECUTE p('{{ ds }}')";
    const body = 'CREATE OR REPLACE FUNCTION f(int) RETURNS int LANGUAGE sql RETURN $1 + 1';
    for (const sql of [prepared, body]) expect(make(sql)).toMatchObject({ statements: expect.any(Array) });
    for (const sql of ['DELETE FROM t WHERE a = $1', `${prepared}; SELECT $1`, 'PREPARE p AS SELECT %(name)s'])
      expect(make(sql)).toMatchObject({ message: expect.stringContaining('nothing gives') });
  });

  test('a refusal has the place of the expression', () => {
    const sql = 'SELECT 1,\n  {{ ti.xcom_pull() }}';
    const made = make(sql);
    if (!isRefusal(made)) throw new Error('not refused');
    expect(sql.slice(made.at?.start, made.at?.end)).toContain('ti.xcom_pull()');
  });

  test('what Python fills in, and what runs elsewhere, is refused', () => {
    const { task } = taskOf('SELECT day');
    const hole = {
      start: 7,
      end: 10,
      origin: 'f-string' as const,
      source: 'day',
      expression: { start: 7, end: 10 },
      value: { kind: 'unknown' as const, reason: 'x' },
      quoted: false,
    };
    const [sql] = task.sql;
    if (sql === undefined) throw new Error('no SQL');
    expect(make('SELECT day', { sql: [{ ...sql, pythonHoles: [hole] }] })).toMatchObject({
      message: '{day} gets its value only when Python runs',
    });
    expect(make('SELECT 1', { executor: { kind: 'airflow', reason: 'runs in a container' } })).toMatchObject({
      code: 'not-runnable',
    });
  });
});

test('marks never change what is around them', () => {
  const { task } = taskOf("{%- if true -%}  DELETE FROM t WHERE [[a = '{{ ds }}']]  {%- endif -%}");
  const [sql] = task.sql;
  if (sql === undefined) throw new Error('no SQL');
  const part = { start: sql.source.text.indexOf("a = '"), end: sql.source.text.indexOf("' ", 40) + 1 };
  const context = {
    interval: { start, end },
    zone: 'UTC',
    dagId: 'd',
    taskId: 't',
    params: {},
    variables: {},
    airflowVersion: 2 as const,
  };
  const plain = "DELETE FROM t WHERE a = '2026-11-28'";
  expect(renderPart(sql, part, plain, context)).toBe("a = '2026-11-28'");
  expect(renderPart(sql, { start: 1, end: 4 }, plain, context)).toBeUndefined();
});

test.each([
  ['d.day = 1', 'day = 1'],
  ['mart.daily.day = 1 and other.day = 2', 'day = 1 and other.day = 2'],
  ['d . day >= \'d.day\' -- d.day\n and "d"."Day" < 2', 'day >= \'d.day\' -- d.day\n and "Day" < 2'],
  ['day = d_day(1)', 'day = d_day(1)'],
  ['day = daily.floor (d.at)', 'day = daily.floor (at)'],
  ['daily.day = 1.5', 'day = 1.5'],
  ['', ''],
])('%j without its qualifier is %j', (predicate, expected) => {
  expect(unqualified(predicate, new Set(['d', 'daily', 'mart.daily']), 'postgres')).toBe(expected);
});
