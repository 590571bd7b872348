import { afterEach, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

const setup = `create schema raw; create schema mart;
  create table raw.ev (day date, id int, v int);
  insert into raw.ev select date '2026-11-10' + n % 2, n, n from generate_series(0, 19) n;
  create table mart.t (day date, id int, v int); insert into mart.t select day, id, -v from raw.ev`;

const ways = {
  added: `alter table mart.t add column if not exists w int; delete from mart.t where day = '{{ ds }}'; insert into mart.t select day, id, v, v from raw.ev where day = '{{ ds }}'`,
  dropped: `alter table mart.t drop column if exists v; delete from mart.t where day = '{{ ds }}'; insert into mart.t (day, id) select day, id + 100 from raw.ev where day = '{{ ds }}'`,
};

let folder: DagWorkspace | undefined;
afterEach(() => folder?.close());

test.each(Object.entries(ways))(
  'a column that a run has %s keeps it from being undone as a whole, before anything is put back',
  { timeout: patienceMs },
  async (id, text) => {
    const open = await dagWorkspace(setup, `SQLExecuteQueryOperator(task_id="${id}", conn_id="wh", sql="${text}")`);
    folder = open;
    const ran = await open.cli(['run', `d.${id}`, '--from', '2026-11-10', '--to', '2026-11-12', '--yes']);
    expect(ran.code, ran.out + ran.err).toBe(0);
    const run = /run (\S+): 0 unchanged, 2 changed/.exec(ran.out)?.[1] ?? '';
    const rows = () => open.rows('select * from mart.t order by day, id');
    const left = await rows();
    for (const units of [[], ['--unit', `d.${id}@2026-11-10T00:00:00Z`]]) {
      const undone = await open.cli(['undo', run, '--yes', ...units]);
      expect(undone.code).not.toBe(0);
      expect(undone.out + undone.err).toMatch(
        new RegExp(`cannot be undone.*: d\\.${id}@2026-11-10T00:00:00Z changed the columns of mart\\.t`),
      );
      expect(await rows()).toEqual(left);
    }
    // The interval after it found the columns as they are now.
    const later = await open.cli(['undo', run, '--yes', '--unit', `d.${id}@2026-11-11T00:00:00Z`]);
    expect(later.code, later.out + later.err).toBe(0);
  },
);

const filled = `delete from mart.t where day = '{{ ds }}'; insert into mart.t select day, id, v from raw.ev where day = '{{ ds }}'`;

test.each<[kind: string, more: string, said: RegExp | undefined, before?: string]>([
  ['an index', 'create index by_id on mart.t (id)', /makes the index by_id on mart\.t/],
  [
    'an index by code',
    "do $$ begin execute 'create index by_id on mart.t (id)'; end $$",
    /makes the index by_id on mart\.t/,
  ],
  [
    'an index that has another name',
    'alter index mart.by_id rename to by_id_2',
    /drops the index by_id on mart\.t, makes the index by_id_2 on mart\.t/,
    'create index by_id on mart.t (id)',
  ],
  [
    'a constraint',
    'alter table mart.t add constraint one_or_more check (id >= 0)',
    /makes the constraint one_or_more on mart\.t/,
  ],
  [
    'a constraint that goes',
    'alter table mart.t drop constraint one_or_more',
    /drops the constraint one_or_more on mart\.t/,
    'alter table mart.t add constraint one_or_more check (id >= 0)',
  ],
  ['a default', 'alter table mart.t alter column v set default 7', /alters columns of mart\.t/],
  ['a right', 'grant select on mart.t to public', /alters the rights on mart\.t/],
  ['a comment', "comment on column mart.t.v is 'a value'", /makes the comment on mart\.t\.v/],
  ['another table', 'create table mart.other (id int)', /makes the table mart\.other/],
  [
    'a partition',
    'create table if not exists mart.p_next partition of mart.p for values from (10) to (20)',
    /makes the table mart\.p_next/,
    'create table mart.p (id int) partition by range (id)',
  ],
  [
    'a partition that is taken off',
    'alter table mart.p detach partition mart.p_1',
    /alters the table mart\.p_1/,
    'create table mart.p (id int) partition by range (id); create table mart.p_1 partition of mart.p for values from (1) to (2)',
  ],
  [
    'a view with another query',
    'create or replace view mart.v as select id + 1 as id from mart.t',
    /alters the view mart\.v/,
    'create view mart.v as select id from mart.t',
  ],
  [
    'a function',
    "create or replace function mart.f() returns int language sql as 'select 2'",
    /alters the function mart\.f\(\)/,
    "create function mart.f() returns int language sql as 'select 1'",
  ],
  [
    'a trigger',
    'drop trigger keep on mart.t',
    /drops the trigger keep on mart\.t/,
    "create function mart.keep() returns trigger language plpgsql as 'begin return new; end'; create trigger keep after insert on mart.t execute function mart.keep()",
  ],
  ['a sequence', 'create sequence mart.numbers', /makes the sequence mart\.numbers/],
  ['a type', "create type mart.mood as enum ('good')", /makes the type mart\.mood/],
  ['nothing else', 'select 1', undefined],
  [
    'what is made again just so',
    'drop index mart.by_id; create index by_id on mart.t (id); analyze mart.t',
    undefined,
    'create index by_id on mart.t (id)',
  ],
  [
    'a view that is made again just so',
    'create or replace view mart.v as select id from mart.t',
    undefined,
    'create or replace view mart.v as select id from mart.t',
  ],
])(
  'an undo says before it begins what it leaves of its run: %s',
  { timeout: patienceMs },
  async (_, more, said, before) => {
    const sql = `${filled}; ${more}`;
    const open = await dagWorkspace(
      before === undefined ? setup : `${setup}; ${before}`,
      `SQLExecuteQueryOperator(task_id="t", conn_id="wh", sql=${JSON.stringify(sql)})`,
    );
    folder = open;
    const ran = await open.cli(['run', 'd.t', '--from', '2026-11-10', '--to', '2026-11-11', '--yes']);
    expect(ran.code, ran.out + ran.err).toBe(0);
    const run = /run (\S+): 0 unchanged, 1 changed/.exec(ran.out)?.[1] ?? '';
    const left = await open.rows('select * from mart.t order by day, id');
    const previewed = await open.cli(['undo', run, '--preview']);
    expect(await open.rows('select * from mart.t order by day, id')).toEqual(left);
    // Nobody can be asked: nothing is undone, and it is said all the same.
    const asked = await open.cli(['undo', run]);
    expect(asked.code).toBe(2);
    const undone = await open.cli(['undo', run, '--yes']);
    expect(undone.code, undone.out + undone.err).toBe(0);
    for (const { err, out } of [previewed, asked, undone]) {
      if (said === undefined) expect(err + out).not.toContain('not-undone');
      else {
        expect(err).toMatch(said);
        expect(err).toContain('an undo puts back rows of slices, and nothing else');
      }
    }
    expect(ran.out.includes('an undo puts back rows of its slices'), ran.out).toBe(said !== undefined);
    expect(await open.rows("select v < 0 from mart.t where id <> 0 and day = '2026-11-10'")).toEqual(
      Array.from({ length: 9 }, () => [true]),
    );
  },
);

test('of a table that a run made anew an undo says that the new one stays, also where there is nothing else', {
  timeout: patienceMs,
}, async () => {
  const swap = `create table mart.fresh as select day, id, v from raw.ev; drop table mart.t; alter table mart.fresh rename to t; create index on mart.t (id)`;
  const open = await dagWorkspace(
    setup,
    `SQLExecuteQueryOperator(task_id="t", conn_id="wh", sql=${JSON.stringify(swap)})`,
  );
  folder = open;
  const range = ['run', 'd.t', '--from', '2026-11-28', '--to', '2026-11-29', '--yes'];
  const ran = await open.cli(range);
  expect(ran.code, ran.out + ran.err).toBe(0);
  const run = /run (\S+): 0 unchanged, 1 changed/.exec(ran.out)?.[1] ?? '';
  expect((await open.cli(['undo', run, '--yes'])).err).toMatch(
    /makes mart\.t anew, with the indexes, constraints, rights and comments/,
  );
  const again = await open.cli(range);
  const second = /run (\S+): /.exec(again.out)?.[1] ?? '';
  expect(again.code, again.out + again.err).toBe(0);
  const third = /run (\S+): 1 unchanged/.exec((await open.cli(range)).out)?.[1] ?? '';
  expect(second).not.toBe(third);
  expect((await open.cli(['undo', third, '--yes'])).err).toMatch(
    /changed no rows, and an undo takes nothing else back/,
  );
});
