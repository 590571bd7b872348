import { describe, expect, it } from 'vitest';
import type { DeclaredTask } from '../../../src/core/lineage/facts/declared-facts.ts';
import { factJson } from '../../../src/core/lineage/workspace/fact-json.ts';
import { tableNames } from '../../../src/core/lineage/workspace/find-table.ts';
import { readsOf, workspace, writesOf } from './workspace.ts';

const loads = (table: string, source = 'raw.x'): string =>
  `delete from ${table} where day = '{{ ds }}'; insert into ${table} select * from ${source} where day = '{{ ds }}'`;

describe('names of tables', () => {
  it('join where only one table can be meant', () => {
    const names = tableNames(['shop.orders', 'orders', 'dw.shop.orders', 'a.items', 'b.items', 'items']);
    expect(['orders', 'SHOP.Orders', 'dw.shop.orders'].map(names)).toEqual(Array(3).fill('dw.shop.orders'));
    expect(['items', 'a.items', 'b.items'].map(names)).toEqual(['items', 'a.items', 'b.items']);
    expect(names('never_seen')).toBe('never_seen');
    expect(names('constructor')).toBe('constructor');
  });

  it('join writers and readers across files', () => {
    const facts = workspace({
      a: { tasks: { load: loads('shop.orders') } },
      b: { tasks: { sum: "insert into mart.sums select day from orders where day = '{{ ds }}'" } },
    });
    expect(facts.tables.get('shop.orders')).toMatchObject({
      name: 'shop.orders',
      writers: ['a.load'],
      readers: ['b.sum'],
    });
    expect(facts.tables.has('orders')).toBe(false);
  });
});

describe('definitions', () => {
  it('give columns, types and keys, from whichever file has them', () => {
    const facts = workspace({
      'ddl.sql': {
        format: 'sql-file',
        schedule: { kind: 'none' },
        tasks: {
          main: `create table if not exists shop.orders (id bigint primary key, day date not null, at timestamptz) partition by range (day);
                 create unique index orders_day on shop.orders (day, id);
                 alter table shop.orders add column note text;`,
        },
      },
      a: { tasks: { load: loads('shop.orders') } },
    });
    expect(facts.tables.get('shop.orders')).toMatchObject({
      columns: [
        { name: 'id', type: 'bigint', notNull: true },
        { name: 'day', type: 'date', notNull: true },
        { name: 'at', type: 'timestamptz', notNull: false },
        { name: 'note', type: 'text', notNull: false },
      ],
      keys: [['id'], ['day', 'id']],
      partitionedBy: ['day'],
      writers: ['a.load'],
    });
  });

  it('decide which of two tables an unqualified column is of', () => {
    const facts = workspace({
      a: {
        tasks: {
          load: loads('orders'),
          people: 'create table if not exists people (id int, name text)',
          sum: "insert into sums select * from orders join people on orders.id = people.id where day = '{{ ds }}'",
        },
      },
    });
    expect(readsOf(facts, 'a.sum')[0]).toBe('orders.day [day of start (UTC), day of start (UTC) + 1 day)');
  });

  it('decide by position what an INSERT without a column list writes', () => {
    const facts = workspace({
      a: {
        tasks: {
          ddl: 'create table if not exists rep (week date, total int)',
          load: "insert into rep select date_trunc('week', day), sum(x) from src where day = '{{ ds }}' group by 1",
        },
      },
    });
    expect(writesOf(facts, 'a.load')).toEqual(['append rep week [week of start (UTC), day of start (UTC) + 1 day)']);
  });
});

it('a script without a schedule is neither a writer nor a reader of the workspace', () => {
  const facts = workspace({
    'seed.sql': {
      format: 'sql-file',
      schedule: { kind: 'none' },
      tasks: { main: 'truncate orders; insert into orders select * from raw' },
    },
    a: { tasks: { load: loads('orders') } },
  });
  expect(facts.tables.get('orders')?.writers).toEqual(['a.load']);
  expect(facts.tables.has('raw')).toBe(false);
  expect(writesOf(facts, 'seed.sql.main')).toEqual(['full_replace orders the whole table']);
});

