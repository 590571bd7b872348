import { describe, expect, it } from 'vitest';
import { readsOf, workspace, writesOf } from './workspace.ts';

const day = 'day of start (UTC)';
const ofDay = `[${day}, ${day} + 1 day)`;
const load = "delete from src where day = '{{ ds }}'; insert into src select * from raw";

/** Reads of a task beside a table `src` that is cut by `day` and views that another file makes. */
const readsThrough = (views: string, sql: string, zone = 'UTC') =>
  readsOf(
    workspace({
      s: { tasks: { src: load } },
      v: { format: 'sql-file', schedule: { kind: 'none' }, tasks: { views } },
      d: { zone, tasks: { t: `insert into t ${sql}` } },
    }),
    'd.t',
  );

describe('who reads a view reads its tables', () => {
  it.each([
    ['create view v as select * from src', "select * from v where day = '{{ ds }}'", [`src.day ${ofDay}`]],
    [
      'create or replace view v (d, n) as select day, count(*) from src group by 1',
      "select * from v where d = '{{ ds }}'",
      [`src.day ${ofDay}`],
    ],
    [
      'create view a as select day as x from src; create view v as select x as y from a',
      "select * from v join dim on dim.day = v.y where dim.day = '{{ ds }}'",
      [`src.day ${ofDay}`, `dim.day ${ofDay}`],
    ],
    [
      "create view v as select (date_trunc('month'::text, (day)::timestamp with time zone))::date as m, sum(n) n from src group by 1",
      'select * from v where m = \'{{ data_interval_start.strftime("%Y-%m-01") }}\'',
      ['src.day [month of start (UTC), month of start (UTC) + 1 month)'],
    ],
    // What is bounded is made of the column in a way that is not taken back: which rows is not known, and not all.
    [
      'create view v as select extract(month from day) as m, sum(n) n from src group by 1',
      "select * from v where m = extract(month from date '{{ ds }}')",
      ['src unknown: the bound on day cannot be read: extract(month from day)'],
    ],
    [
      'create view v as select max(day) as d, n from src group by n',
      "select * from v where d = '{{ ds }}'",
      ['src the whole table'],
    ],
    ['create view v as select * from src', 'select * from v', ['src the whole table']],
    ['create view v as select * from src limit 10', "select * from v where day = '{{ ds }}'", ['src the whole table']],
    ['create view v as select * from src', 'select (select max(n) from v)', ['src the whole table']],
    [
      'create view v as select * from src union all select * from v',
      "select * from v where day = '{{ ds }}'",
      undefined,
    ],
    ['create view a as select * from b; create view b as select * from a', 'select * from a', undefined],
  ] as const)('%s: %s', (views, sql, reads) => {
    const found = readsThrough(views, sql);
    if (reads !== undefined) expect(found).toEqual(reads);
  });

  it.each([
    ['create view v as select * from src', 'src'],
    ['create view a as select day, n from src where n > 0; create view v as select * from a', 'src'],
    ['create view v (day, n) as select day, n from src order by day', 'src'],
    ['create view v (day, n) as select n, day from src', 'v'],
    ['create view v as select day, n + 1 as n from src', 'v'],
    ['create view v as select distinct day from src', 'v'],
    ['create view v as select day from src group by day', 'v'],
    ['create view v as select src.* from src join dim on dim.n = src.n', 'v'],
    ['create view v as select * from src union all select * from other', 'v'],
    ['create view v as select * from v', 'v'],
    ['create materialized view v as select * from src', 'v'],
  ])('who writes a view that shows the rows of one table writes that: %s', (views, table) => {
    const facts = workspace({
      v: { format: 'sql-file', schedule: { kind: 'none' }, tasks: { views } },
      d: {
        tasks: { t: "delete from v where day = '{{ ds }}'; insert into v select * from raw where day = '{{ ds }}'" },
      },
    });
    const written = facts.facts.get('d.t')?.writes.map((write) => [write.table, write.through?.view, write.mode]);
    expect(written).toEqual([[table, table === 'v' ? undefined : 'v', 'delete+insert']]);
    expect(facts.tables.get(table)?.writers).toEqual(['d.t']);
  });

  it('two ways to one table stay apart, and what is declared of the view is declared of the table', () => {
    const views = {
      format: 'sql-file',
      schedule: { kind: 'none' },
      tasks: { views: 'create view v as select * from src' },
    } as const;
    const both = workspace({
      v: views,
      d: { tasks: { t: "delete from src where day = '{{ ds }}'; insert into v select 1" } },
    });
    expect(
      both.facts
        .get('d.t')
        ?.writes.map(({ table }) => table)
        .sort(),
    ).toEqual(['src', 'v']);
    const said = { table: 'v', column: 'at', key: [], volatile: [] };
    const one = workspace(
      { v: views, d: { tasks: { t: 'insert into v select 1' } } },
      new Map([['d.t', { reads: [], writes: [said] }]]),
    );
    expect(one.facts.get('d.t')?.writes).toMatchObject([
      { table: 'src', slice: { column: 'at' }, through: { view: 'v' } },
    ]);
  });

  it('but of a materialised one what its last refresh left', () => {
    expect(readsThrough('create materialized view v as select * from src', 'select * from v')).toEqual([
      'v the whole table',
    ]);
  });

  it('and to make one reads nothing', () => {
    const facts = workspace({ s: { tasks: { src: load } }, d: { tasks: { t: 'create view v as select * from src' } } });
    expect(readsOf(facts, 'd.t')).toEqual([]);
    expect(facts.facts.get('d.t')?.unknowns).toEqual([]);
  });

  it('the place is where the task names the view', () => {
    const sql = "insert into t select * from v where day = '{{ ds }}'";
    const facts = workspace({
      v: { format: 'sql-file', schedule: { kind: 'none' }, tasks: { views: 'create view v as select * from src' } },
      d: { tasks: { t: sql } },
    });
    const at = facts.facts.get('d.t')?.reads[0]?.at;
    expect(at && [at.file, sql.slice(at.start, at.end)]).toEqual(['dags/sql/d.t.sql', 'v']);
  });

  it('a temporary view carries ranges to what is written from it', () => {
    const sql = `create or replace temporary view v as select id, day from src where day = '{{ ds }}';
      insert overwrite m partition (day) select id, day from v`;
    const facts = workspace({ s: { tasks: { src: load } }, d: { dialect: 'spark', tasks: { t: sql } } });
    expect(readsOf(facts, 'd.t')).toEqual([`src.day ${ofDay}`]);
    expect(writesOf(facts, 'd.t')).toEqual([`insert_overwrite m day ${ofDay}`]);
  });

  it('many views that read each other many times stay cheap', () => {
    const views = Array.from({ length: 40 }, (_, index) =>
      index === 0
        ? 'create view v0 as select * from src'
        : `create view v${index} as select a.* from v${index - 1} a, v${index - 1} b, v${index - 1} c`,
    );
    expect(readsThrough(views.join('; '), 'select * from v39')).toEqual(['src the whole table']);
  });
});
