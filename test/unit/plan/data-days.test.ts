import { describe, expect, it } from 'vitest';
import { planSummary } from '../../../src/core/plan/explain.ts';
import { rangeOfRun } from '../../../src/core/plan/intervals/picked-runs.ts';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import type { PlannableTask } from '../../../src/core/plan/model/plan-request.ts';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import { parseInstant } from '../../../src/core/time/zones/iso.ts';
import { type PipelineText, workspace } from '../lineage/workspace.ts';
import { at, codes, listed, request, startsOf } from './planning.ts';

const tasksOf = (d: PipelineText): PlannableTask[] => plannableTasks(workspace({ d }), (text) => text);

const writing = (where: string): string =>
  `delete from mart.f where ${where}; insert into mart.f select * from raw.f where ${where}`;

const cron = (
  expression: string,
  zone = 'UTC',
  intervals: 'zero-width' | 'tick-to-tick' | { before: number } = 'tick-to-tick',
) => ({ kind: 'cron', expression, zone, intervals }) as const;

/** The starts of the runs of `d.f` that bare dates of its own zone mean. */
const runsOf = (d: PipelineText, from: string, to: string, now = '2024-12-31'): readonly string[] => {
  const zone = d.zone ?? 'UTC';
  const read = (text: string) => parseInstant(text, zone) ?? at(text);
  const plan = makePlan(
    tasksOf(d),
    request(['d.f'], { kind: 'data-range', from: read(from), to: read(to) }, { now: at(now) }),
  );
  return startsOf(plan, 'd.f');
};

const dayOf = "day = '{{ ds }}'";
const dayBefore = "day = '{{ macros.ds_add(ds, -1) }}'";
const interval = "ts >= '{{ data_interval_start }}' and ts < '{{ data_interval_end }}'";

