import { afterEach, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

const setup = `create schema raw; create schema stg; create schema mart;
  create table raw.o (day date, shop int, amt int);
  insert into raw.o select date '2026-11-09' + n % 4, n % 3, n from generate_series(0, 99) n;
  create table stg.s (day date, shop int, amt int); create table stg.n (shop int, amt int);
  create table mart.a (day date, shop int, amt bigint)`;
const operator = (id: string, sql: string): string =>
  `${id} = SQLExecuteQueryOperator(task_id="${id}", conn_id="wh", sql="""${sql}""")`;
const whole = "truncate stg.s; insert into stg.s select * from raw.o where day = '{{ ds }}'";
const dayless = "truncate stg.n; insert into stg.n select shop, amt from raw.o where day = '{{ ds }}'";
const replaces = "delete from mart.a where day = '{{ ds }}'; insert into mart.a";
const range = ['--from', '2026-11-09', '--to', '2026-11-12'];

let folder: DagWorkspace | undefined;
afterEach(() => folder?.close());

test.each([
  [
    'a stage with its day',
    [operator('s', whole), operator('a', `${replaces} select day, shop, sum(amt) from stg.s group by 1, 2`), 's >> a'],
  ],
  [
    'one without',
    [
      operator('s', dayless),
      operator('a', `${replaces} select '{{ ds }}', shop, sum(amt) from stg.n group by 2`),
      's >> a',
    ],
  ],
  [
    'one behind the other, emptied again',
    [
      operator('s', whole),
      operator('n', 'truncate stg.n; insert into stg.n select shop, amt from stg.s'),
      operator('a', `${replaces} select '{{ ds }}', shop, sum(amt) from stg.n group by 2`),
      operator('e', 'truncate stg.n'),
      's >> n >> a >> e',
    ],
  ],
])('a proof fills the table of its interval first: %s', { timeout: patienceMs }, async (_, tasks) => {
  folder = await dagWorkspace(setup, tasks.join('\n'));
  const run = await folder.cli(['run', 'd', ...range, '--yes']);
  expect(run.code, run.out + run.err).toBe(0);
  const before = await folder.rows('select * from stg.s union all select null, * from stg.n order by 1, 2, 3');
  const { code, out, err } = await folder.cli(['prove', 'd', ...range]);
  expect(code, out + err).toBe(0);
  expect(out).toMatch(/d\.a@\S+ +no difference found/);
  expect(out).not.toMatch(/rows of mart\.a: this interval (?:has none|added none)/);
  expect(await folder.rows('select * from stg.s union all select null, * from stg.n order by 1, 2, 3')).toEqual(before);
});

test.each([
  [
    'filled',
    [
      operator('s', dayless),
      operator('a', "insert into mart.a select '{{ ds }}', shop, sum(amt) from stg.n group by 2"),
      's >> a',
    ],
  ],
  [
    'emptied again',
    [
      operator('s', dayless),
      operator('a', "insert into mart.a select '{{ ds }}', shop, sum(amt) from stg.n group by 2"),
      operator('e', 'truncate stg.n'),
      's >> a >> e',
    ],
  ],
])(
  'what it adds of a stage comes twice, whatever the stage holds now: %s',
  { timeout: patienceMs },
  async (_, tasks) => {
    folder = await dagWorkspace(setup, tasks.join('\n'));
    const { code, out } = await folder.cli(['prove', 'd', ...range]);
    expect(code).toBe(1);
    expect(out).toMatch(/d\.a@\S+ +a second run leaves other rows/);
  },
);
