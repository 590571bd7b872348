import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPreview } from '../../src/core/run/relational/preview/preview.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import {
  engines,
  type Fixture,
  job,
  neverAborted,
  openFixture,
  realClock,
  scalar,
  shopTables,
  sql,
  useFixture,
} from '../support/warehouse-fixture.ts';

const [clear, fill] = job().statements.map(({ text }) => text) as [string, string];
/** Does the same as the first two statements, but no stage can take its place. */
const plainly = [clear, `${fill} returning id`];
/** A function `rm` that drops a table. */
const dropping = (returns: string, value: string, given = ''): string =>
  `create function rm(${given}) returns ${returns} language plpgsql as 'begin drop table if exists old; return ${value}; end'`;
const versions = "select string_agg(ctid::text, ',' order by id) from sales where day = '2026-11-01'";

describe.each(engines)('what lasts of a unit on %s whose slice is as it was', (engine) => {
  const fixture = useFixture(engine);
  let executor: UnitExecutor;
  let runs = 0;
  const run = (parts: Parameters<typeof job>[0] = {}) =>
    executor.execute(job({ run: `run-${++runs}`, ...parts }), neverAborted);
  const value = (query: string) => scalar(fixture.warehouse, query);
  const make = (...statements: readonly string[]) => sql(fixture.warehouse, ...statements);

  beforeAll(async () => {
    executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' });
    await make('create role reader');
  });
  beforeEach(async () => {
    await make('drop schema public cascade', 'create schema public', ...shopTables);
  });

  test.each<[what: string, statements: string, lasts: string, before?: readonly string[]]>([
    ['a table', 'create table made as select * from orders', 'select count(*) from made'],
    [
      'a table made unless it is there',
      'create table if not exists made (id int)',
      "select 1 from pg_class where relname = 'made'",
    ],
    ['an index', 'create index made on sales (amount)', "select 1 from pg_class where relname = 'made'"],
    [
      'an index unless it is there',
      'create index if not exists made on sales (amount)',
      "select 1 from pg_class where relname = 'made'",
    ],
    ['a right', 'grant select on orders to reader', "select 1 where has_table_privilege('reader', 'orders', 'select')"],
    [
      'a right on a column',
      'grant select (id) on orders to reader',
      "select 1 where has_column_privilege('reader', 'orders', 'id', 'select')",
    ],
    [
      'a right taken back',
      'revoke select on orders from reader',
      "select 1 where not has_table_privilege('reader', 'orders', 'select')",
      ['grant select on orders to reader'],
    ],
    [
      'rights that others will have',
      'alter default privileges grant select on tables to reader',
      'select 1 from pg_default_acl',
    ],
    [
      'a comment',
      "comment on table sales is 'rebuilt'",
      "select 1 where obj_description('sales'::regclass) = 'rebuilt'",
    ],
    [
      'a comment on a column',
      "comment on column sales.amount is 'in euros'",
      "select 1 where col_description('sales'::regclass, 3) = 'in euros'",
    ],
    [
      'a comment that goes',
      'comment on table sales is null',
      "select 1 where obj_description('sales'::regclass) is null",
      ["comment on table sales is 'old'"],
    ],
    [
      'a comment on the database',
      `do $$ begin execute format('comment on database %I is %L', current_database(), 'loaded'); end $$`,
      "select 1 from pg_shdescription where description = 'loaded'",
    ],
    ['a function', "create or replace function made() returns int language sql as 'select 1'", 'select made()'],
    [
      'a function made anew',
      "create or replace function made() returns int language sql as 'select 2'",
      'select 1 where made() = 2',
      ["create function made() returns int language sql as 'select 1'"],
    ],
    [
      'a procedure',
      "create procedure made() language sql as 'select 1'",
      "select 1 from pg_proc where proname = 'made'",
    ],
    ['a view', 'create view made as select * from orders', 'select count(*) from made'],
    [
      'a view made anew',
      'create or replace view made as select id, 2 as x from orders',
      'select 1 from made where x = 2',
      ['create view made as select id, 1 as x from orders'],
    ],
    ['a materialized view', 'create materialized view made as select * from orders', 'select count(*) from made'],
    [
      'rows of a materialized view',
      'refresh materialized view made',
      'select 1 from made where amount = 77',
      ['create materialized view made as select * from orders', 'update orders set amount = 77 where id = 25'],
    ],
    ['a sequence', 'create sequence made', "select nextval('made')"],
    [
      'a sequence that begins anew',
      'alter sequence made restart with 50',
      "select 1 where nextval('made') = 50",
      ['create sequence made'],
    ],
    [
      'a schema',
      'create schema if not exists later',
      "select 1 from pg_namespace where nspname = 'later'",
      ['drop schema if exists later'],
    ],
    ['a type', "create type made as enum ('a')", "select 1 where 'a'::made is not null"],
    [
      'a value of a type',
      "alter type made add value 'b'",
      "select 1 where 'b'::made is not null",
      ["create type made as enum ('a')"],
    ],
    ['a domain', 'create domain made as int check (value > 0)', 'select 1::made'],
    ['statistics', 'create statistics made on id, amount from orders', 'select 1 from pg_statistic_ext'],
    [
      'a trigger',
      'create trigger made before update on orders for each row execute function suppress_redundant_updates_trigger()',
      "select 1 from pg_trigger where tgname = 'made'",
    ],
    [
      'a trigger switched off',
      'alter table only orders disable trigger made',
      "select 1 from pg_trigger where tgname = 'made' and tgenabled = 'D'",
      [
        'create trigger made before update on orders for each row execute function suppress_redundant_updates_trigger()',
        'alter table sales add x int',
      ],
    ],
    [
      'a rule',
      'create rule made as on delete to orders do also nothing',
      "select 1 from pg_rewrite where rulename = 'made'",
    ],
    ['a policy', 'create policy made on sales using (true)', 'select 1 from pg_policy'],
    [
      'a partition for tomorrow',
      'create table parted_2 partition of parted for values from (2) to (3)',
      "select 1 from pg_class where relname = 'parted_2'",
      ['create table parted (id int) partition by range (id)'],
    ],
    [
      'a table under another name',
      'alter table other rename to another',
      'select count(*) from another',
      ['create table other (id int)'],
    ],
    [
      'a table that goes',
      'drop table other',
      "select 1 where to_regclass('other') is null",
      ['create table other (id int)'],
    ],
    [
      'an index that goes',
      'drop index other',
      "select 1 where to_regclass('other') is null",
      ['create index other on orders (amount)'],
    ],
    [
      'a table made by a text',
      "do $$ begin execute 'create table made_' || 2026 || ' (id int)'; end $$",
      'select count(*) from made_2026',
    ],
    [
      'a table made by a function',
      'select make_it()',
      'select count(*) from made',
      ["create function make_it() returns void language sql as 'create table made (id int)'"],
    ],
    [
      'a table made after a fault was caught',
      `do $$ begin
       create table made (id int);
       begin create table lost (id int); perform 1 / 0; exception when division_by_zero then null; end;
     end $$`,
      'select count(*) from made',
    ],
    [
      'a swap',
      'alter table next rename to next_old; drop table next_old; alter table fresh rename to next',
      'select 1 from next where id = 7',
      ['create table next (id int)', 'create table fresh as select 7 as id'],
    ],
    ['a setting of a role', "alter role reader set work_mem to '9MB'", 'select 1 from pg_db_role_setting'],
    [
      'a member of a role',
      'grant reader to current_user',
      "select 1 from pg_auth_members where roleid = 'reader'::regrole",
      ['revoke reader from current_user'],
    ],
    [
      'a large object',
      'select lo_create(4711)',
      'select 1 from pg_largeobject_metadata where oid = 4711',
      ['select lo_unlink(oid) from pg_largeobject_metadata'],
    ],
    [
      'a default',
      'alter table sales alter column amount set default 1',
      "select 1 from pg_attrdef where adrelid = 'sales'::regclass",
    ],
    ['statistics that are gathered', 'analyze sales', "select 1 from pg_stats where tablename = 'sales' limit 1"],
  ])('%s is kept', async (_what, statements, lasts, before = []) => {
    await make(...before);
    const outcome = await run({ statements: [...plainly, ...statements.split(/; (?=alter|drop)/)] });
    expect(outcome).toMatchObject({ state: 'unchanged', slices: [{ added: 0, removed: 0, changed: 0 }] });
    expect(await value(lasts)).toBeTruthy();
    expect(await value('select state from backfill_ledger.units order by updated_at desc limit 1')).toBe('unchanged');
    expect(outcome.state === 'unchanged' && outcome.notes.join()).toMatch(
      /That is kept, although its slices are unchanged\.$/,
    );
  });

  test.each<[what: string, statements: readonly string[], before?: readonly string[]]>([
    ['nothing', plainly],
    ['what a stage does', [clear, fill]],
    ['a temporary table', ['create temp table t as select * from orders', ...plainly]],
    [
      'a temporary table that it drops',
      [
        'create temporary table t (id int primary key, x text default 1)',
        'insert into t values (1)',
        ...plainly,
        'drop table t',
      ],
    ],
    ['a temporary view', ['create temp view t as select * from orders', ...plainly]],
    [
      'a temporary table with a sequence and an index',
      [
        'create temp table t (id serial, x text, check (id > 0))',
        'create index on t (x)',
        'alter table t add y int',
        ...plainly,
      ],
    ],
    [
      'a temporary table with parts',
      [
        'create temp table t (id int) partition by list (id)',
        'create temp table t1 partition of t for values in (1)',
        ...plainly,
      ],
    ],
    [
      'a temporary table with statistics and a comment',
      [
        'create temp table t on commit drop as select * from orders',
        "comment on table t is 'of the day'",
        'analyze t',
        ...plainly,
      ],
    ],
    [
      'a function that only computes',
      [clear, fill.replace('amount', 'twice(amount) / 2')],
      ["create function twice(x numeric) returns numeric language sql as 'select x * 2'"],
    ],
    ['a block that only writes rows', [`do $$ begin ${clear}; ${fill}; end $$`]],
    ['settings', ["set work_mem = '8MB'", ...plainly]],
    [
      'a function of the database that is not called',
      plainly,
      ["create function tell() returns void language sql as 'notify x'"],
    ],
  ])('%s leaves nothing, so the rows stay as they are', async (_what, statements, before = []) => {
    await make(...before);
    const old = await value(versions);
    expect(await run({ statements })).toMatchObject({ state: 'unchanged', notes: [] });
    expect(await value(versions)).toBe(old);
  });

  test('statistics that are gathered are called that', async () => {
    expect(await run({ statements: [...plainly, 'analyze sales'] })).toMatchObject({
      notes: ['It took statistics (ANALYZE). That is kept, although its slices are unchanged.'],
    });
  });

  test('a preview says what a run would keep', async () => {
    const preview = openPreview(fixture.warehouse, { clock: realClock, owner: 'tester' }, 60_000);
    const statements = [...plainly, "comment on table sales is 'rebuilt'"];
    const outcome = await preview.executor.execute(job({ run: `run-${++runs}`, statements }), neverAborted);
    await preview.end();
    expect(outcome).toMatchObject({
      state: 'previewed',
      changed: false,
      notes: [expect.stringMatching(/A run keeps that, although its slices are unchanged\.$/)],
    });
    expect(await value("select obj_description('sales'::regclass)")).toBeFalsy();
  });

  test('emptying the whole table and filling it with the same rows leaves nothing', async () => {
    const slices = [{ ...job().slices[0], column: undefined, from: undefined, to: undefined }] as ReturnType<
      typeof job
    >['slices'];
    const filled = 'insert into sales select * from orders returning id';
    const old = await value("select relfilenode from pg_class where oid = 'sales'::regclass");
    expect(await run({ statements: ['truncate sales', filled], slices })).toMatchObject({
      state: 'unchanged',
      notes: [],
    });
    expect(await value("select relfilenode from pg_class where oid = 'sales'::regclass")).toBe(old);
    await make('grant select on sales to reader');
    const revoked = ['truncate sales', filled, 'do $$ begin revoke all on sales from reader; end $$'];
    expect(await run({ statements: revoked, slices })).toMatchObject({
      state: 'unchanged',
      notes: [expect.stringContaining('kept')],
    });
    expect(await value("select has_table_privilege('reader', 'sales', 'select')")).toBe('f');
  });

  test.each<[what: string, statements: readonly string[], said: string | undefined, before?: readonly string[]]>([
    ['a table of its own', ['drop table old'], 'drops the table public.old:'],
    ['by a body', ["do $$ begin execute 'drop table old'; end $$"], 'drops the table public.old:'],
    [
      'with its schema',
      ['drop schema far cascade'],
      'drops the table far.one, drops the schema far:',
      ['create schema far', 'create table far.one (id int)'],
    ],
    [
      'a materialized view',
      ['drop materialized view seen'],
      'drops the materialized view public.seen:',
      ['create materialized view seen as select 1 as one'],
    ],
    ['a column', ['alter table old drop column b'], 'drops b of public.old:'],
    [
      'into another schema',
      ['alter table old set schema far'],
      'names the table public.old far.old:',
      ['create schema far'],
    ],
    ['by a function', ['select rm()'], 'drops the table public.old:', [dropping('int', '1')]],
    [
      'by a trigger',
      [],
      'drops the table public.old:',
      [dropping('trigger', 'new'), 'create trigger rm before insert on sales execute function rm()'],
    ],
    [
      'by an operator, whose function no text names',
      ['select 1 operator(public.@#@) 2'],
      'drops the table public.old:',
      [
        dropping('int', '1', 'a int, b int'),
        'create operator public.@#@ (leftarg = int, rightarg = int, function = rm)',
      ],
    ],
    [
      'and what a function makes',
      ['select mk()'],
      'makes the table public.extra:',
      [
        "create function mk() returns int language plpgsql as 'begin create table if not exists extra (); return 1; end'",
      ],
    ],
    ['a staging table', ['drop table stg_old'], undefined, ['create table stg_old (id int)']],
    ['a table that is made again', ['drop table old', 'create table old (id int)'], undefined],
    ['a column that has another name', ['alter table old rename b to c'], 'alters columns of public.old:'],
  ])('a changed unit says what it takes away: %s', async (_, statements, said, before = []) => {
    await make('create table old (id int, b int)', ...before, 'update orders set amount = amount + 1 where id = 12');
    const texts = [...job().statements.map(({ text }) => text), ...statements];
    const outcome = await run({ statements: texts });
    expect(outcome).toMatchObject({ state: 'changed' });
    const all = 'notes' in outcome ? outcome.notes : [];
    // Of many of them a second run fails, which is said too.
    const notes = all.filter((note) => !/^(?:A second run|Its statements were sent twice)/.test(note));
    if (said === undefined) expect(notes).toEqual([]);
    else expect(notes).toEqual([expect.stringContaining(`The task ${said}`)]);
    await make('drop schema if exists far cascade');
  });

  test('what is all that a task does is a change, and is called one', async () => {
    const outcome = await run({ statements: ['create index if not exists made on sales (day)'], slices: [] });
    expect(outcome).toMatchObject({
      state: 'changed',
      slices: [],
      notes: [expect.stringMatching(/^The task makes the index made on public\.sales: an undo/)],
    });
    expect(await value("select count(*) from pg_class where relname = 'made'")).toBe('1');
    expect(await run({ statements: ['create index if not exists made on sales (day)'], slices: [] })).toMatchObject({
      state: 'unchanged',
      slices: [],
    });
  });

  test('what is held or failed takes all of it back', async () => {
    const held = await run({
      statements: [clear, 'insert into sales select * from sales where false', 'create table made (id int)'],
    });
    expect(held).toMatchObject({ state: 'held', code: 'empty' });
    const failed = await run({ statements: ['create table made (id int)', 'select 1 / 0'] });
    expect(failed).toMatchObject({ state: 'failed' });
    expect(await value("select to_regclass('made')")).toBeNull();
  });
});