describe('a range means the days of data that runs write', () => {
  it.each<[string, PipelineText, string, string, readonly string[]]>([
    [
      'at half past eight',
      { schedule: cron('30 8 * * *'), tasks: { f: writing(dayOf) } },
      '2024-03-01',
      '2024-03-04',
      ['03-01T08:30', '03-02T08:30', '03-03T08:30'],
    ],
    [
      'at ten in the evening in Warsaw, where the day of ds is of UTC',
      { zone: 'Europe/Warsaw', schedule: cron('0 22 * * *', 'Europe/Warsaw'), tasks: { f: writing(dayOf) } },
      '2024-03-01',
      '2024-03-04',
      ['03-01T21:00', '03-02T21:00', '03-03T21:00'],
    ],
    [
      'at midnight in Berlin, whose ds is the day before',
      { zone: 'Europe/Berlin', schedule: cron('0 0 * * *', 'Europe/Berlin'), tasks: { f: writing(dayOf) } },
      '2024-03-02',
      '2024-03-03',
      ['03-02T23:00'],
    ],
    [
      'the next morning',
      { schedule: cron('0 3 * * *'), tasks: { f: writing(dayBefore) } },
      '2024-06-10',
      '2024-06-11',
      ['06-11T03:00'],
    ],
    [
      'by runs without a data interval',
      { schedule: cron('0 3 * * *', 'UTC', 'zero-width'), tasks: { f: writing(dayOf) } },
      '2024-06-10',
      '2024-06-11',
      ['06-10T03:00'],
    ],
    [
      'six hours before a tick',
      { schedule: cron('0 23 * * *', 'UTC', { before: 6 * 3_600_000 }), tasks: { f: writing(interval) } },
      '2024-03-05',
      '2024-03-06',
      ['03-05T17:00'],
    ],
    [
      'on workdays, nothing of a Sunday',
      { schedule: cron('0 8 * * 1-5'), tasks: { f: writing(dayOf) } },
      '2024-03-03',
      '2024-03-04',
      [],
    ],
    [
      'from tick to tick',
      { schedule: cron('0 8 * * *'), tasks: { f: writing(interval) } },
      '2024-03-05',
      '2024-03-06',
      ['03-04T08:00', '03-05T08:00'],
    ],
    [
      'month to date, by the data interval',
      {
        schedule: cron('0 0 * * *'),
        tasks: { f: writing("day >= date_trunc('month', date '{{ ds }}') and day < '{{ data_interval_end }}'") },
      },
      '2024-03-05',
      '2024-03-06',
      ['03-05'],
    ],
    ...(
      [
        ['of one date that names a month, by the month', '0 0 1 * *', "month = '{{ ds }}'"],
        ['of the first of a month, run later on it', '30 8 1 * *', "month = date_trunc('month', date '{{ ds }}')"],
        ['of the last date of a month', '0 0 1 * *', "month_end = '{{ macros.ds_add(next_ds, -1) }}'"],
        ['of one date that names a week, by the week', '0 0 * * 1', "week = '{{ ds }}'"],
      ] as const
    ).map(([name, expression, where]): [string, PipelineText, string, string, readonly string[]] => [
      name,
      { schedule: cron(expression), tasks: { f: writing(where) } },
      '2024-03-12',
      '2024-03-15',
      [expression.endsWith('1') ? '03-11' : expression.startsWith('30') ? '03-01T08:30' : '03-01'],
    ]),
    [
      'of the day before a week, by that day',
      { schedule: cron('0 0 * * 1'), tasks: { f: writing(dayBefore) } },
      '2024-03-10',
      '2024-03-11',
      ['03-11'],
    ],
    [
      'of one date of seven days, where each day has a run, by that date',
      { schedule: cron('0 0 * * *', 'UTC', { before: 7 * 86_400_000 }), tasks: { f: writing(dayOf) } },
      '2024-03-05',
      '2024-03-06',
      ['03-05'],
    ],
    [
      'in a slice that is not known, by the data interval',
      {
        schedule: cron('0 8 * * *'),
        tasks: { f: 'delete from mart.f where shop = 1; insert into mart.f select * from raw.f' },
      },
      '2024-03-05',
      '2024-03-06',
      ['03-04T08:00', '03-05T08:00'],
    ],
    [
      'in a slice that is not known, by the moment of a run',
      {
        schedule: cron('0 8 * * *', 'UTC', 'zero-width'),
        tasks: { f: 'delete from mart.f where shop = 1; insert into mart.f select * from raw.f' },
      },
      '2024-03-05',
      '2024-03-06',
      ['03-05T08:00'],
    ],
  ])('%s', (_, d, from, to, expected) => {
    expect(runsOf(d, from, to)).toEqual(expected);
  });

  it('and that of one run means this run', () => {
    for (const [d, start] of [
      [{ schedule: cron('30 8 * * *'), tasks: { f: writing(dayOf) } }, '2024-03-02T08:30:00Z'],
      [
        { zone: 'Europe/Warsaw', schedule: cron('0 22 * * *', 'Europe/Warsaw'), tasks: { f: writing(dayBefore) } },
        '2024-03-02T21:00:00Z',
      ],
      [{ schedule: cron('0 8 * * *', 'UTC', 'zero-width'), tasks: { f: 'select 1' } }, '2024-03-02T08:00:00Z'],
      [{ schedule: cron('0 0 1 * *'), tasks: { f: writing("month = '{{ ds }}'") } }, '2024-03-01T00:00:00Z'],
    ] satisfies [PipelineText, string][]) {
      const tasks = tasksOf(d);
      const [task] = tasks;
      const run = task?.grid?.containing(at(start));
      if (task === undefined || run === undefined) throw new Error('no run');
      const plan = makePlan(tasks, request(['d.f'], { kind: 'data-range', ...rangeOfRun(task, run) }));
      expect(plan.units.map((unit) => unit.start)).toEqual([at(start)]);
      expect(plan.widened).toEqual([]);
    }
  });

  it('and says the nearest runs where none writes any of it', () => {
    const tasks = tasksOf({ schedule: cron('20 0 * * 7', 'UTC', 'zero-width'), tasks: { f: writing(dayOf) } });
    const range = { kind: 'data-range', from: at('2024-03-05'), to: at('2024-03-07') } as const;
    const [finding] = makePlan(tasks, request(['d.f'], range)).findings;
    expect(finding?.message).toContain('the run of 2024-03-03T00:20:00Z');
    expect(finding?.message).toContain('then the run of 2024-03-10T00:20:00Z, which writes 2024-03-10T00:00:00Z');
  });

  it('and says of a day that is not over that later there will be more', () => {
    const d = { schedule: cron('0 3 * * *', 'UTC', 'zero-width'), tasks: { f: writing(dayOf) } } as const;
    const range = { kind: 'data-range', from: at('2024-06-15'), to: at('2024-06-17') } as const;
    const plan = makePlan(tasksOf(d), request(['d.f'], range, { now: at('2024-06-16T12:00:00Z') }));
    expect(listed(plan)).toEqual(['d.f 06-15T03:00', 'd.f 06-16T03:00']);
    expect(codes(plan)).toEqual(['unfinished-day']);
    expect(plan.findings[0]?.message).toContain('run again later it will have more rows');
  });
});

