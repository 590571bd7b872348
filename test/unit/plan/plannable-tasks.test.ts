import { describe, expect, it, test } from 'vitest';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import type { PlannableTask } from '../../../src/core/plan/model/plan-request.ts';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import { type PipelineText, workspace } from '../lineage/workspace.ts';
import { at, listed, range, request, startsOf } from './planning.ts';

const tasksOf = (texts: Readonly<Record<string, PipelineText>>): PlannableTask[] =>
  plannableTasks(workspace(texts), (text) => text);

const find = (tasks: readonly PlannableTask[], id: string): PlannableTask => {
  const found = tasks.find((task) => task.id === id);
  if (found === undefined) throw new Error(`no task ${id}`);
  return found;
};

const loads = (table: string, source = 'raw.x'): string =>
  `delete from ${table} where day = '{{ ds }}'; insert into ${table} select * from ${source} where day = '{{ ds }}'`;

describe('a table that one DAG writes and another reads', () => {
  const texts = {
    a: { tasks: { facts: loads('core.facts', 'raw.facts') } },
    b: {
      tasks: {
        wait: { operator: 'ExternalTaskSensor', executor: { kind: 'airflow', reason: 'a sensor' } },
        weekly: `DELETE FROM rep.weekly WHERE week = date_trunc('week', DATE '{{ ds }}');
          INSERT INTO rep.weekly SELECT date_trunc('week', day), sum(x) FROM core.facts
          WHERE date_trunc('week', day) = date_trunc('week', DATE '{{ ds }}') GROUP BY 1;`,
      },
      edges: [{ edge: 'a.facts >> wait', kind: 'sensor' }, 'wait >> weekly'],
    },
  } satisfies Readonly<Record<string, PipelineText>>;

  it('joins the tasks, and a sensor between them is only an edge', () => {
    const tasks = tasksOf(texts);
    expect(tasks.map((task) => task.id)).toEqual(['a.facts', 'b.weekly']);
    expect(find(tasks, 'b.weekly')).toMatchObject({ reads: [{ parent: 'a.facts', table: 'core.facts' }], after: [] });
  });

  it('makes every day of the corrected week stale downstream', () => {
    const plan = makePlan(tasksOf(texts), request(['a.facts'], range('2024-05-07', '2024-05-08')));
    expect(startsOf(plan, 'a.facts')).toEqual(['05-07']);
    expect(startsOf(plan, 'b.weekly')).toEqual(['05-06', '05-07', '05-08', '05-09', '05-10', '05-11', '05-12']);
    expect(plan.units.find((unit) => unit.task === 'b.weekly')?.slices).toMatchObject([
      { table: 'rep.weekly', column: 'week' },
    ]);
    expect(plan.findings).toEqual([]);
  });
});