describe('notifications of a unit whose slice is as it was', () => {
  let fixture: Fixture;
  let executor: UnitExecutor;
  let runs = 0;
  const heard: string[] = [];
  let listener: import('pg').Client;

  beforeAll(async () => {
    fixture = await openFixture('postgres');
    executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' });
    const { Client } = (await import('pg')).default;
    const { connection } = fixture;
    if (connection.engine !== 'postgres') throw new Error('not a server');
    const { host, port, user, password, database } = connection;
    listener = new Client({ host, port, user, password, database } as import('pg').ClientConfig);
    await listener.connect();
    listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await listener.query('listen loads');
  });
  afterAll(async () => {
    await listener.end();
    await fixture.close();
  });
  beforeEach(async () => {
    heard.length = 0;
    await sql(fixture.warehouse, 'drop schema public cascade', 'create schema public', ...shopTables);
  });

  const told = "create function tell() returns int language plpgsql as $$ begin notify loads, 'told'; return 0; end $$";

  test.each<[how: string, statements: readonly string[], before?: readonly string[]]>([
    ['NOTIFY', [...plainly, "notify loads, 'told'"]],
    ['pg_notify', [...plainly, "select pg_notify('loads', 'told')"]],
    ['a block', [...plainly, "do $$ begin perform pg_notify('loads', 'told'); end $$"]],
    ['a function', [...plainly, 'select tell()'], [told]],
    ['a function of the rows that are staged', [clear, fill.replace('amount', 'amount + tell()')], [told]],
    [
      'a function in another',
      [...plainly, 'select outer_one()'],
      [told, "create function outer_one() returns int language sql as 'select tell()'"],
    ],
    [
      'a function in quotes',
      [...plainly, 'select "Tell It"()'],
      [told, `create function "Tell It"() returns int language sql begin atomic select tell(); end`],
    ],
    [
      'a text that a function runs',
      [...plainly, 'select run_it()'],
      [
        `create function run_it() returns void language plpgsql as $$ begin execute 'not' || 'ify loads, ''told'''; end $$`,
      ],
    ],
    [
      'a trigger',
      plainly,
      [
        told,
        'create function on_row() returns trigger language plpgsql as $$ begin perform tell(); return new; end $$',
        'create trigger t after insert on sales for each row execute function on_row()',
      ],
    ],
    [
      'a trigger of a statement',
      plainly,
      [
        "create function on_load() returns trigger language plpgsql as $$ begin perform pg_notify('loads', 'told'); return null; end $$",
        'create trigger t after insert on sales execute function on_load()',
      ],
    ],
    ['a view', [...plainly, 'select * from telling'], [told, 'create view telling as select tell() as x']],
    [
      'a view that asks itself',
      [...plainly, 'select * from telling'],
      ["create view telling as select 1 as x from pg_notify('loads', 'told')"],
    ],
    ['a rule', plainly, ["create rule r as on delete to sales do also notify loads, 'told'"]],
    [
      'a default',
      plainly,
      [told, 'alter table sales add note int default tell()', 'update orders set amount = amount'],
    ],
    [
      'an operator',
      [...plainly, 'select 1 ~~~> 2'],
      [
        told,
        "create function op(int, int) returns int language sql as 'select tell()'",
        'create operator ~~~> (function = op, leftarg = int, rightarg = int)',
      ],
    ],
  ])('by %s are sent', async (how, statements, before = []) => {
    await sql(fixture.warehouse, ...before);
    if (how === 'a default') await sql(fixture.warehouse, 'update sales set note = 0');
    heard.length = 0;
    const parts = { run: `n-${++runs}`, statements, options: { lockTable: false } };
    expect(await executor.execute(job(parts), neverAborted)).toMatchObject({
      state: 'unchanged',
      notes: ['It may have sent notifications. That is kept, although its slices are unchanged.'],
    });
    await listener.query('select 1');
    expect(heard).toContain('told');
  });
});