describe('a task that gives the same whole table in every run', () => {
  const now = at('2024-03-10');
  const d: PipelineText = {
    tasks: {
      f: writing(dayOf),
      dim: 'truncate mart.dim; insert into mart.dim select shop, max(name) from raw.shops group by shop',
      report:
        'truncate mart.report; insert into mart.report select d.name, sum(f.n) from mart.f f join mart.dim d using (shop) group by 1',
      mail: { operator: 'PythonOperator', executor: { kind: 'airflow', reason: 'Python' } },
    },
    edges: ['f >> report', 'dim >> report', 'report >> mail'],
  };
  const range = { kind: 'data-range', from: at('2024-03-01'), to: at('2024-03-04') } as const;

  it('is one unit behind all that it reads, and says so', () => {
    const plan = makePlan(tasksOf(d), request(['d.f', 'd.dim'], range, { now }));
    expect(listed(plan)).toEqual([
      'd.f 03-01',
      'd.f 03-02',
      'd.f 03-03',
      'd.dim 03-09',
      'd.report 03-09',
      'd.mail 03-09',
    ]);
    expect(plan.units.find(({ task }) => task === 'd.report')?.waitsFor).toEqual([
      { task: 'd.dim', first: 0, last: 0 },
      { task: 'd.f', first: 0, last: 2 },
    ]);
    expect(plan.widened.find(({ task }) => task === 'd.report')?.because).toContain('one is enough, the newest');
    expect(codes(plan)).toEqual([]);
  });

  it('may be emptied by one task and filled by another', () => {
    const tasks = tasksOf({
      tasks: { empty: 'truncate mart.rep', fill: 'insert into mart.rep select * from raw.rep' },
      edges: ['empty >> fill'],
    });
    const plan = makePlan(tasks, request(['d.empty', 'd.fill'], range, { now }));
    expect(listed(plan)).toEqual(['d.empty 03-09', 'd.fill 03-09']);
    expect(plan.findings).toEqual([]);
  });

  it('is none that builds on its own rows, stamps its run or only empties', () => {
    const tasks = tasksOf({
      tasks: {
        own: 'create table t_new as select * from t; drop table t; alter table t_new rename to t',
        stamped: "truncate u; insert into u select *, '{{ ds }}' from raw.u",
        state: "truncate v; insert into v select * from raw.v where id > {{ ti.xcom_pull('a') }}",
        empty: 'truncate w',
      },
    });
    expect(tasks.filter(({ fullRefresh }) => fullRefresh)).toEqual([]);
  });

  it('does not bring back those who join it without a bound, and says so in a line', () => {
    const tasks = tasksOf({
      tasks: {
        dim: 'truncate mart.dim; insert into mart.dim select * from raw.shops',
        g: `delete from g where ${dayOf}; insert into g select x.* from raw.x x join mart.dim using (shop) where x.${dayOf}`,
      },
      edges: ['dim >> g'],
    });
    const plan = makePlan(tasks, request(['d.dim'], range, { now }));
    expect(listed(plan)).toEqual(['d.dim 03-09']);
    expect(codes(plan)).toEqual(['unbounded-read']);
    const both = makePlan(tasks, request(['d.dim', 'd.g'], range, { now }));
    expect(both.units.filter(({ task }) => task === 'd.g').map(({ waitsFor }) => waitsFor)).toEqual(
      Array.from({ length: 3 }, () => [{ task: 'd.dim', first: 0, last: 0 }]),
    );
  });
});