describe('declarations', () => {
  const declare = (task: Partial<DeclaredTask>) => new Map([['a.sum', { reads: [], writes: [], ...task }]]);
  const texts = {
    a: {
      zone: 'Europe/Berlin',
      tasks: { load: loads('orders'), sum: 'insert into sums select * from orders where day > now()' },
    },
  };
  const noOffset = { months: 0, days: 0, ms: 0 };

  it('of a window beat what the SQL says', () => {
    const facts = workspace(
      texts,
      declare({
        reads: [
          {
            table: 'orders',
            column: undefined,
            window: {
              lo: { anchor: 'start', floor: 'month', offset: { ...noOffset, days: -1 } },
              hi: { anchor: 'end', floor: undefined, offset: noOffset },
            },
          },
        ],
      }),
    );
    expect(readsOf(facts, 'a.sum')).toEqual(['orders.day [month of start (Europe/Berlin) - 1 day, end)']);
    expect(facts.facts.get('a.sum')?.reads[0]?.provenance).toBe('declared');
  });

  it('of volatile columns reach the write that they are about', () => {
    const write = { table: 'Sums', column: undefined, key: [], volatile: ['Loaded_At'] };
    const facts = workspace(texts, declare({ writes: [write] }));
    expect(facts.facts.get('a.sum')?.writes.map(({ table, volatile }) => [table, volatile])).toEqual([
      ['sums', ['Loaded_At']],
    ]);
  });

  it('of the whole table are every interval', () => {
    const facts = workspace(texts, declare({ reads: [{ table: 'orders', column: undefined, window: 'all' }] }));
    expect(facts.facts.get('a.sum')?.reads).toMatchObject([{ window: { kind: 'range', lo: [], hi: [] } }]);
  });

  it('of a slice and a key complete what a task writes', () => {
    const facts = workspace(
      texts,
      declare({
        writes: [
          { table: 'sums', column: 'day', key: ['id'], volatile: [] },
          { table: 'other', column: undefined, key: [], volatile: [] },
        ],
      }),
    );
    expect(writesOf(facts, 'a.sum')).toEqual([
      'append sums day [start, end)',
      'unknown other unknown: its column is not declared',
    ]);
    expect(facts.facts.get('a.sum')?.writes[0]?.key).toEqual(['id']);
  });

  it('keep the bounds of a DELETE on the declared column', () => {
    const facts = workspace(
      { a: { tasks: { sum: loads('sums') } } },
      declare({ writes: [{ table: 'sums', column: 'day', key: ['day'], volatile: [] }] }),
    );
    const slice = facts.facts.get('a.sum')?.writes[0]?.slice;
    expect(slice?.kind === 'range' && slice.predicate).toBeDefined();
  });

  it('of a task that is not there are said', () => {
    expect(workspace({}, declare({})).problems).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('a.sum') },
    ]);
  });
});

it('facts are shown in words', () => {
  const facts = workspace({
    a: { tasks: { load: loads('orders') } },
    b: {
      schedule: '0 5 * * *',
      zone: 'Europe/Berlin',
      tasks: {
        sum: "insert into sums select * from orders where day >= '{{ ds }}'::date - 6 and day <= '{{ ds }}'",
        note: { operator: 'PythonOperator', executor: { kind: 'airflow', reason: 'Python' } },
      },
      edges: ['sum >> note'],
    },
  });
  expect(factJson(facts)).toMatchObject({
    version: 1,
    pipelines: [
      { id: 'a', tasks: [{ id: 'a.load', writeMode: 'delete+insert', executor: 'warehouse', parents: [] }] },
      {
        id: 'b',
        file: 'dags/b.py',
        schedule: '0 5 * * *',
        timeZone: 'Europe/Berlin',
        tasks: [
          {
            id: 'b.sum',
            writeMode: 'append',
            reads: [
              { table: 'orders', window: '[day of start (UTC) - 6 days, day of start (UTC) + 1 day)', from: 'sql' },
            ],
            writes: [{ table: 'sums', column: 'day', mode: 'append', key: [] }],
            parents: ['a.load'],
          },
          { id: 'b.note', writeMode: 'none', reads: [], writes: [], executor: 'airflow', parents: ['b.sum'] },
        ],
      },
    ],
  });
});