describe('explicit edges', () => {
  it('count where no table joins two tasks, through tasks that only wait or mark', () => {
    const tasks = tasksOf({
      h: { schedule: '@hourly', tasks: { load: loads('hourly') } },
      d: {
        tasks: {
          sense: { operator: 'ExternalTaskSensor' },
          start: { operator: 'EmptyOperator' },
          python: { operator: 'PythonOperator', executor: { kind: 'airflow', reason: 'Python' } },
          last: loads('other'),
        },
        edges: [
          { edge: 'h.load >> sense', kind: 'sensor', shift: { months: 0, days: 0, ms: 23 * 3_600_000 } },
          'sense >> start',
          'start >> python',
          'python >> last',
        ],
      },
    });
    expect(find(tasks, 'd.python').after).toEqual([
      { parent: 'h.load', shift: { months: 0, days: 0, ms: 23 * 3_600_000 } },
    ]);
    expect(find(tasks, 'd.last').after).toEqual([{ parent: 'd.python', shift: undefined }]);
  });

  it('do not count beside a table, nor in a circle of marks', () => {
    const tasks = tasksOf({
      d: {
        tasks: {
          one: loads('t1'),
          two: loads('t2', 't1'),
          m1: { operator: 'EmptyOperator' },
          m2: { operator: 'EmptyOperator' },
        },
        edges: ['one >> two', 'm1 >> m2', 'm2 >> m1', 'm2 >> two'],
      },
    });
    expect(find(tasks, 'd.two')).toMatchObject({ reads: [{ parent: 'd.one' }], after: [] });
  });

  it('hold over a task that is not in the plan, joined to it by a table or not', () => {
    const tasks = tasksOf({
      d: {
        tasks: { one: loads('t1'), two: loads('t2', 't1'), python: { operator: 'PythonOperator' }, last: loads('t4') },
        edges: ['one >> two', 'two >> python', 'python >> last'],
      },
    });
    const waits = (ids: readonly string[]) =>
      makePlan(tasks, request(ids, range('2024-05-01', '2024-05-03'), { downstream: false }))
        .units.filter((unit) => unit.task === 'd.last')
        .map(({ waitsFor }) => waitsFor);
    expect(waits(['d.one', 'd.last'])).toEqual([
      [{ task: 'd.one', first: 0, last: 0 }],
      [{ task: 'd.one', first: 1, last: 1 }],
    ]);
    expect(waits(['d.one', 'd.two', 'd.last'])).toEqual([
      [{ task: 'd.two', first: 0, last: 0 }],
      [{ task: 'd.two', first: 1, last: 1 }],
    ]);
  });

  it('say that a task which runs before the writer reads what earlier intervals wrote', () => {
    const texts = {
      d: {
        tasks: {
          stage:
            "truncate stg; insert into stg select * from raw where not exists (select 1 from final where day = '{{ ds }}')",
          load: "delete from final where day = '{{ ds }}'; insert into final select * from stg",
        },
        edges: ['stage >> load'],
      },
    };
    const plan = makePlan(tasksOf(texts), request(['d.stage'], range('2024-05-01', '2024-05-02')));
    expect(plan.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(listed(plan).slice(0, 1)).toEqual(['d.stage 05-01']);
  });
});

describe('a table that each run empties and fills for its own interval', () => {
  const now = at('2024-05-10T01:00:00Z');
  const edges = ['stage >> load'];
  const stage = "truncate stg; insert into stg select * from raw.x where day = '{{ ds }}'";
  const load = "delete from mart where day = '{{ ds }}'; insert into mart select * from stg";

  it.each([
    ['whole', load],
    ['by a predicate', loads('mart', 'stg')],
  ])('is read %s by its own run, before the next one empties it', (_, reader) => {
    const tasks = tasksOf({ d: { tasks: { stage, load: reader }, edges } });
    const plan = makePlan(tasks, request(['d.stage', 'd.load'], range('2024-05-08', '2024-05-10'), { now }));
    expect(listed(plan)).toEqual(['d.stage 05-08', 'd.load 05-08', 'd.stage 05-09', 'd.load 05-09']);
    expect(plan.units.map(({ waitsFor }) => waitsFor)).toEqual([
      [],
      [{ task: 'd.stage', first: 0, last: 0 }],
      [{ task: 'd.load', first: 0, last: 0 }],
      [{ task: 'd.stage', first: 1, last: 1 }],
    ]);
    expect(plan.findings).toEqual([]);
  });

  it('brings its readers along, interval by interval, and no other run of it', () => {
    const tasks = tasksOf({ d: { tasks: { stage, load }, edges } });
    const plan = makePlan(tasks, request(['d.stage'], range('2024-05-06', '2024-05-07'), { now }));
    expect(startsOf(plan, 'd.load')).toEqual(startsOf(plan, 'd.stage'));
    expect(startsOf(plan, 'd.stage')).toEqual(['05-06']);
    expect(plan.findings).toEqual([]);
  });

  it('is not read by an interval whose own run does not fill it', () => {
    const tasks = tasksOf({ d: { tasks: { stage, load }, edges } });
    const plan = makePlan(tasks, request(['d.load'], range('2024-05-08', '2024-05-10')));
    expect(plan.findings).toMatchObject([{ code: 'missing-previous', severity: 'error', task: 'd.load' }]);
    expect(plan.findings[0]?.message).toContain('Select d.stage as well');
  });

  it('may be emptied, filled and copied on by tasks of their own', () => {
    const tasks = tasksOf({
      d: {
        tasks: {
          clear: 'truncate stg',
          fill: "insert into stg select * from raw.x where day = '{{ ds }}'",
          clean: 'delete from stg2; insert into stg2 select distinct * from stg',
          load: load.replace('stg', 'stg2'),
        },
        edges: ['clear >> fill', 'fill >> clean', 'clean >> load'],
      },
    });
    const plan = makePlan(tasks, request(['d.clear', 'd.fill'], range('2024-05-08', '2024-05-10'), { now }));
    expect(plan.findings).toEqual([]);
    const run = (day: string) => ['clear', 'fill', 'clean', 'load'].map((name) => `d.${name} ${day}`);
    expect(listed(plan)).toEqual([...run('05-08'), ...run('05-09')]);
    const next = plan.units.find((unit, index) => unit.task === 'd.clear' && index > 0);
    expect(next?.waitsFor.map(({ task }) => task)).toEqual(['d.clean', 'd.fill']);
  });

  it('is something else than a dimension that is rebuilt whole each time', () => {
    const tasks = tasksOf({
      d: {
        tasks: {
          names: "truncate names; insert into names select *, '{{ ds }}' from raw.names",
          facts: loads('facts', 'raw.x join names using (id)'),
        },
        edges: ['names >> facts'],
      },
    });
    expect(find(tasks, 'd.names').usedBy).toBeUndefined();
    expect(find(tasks, 'd.facts').reads).toMatchObject([{ parent: 'd.names', window: { kind: 'unbounded' } }]);
    expect(find(tasks, 'd.facts').reads[0]?.sameRun).toBeUndefined();
  });
});

describe('one task', () => {
  it('that reads its own earlier rows reads itself, and one that reads its own slice does not', () => {
    const rolling = `delete from t where day = '{{ ds }}'; insert into t select * from t where day = '{{ ds }}'::date - 1`;
    const tasks = tasksOf({ d: { tasks: { rolling, once: loads('u') } } });
    expect(find(tasks, 'd.rolling').reads).toMatchObject([{ parent: 'd.rolling', table: 't' }]);
    expect(find(tasks, 'd.once').reads).toEqual([]);
  });

  it('that depends on its past runs in sequence', () => {
    const tasks = tasksOf({ d: { tasks: { t: { sql: loads('t'), dependsOnPast: true } } } });
    const plan = makePlan(tasks, request(['d.t'], range('2024-05-01', '2024-05-03')));
    expect(plan.units[1]?.waitsFor).toEqual([{ task: 'd.t', first: 0, last: 0 }]);
  });

  it('that rewrites its table as of an interval has to end with the newest', () => {
    const tasks = tasksOf({
      d: {
        tasks: {
          dated: "truncate t; insert into t select * from raw where ts < '{{ data_interval_end }}'",
          plain: 'truncate u; insert into u select * from raw',
        },
      },
    });
    expect(find(tasks, 'd.dated').lastRunWins).toEqual(['d.dated']);
    expect(find(tasks, 'd.plain')).toMatchObject({ fullRefresh: true });
  });

  it('that finds its rows by their key, whatever the interval, runs once', () => {
    const upsert = (set: string, where = '') =>
      `insert into t (id, n) select id, n from raw ${where} on conflict (id) do update set n = ${set}`;
    const tasks = tasksOf({
      d: {
        tasks: {
          plain: upsert('excluded.n'),
          adds: upsert('t.n + excluded.n'),
          dated: upsert('excluded.n', "where ts < '{{ data_interval_end }}'"),
          said: `-- of '{{ ds }}'\n${upsert('excluded.n', "/* {{ ts }} */ where kind <> '--'")}`,
        },
      },
    });
    expect(find(tasks, 'd.plain').fullRefresh).toBe(true);
    expect(find(tasks, 'd.adds').fullRefresh).toBeUndefined();
    expect(find(tasks, 'd.dated').fullRefresh).toBeUndefined();
    // What stands in a comment makes no difference.
    expect(find(tasks, 'd.said').fullRefresh).toBe(true);
  });

  it('that only adds rows after another has emptied the slice is paired with it', () => {
    const tasks = tasksOf({
      d: {
        tasks: {
          clear: "delete from t where day = '{{ ds }}'",
          add: "insert into t select * from raw where day = '{{ ds }}'",
        },
        edges: ['clear >> add'],
      },
    });
    expect(find(tasks, 'd.add').pairedWith).toBe('d.clear');
    expect(makePlan(tasks, request(['d.clear'], range('2024-05-01', '2024-05-02'))).findings).toEqual([]);
  });

  it('whose schedule has no grid says why', () => {
    const tasks = tasksOf({ d: { schedule: { kind: 'none' }, tasks: { t: loads('t') } } });
    expect(find(tasks, 'd.t')).toMatchObject({ grid: undefined, noGrid: 'it has no schedule' });
  });

  it.each([
    ["delete from t where ts >= '{{ data_interval_start }}' and ts < '{{ data_interval_end }}'", true],
    ["delete from t where day = '{{ ds }}'", false],
    // A run at 22:00 that writes the day that its interval ends in has that day.
    ["delete from t where day = '{{ data_interval_end | ds }}'", false],
    ["insert into t select * from raw where ts < '{{ data_interval_end }}'", false],
    [
      "insert into t select * from raw where ts between '{{ data_interval_start }}' and '{{ data_interval_end }}'",
      false,
    ],
    [
      "insert into t select * from raw where ts >= '{{ data_interval_start }}' and ts < '{{ data_interval_end }}'",
      true,
    ],
    ["select load('{{ data_interval_start }}', '{{ data_interval_end }}')", true],
  ])('uses bounds that are empty under a schedule of moments: %s', (sql, expected) => {
    const schedule = { kind: 'cron', expression: '@daily', zone: 'UTC', intervals: 'zero-width' } as const;
    expect(find(tasksOf({ d: { schedule, tasks: { t: sql } } }), 'd.t').zeroWidth).toBe(expected);
  });

  it('has another code hash when its SQL changes, and the same when only line ends do', () => {
    const hash = (sql: string) => find(tasksOf({ d: { tasks: { t: sql } } }), 'd.t').codeHash;
    expect(hash("insert into t\nselect '{{ ds }}'")).toBe(hash("insert into t\r\nselect '{{ ds }}'"));
    expect(hash("insert into t\nselect '{{ ds }}'")).not.toBe(hash("insert into t\nselect '{{ ts }}'"));
  });
});

it('a local day reads the UTC day that holds its start, which is the day before', () => {
  const tasks = tasksOf({
    utc: { tasks: { days: loads('days') } },
    berlin: { zone: 'Europe/Berlin', tasks: { local: loads('local', 'days') } },
  });
  const plan = makePlan(tasks, request(['utc.days'], range('2024-06-05', '2024-06-06')));
  expect(startsOf(plan, 'berlin.local')).toEqual(['06-05T22:00']);
});

it('a script that nobody schedules takes no part in plans', () => {
  const tasks = tasksOf({
    a: { tasks: { load: loads('orders') } },
    'fix.sql': {
      format: 'sql-file',
      schedule: { kind: 'none' },
      tasks: { main: 'insert into t select * from orders' },
    },
  });
  const plan = makePlan(tasks, request(['a.load'], range('2024-05-01', '2024-05-02')));
  expect(listed(plan)).toEqual(['a.load 05-01']);
  expect(plan.findings).toEqual([]);
});

test('a task that reads the table of a later task of its run still comes first in each run', () => {
  const tasks = tasksOf({
    canal: {
      tasks: {
        pull: 'insert into levels select * from feed where at > (select max(at) from levels)',
        settle: 'update levels set settled = true where settled = false',
      },
      edges: ['pull >> settle'],
    },
  });
  const plan = makePlan(tasks, {
    ...request(['canal.pull', 'canal.settle'], range('2024-05-07', '2024-05-09')),
    allowAppend: true,
  });
  expect(plan.units.map((unit) => unit.task)).toEqual(['canal.pull', 'canal.settle', 'canal.pull', 'canal.settle']);
});