describe('a stage', () => {
  const now = at('2024-04-01');
  const range = { kind: 'data-range', from: at('2024-03-01'), to: at('2024-03-03') } as const;
  const run = (day: string, ...names: string[]) => names.map((name) => `d.${name} ${day}T07:00`);
  const fill = `insert into stage.a select day, n from raw.src where ${dayOf}`;
  const load = `delete from mart.f where ${dayOf}; insert into mart.f select * from stage.a`;
  const schedule = cron('0 7 * * *');

  it.each<[string, Record<string, string>]>([
    ['by TRUNCATE', { empty: 'truncate stage.a', fill, load }],
    ['by DELETE', { empty: 'delete from stage.a', fill, load }],
    ['by DROP and CREATE', { empty: 'drop table if exists stage.a; create table stage.a (like mart.f)', fill, load }],
    ['by the task that fills it', { fill: `truncate stage.a; ${fill}`, load }],
    [
      'made anew by the task that fills it',
      { fill: `drop table if exists stage.a; create table stage.a (like mart.f); ${fill}`, load },
    ],
    [
      'made by CREATE TABLE AS and taken away at the end',
      { fill: `create table stage.a as select day, n from raw.src where ${dayOf}`, load, last: 'drop table stage.a' },
    ],
    ['at the end', { fill, load, empty: 'truncate stage.a' }],
    [
      'by DROP and CREATE, a task each',
      { drop: 'drop table if exists stage.a', make: 'create table if not exists stage.a (like mart.f)', fill, load },
    ],
    [
      'by DROP, before CREATE TABLE AS',
      {
        drop: 'drop table if exists stage.a',
        fill: `create table stage.a as select day, n from raw.src where ${dayOf}`,
        load,
      },
    ],
    [
      'by CREATE, before a DROP at the end',
      { make: 'create table stage.a (like mart.f)', fill, load, drop: 'drop table stage.a' },
    ],
  ])('emptied %s belongs to its run, at any hour', (_, texts) => {
    const names = Object.keys(texts);
    const edges = names.slice(1).map((name, index) => `${names[index]} >> ${name}`);
    const tasks = tasksOf({ schedule, tasks: texts, edges });
    const plan = makePlan(
      tasks,
      request(
        names.map((name) => `d.${name}`),
        range,
        { now },
      ),
    );
    expect(listed(plan)).toEqual([...run('03-01', ...names), ...run('03-02', ...names)]);
    expect(plan.findings).toEqual([]);
    expect(plan.widened).toEqual([]);
    const first = plan.units[names.length];
    const before = first?.waitsFor.filter(({ first: at, last }) => at === 0 && last === 0) ?? [];
    expect(before.map(({ task }) => task)).toContain('d.load');
    expect(plan.units.flatMap(({ slices }) => slices).filter(({ table }) => table === 'stage.a')).not.toEqual([]);
    for (const { slices } of plan.units)
      for (const { table, stage } of slices) expect(stage === true).toBe(table === 'stage.a');
  });

  it('that is dropped, made and filled as it is in every run is so once, before whoever reads it', () => {
    const tasks = tasksOf({
      schedule,
      tasks: {
        drop: 'drop table if exists stage.a',
        make: 'create table stage.a (like mart.f)',
        fill: 'insert into stage.a select day, n from raw.src',
        load: load.replace('from stage.a', `from stage.a where ${dayOf}`),
      },
      edges: ['drop >> make', 'make >> fill', 'fill >> load'],
    });
    const names = ['d.drop', 'd.make', 'd.fill', 'd.load'];
    const plan = makePlan(tasks, request(names, range, { now, downstream: false }));
    expect(listed(plan)).toEqual([
      ...run('03-30', 'drop', 'make', 'fill'),
      ...['03-01', '03-02'].flatMap((day) => run(day, 'load')),
    ]);
    expect(plan.findings).toEqual([]);
  });

  it('brings the rest of its run along from its first task', () => {
    const tasks = tasksOf({
      schedule,
      tasks: { empty: 'truncate stage.a', fill, load },
      edges: ['empty >> fill', 'fill >> load'],
    });
    const plan = makePlan(tasks, request(['d.empty'], range, { now }));
    expect(listed(plan)).toEqual([...run('03-01', 'empty', 'fill', 'load'), ...run('03-02', 'empty', 'fill', 'load')]);
    expect(plan.units[2]?.waitsFor).toEqual([{ task: 'd.fill', first: 0, last: 0 }]);
  });

  it('that others read too, or that nothing is made of, ends with the newest run, filled', () => {
    const tasks = tasksOf({
      schedule,
      tasks: { empty: 'truncate mart.today', fill: fill.replace('stage.a', 'mart.today') },
      edges: ['empty >> fill'],
    });
    const plan = makePlan(tasks, request(['d.empty'], range, { now }));
    expect(listed(plan)).toEqual(['03-01', '03-02', '03-30'].flatMap((day) => run(day, 'empty', 'fill')));
    expect(plan.widened.map(({ task }) => task)).toEqual(['d.empty', 'd.fill']);
    const alone = makePlan(tasks, request(['d.empty'], range, { now, downstream: false }));
    expect(listed(alone)).toEqual(['d.empty 03-01T07:00', 'd.empty 03-02T07:00']);
  });

  // Whole tables say no days, so that the data interval picks the runs.
  it('that a snapshot is made of ends with the newest run, with the stage of that run', () => {
    const tasks = tasksOf({
      schedule,
      tasks: {
        fill: `truncate stage.a; ${fill}`,
        load: 'truncate mart.now; insert into mart.now select * from stage.a',
      },
      edges: ['fill >> load'],
    });
    const plan = makePlan(tasks, request(['d.fill'], range, { now }));
    expect(listed(plan)).toEqual(['02-29', '03-01', '03-02', '03-30'].flatMap((day) => run(day, 'fill', 'load')));
    expect(plan.findings).toEqual([]);
  });
});

it('a date that names a whole month is no day of data, one that moves with the day is', () => {
  const dataOf = (expression: string, where: string) =>
    planSummary(
      makePlan(
        tasksOf({ schedule: cron(expression), tasks: { f: writing(where) } }),
        request(
          ['d.f'],
          { kind: 'data-range', from: at('2024-03-01'), to: at('2024-04-01') },
          { now: at('2024-12-31') },
        ),
      ),
    ).map(({ data }) => data);
  expect(dataOf('0 0 1 * *', "month = '{{ ds }}'")).toEqual([undefined]);
  expect(dataOf('0 0 * * *', dayBefore)).toEqual([{ from: at('2024-03-01'), to: at('2024-04-01') }]);
});