test('what somebody else rolls back meanwhile is a doubt, and no object of the task', async () => {
  const fixture = await openFixture('postgres');
  const { warehouse } = fixture;
  const other = await warehouse.connect('unit');
  const until = { done: false };
  try {
    await sql(warehouse, 'drop schema public cascade', 'create schema public', ...shopTables);
    const executor = relationalExecutor(warehouse, { clock: realClock, owner: 'tester' });
    const slices = [{ ...job().slices[0], column: undefined, from: undefined, to: undefined }] as ReturnType<
      typeof job
    >['slices'];
    const rollingBack = (async () => {
      while (!until.done)
        for (const statement of ['begin', 'select txid_current()', 'rollback']) await other.query(statement);
    })();
    const refill = 'insert into sales select * from orders returning id';
    const outcome = await executor.execute(
      job({ statements: ['truncate sales', refill, 'select pg_sleep(0.5)'], slices }),
      neverAborted,
    );
    until.done = true;
    await rollingBack;
    expect(outcome).toMatchObject({
      state: 'unchanged',
      notes: [
        expect.stringMatching(/^Whether anything else of it lasts is not known, because something was rolled back/),
      ],
    });
  } finally {
    until.done = true;
    await other.close();
    await fixture.close();
  }
});

describe('beside a unit others define things', () => {
  const fixture = useFixture('postgres');

  test('and none of that is told as its own', async () => {
    await sql(
      fixture.warehouse,
      'drop schema if exists mart cascade',
      'create schema mart',
      'create table mart.a (day date, n int)',
      'create table mart.gone (id int)',
      'create view mart.seen as select 1 as one',
      "create function mart.f() returns int language sql as 'select 1'",
      'create table mart.other (id int)',
      'create index going on mart.other (id)',
    );
    const slices = [
      {
        ...job().slices[0],
        table: 'mart.a',
        column: undefined,
        from: undefined,
        to: undefined,
        predicate: undefined,
        key: [],
      },
    ];
    const statements = [
      'select pg_sleep(2)',
      'delete from mart.a',
      "insert into mart.a values ('2026-11-01', 1)",
      'create index made_here on mart.a (n)',
      'drop table mart.gone',
      'analyze mart.a',
    ];
    const unit = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' }).execute(
      job({ run: 'beside', statements, slices: slices as ReturnType<typeof job>['slices'] }),
      neverAborted,
    );
    const others = async () => {
      await new Promise((done) => setTimeout(done, 700));
      await sql(
        fixture.warehouse,
        'create table mart.made_by_others (id int)',
        'drop view mart.seen',
        "create or replace function mart.f() returns int language sql as 'select 2'",
        'drop index mart.going',
        'alter table mart.other add constraint some_id check (id > 0)',
        'grant select on mart.other to public',
      );
    };
    const [outcome] = await Promise.all([unit, others()]);
    const notes = 'notes' in outcome ? outcome.notes.filter((note) => note.startsWith('The task')) : [];
    expect(notes).toEqual([
      'The task drops the table mart.gone, makes the index made_here on mart.a: an undo puts back rows of its slices, and none of that.',
    ]);
  });
});
