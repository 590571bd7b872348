import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import {
  engines,
  job,
  neverAborted,
  readsOrders,
  realClock,
  scalar,
  shopTables,
  sql,
  useFixture,
} from '../support/warehouse-fixture.ts';

const clear = "delete from sales where day = '2026-11-01'";
const fill = (amount: string, from = 'orders o') =>
  `insert into sales (id, day, amount) select o.id, o.day, ${amount} from ${from} where o.day = '2026-11-01'`;
const rates = [
  'create schema raw',
  'create table raw.fx (cur text, rate numeric)',
  "insert into raw.fx values ('USD', 2)",
];

/** Each: what stands in the database, the statements of the task, and a change that only the database's own code sees. */
const followed: Readonly<
  Record<string, { made?: readonly string[]; task?: readonly string[]; change: string; table?: string }>
> = {
  'a function of SQL': {
    made: [
      'create function raw.eur(n numeric) returns numeric language sql stable as $$ select n * rate from raw.fx $$',
    ],
    task: [clear, fill('raw.eur(o.amount)')],
    change: 'update raw.fx set rate = 3',
  },
  'a function that says that it is immutable': {
    made: ['create function raw.rate() returns numeric language sql immutable as $$ select max(rate) from raw.fx $$'],
    task: [clear, fill('o.amount * raw.rate()')],
    change: 'update raw.fx set rate = 3',
  },
  'a function that says nothing about itself': {
    made: [
      `create function raw.rate(c text) returns numeric language plpgsql as $$
       declare r numeric; begin select f.rate into r from raw.fx f where f.cur = c; return r; end $$`,
    ],
    task: [clear, fill(`o.amount * raw.rate('USD')`)],
    change: 'update raw.fx set rate = 3',
  },
  'a function with a parsed body': {
    made: ['create function raw.rate() returns numeric begin atomic select max(rate) from raw.fx; end'],
    task: [clear, fill('o.amount * raw.rate()')],
    change: 'update raw.fx set rate = 3',
  },
  'a function of a function': {
    made: [
      'create function raw.rate() returns numeric language sql stable as $$ select max(rate) from raw.fx $$',
      'create function raw.eur(n numeric) returns numeric language plpgsql stable as $$ begin return n * raw.rate(); end $$',
    ],
    task: [clear, fill('raw.eur(o.amount)')],
    change: 'update raw.fx set rate = 3',
  },
  'a function with a search_path of its own': {
    made: [
      'create function eur(n numeric) returns numeric language sql stable set search_path = raw, pg_temp as $$ select n * rate from fx $$',
    ],
    task: [clear, fill('eur(o.amount)')],
    change: 'update raw.fx set rate = 3',
  },
  'a function through a view': {
    made: [
      'create view raw.rates as select cur, rate from raw.fx',
      'create function raw.eur(n numeric) returns numeric language sql stable as $$ select n * rate from raw.rates $$',
    ],
    task: [clear, fill('raw.eur(o.amount)')],
    change: 'update raw.fx set rate = 3',
    table: 'raw.rates',
  },
  'a function in the query of a view': {
    made: [
      'create function raw.eur(n numeric) returns numeric language sql stable as $$ select n * rate from raw.fx $$',
      'create view in_eur as select id, day, raw.eur(amount) as amount from orders',
    ],
    task: [clear, fill('o.amount', 'in_eur o')],
    change: 'update raw.fx set rate = 3',
  },
  'a function of a row, written like a column': {
    made: [
      'create function eur(o orders) returns numeric language sql stable as $$ select o.amount * rate from raw.fx $$',
    ],
    task: [clear, fill('o.eur')],
    change: 'update raw.fx set rate = 3',
  },
  'a function in FROM': {
    made: [
      'create function raw.rates() returns setof raw.fx language plpgsql stable as $$ begin return query select * from raw.fx; end $$',
    ],
    task: [clear, fill('o.amount * r.rate', 'orders o, raw.rates() r')],
    change: 'update raw.fx set rate = 3',
  },
  'the default of an argument': {
    made: [
      'create function raw.rate() returns numeric language sql stable as $$ select max(rate) from raw.fx $$',
      'create function raw.eur(n numeric, r numeric default raw.rate()) returns numeric language sql immutable as $$ select n * r $$',
    ],
    task: [clear, fill('raw.eur(o.amount)')],
    change: 'update raw.fx set rate = 3',
  },
  'an aggregate': {
    made: [
      'create function raw.add(a numeric, n numeric) returns numeric language sql stable as $$ select coalesce(a, 0) + n * (select max(rate) from raw.fx) $$',
      'create aggregate raw.total(numeric) (sfunc = raw.add, stype = numeric)',
    ],
    task: [clear, `${fill('raw.total(o.amount)')} group by 1, 2`],
    change: 'update raw.fx set rate = 3',
  },
  'an operator': {
    made: [
      'create function raw.times(a numeric, b text) returns numeric language sql stable as $$ select a * rate from raw.fx where cur = b $$',
      'create operator raw.*$ (function = raw.times, leftarg = numeric, rightarg = text)'.replace('*$', '*#'),
    ],
    task: [clear, fill("o.amount operator(raw.*#) 'USD'")],
    change: 'update raw.fx set rate = 3',
  },
  'a trigger that fills columns': {
    made: [
      `create function raw.set_amount() returns trigger language plpgsql as $$
       begin new.amount := new.amount * (select max(rate) from raw.fx); return new; end $$`,
      'create trigger eur before insert on sales for each row execute function raw.set_amount()',
    ],
    task: [clear, fill('o.amount')],
    change: 'update raw.fx set rate = 3',
  },
  'a default': {
    made: [
      'create function raw.rate() returns numeric language sql stable as $$ select max(rate) from raw.fx $$',
      'alter table sales alter column amount set default raw.rate()',
    ],
    task: [clear, "insert into sales (id, day) select id, day from orders where day = '2026-11-01'"],
    change: 'update raw.fx set rate = 3',
  },
};

const operator = (function_: string) =>
  `create operator *# (function = ${function_}, leftarg = numeric, rightarg = numeric)`;
const wrapper = ['create foreign data wrapper w', 'create server far foreign data wrapper w'];

/** What a task rests on that stands in the catalogs only: once it is defined in another way, the unit runs, and then is left out again. */
const redefined: Readonly<
  Record<string, { made: readonly string[]; fill: string; change: readonly string[]; rows: 'changed' | 'unchanged' }>
> = {
  'the mapping of a text search configuration': {
    made: ['create text search configuration cfg (copy = simple)'],
    fill: fill("length(to_tsvector('cfg', 'the running dogs')::text)"),
    change: ['alter text search configuration cfg alter mapping for asciiword with english_stem'],
    rows: 'changed',
  },
  'a text search configuration made anew': {
    made: ['create text search configuration cfg (copy = simple)'],
    fill: fill("length(to_tsvector('cfg', 'the running dogs')::text)"),
    change: ['drop text search configuration cfg', 'create text search configuration cfg (copy = english)'],
    rows: 'changed',
  },
  'the options of a text search dictionary': {
    made: [
      'create text search dictionary words (template = simple)',
      'create text search configuration cfg (copy = simple)',
      'alter text search configuration cfg alter mapping for asciiword with words',
    ],
    fill: fill("length(to_tsvector('cfg', 'the running dogs')::text)"),
    change: ['alter text search dictionary words (accept = false)'],
    rows: 'changed',
  },
  'the collation of a column': {
    made: ['create table words (w text collate "POSIX")', "insert into words values ('a'), ('B')"],
    fill: fill('(select length(min(w)) + ascii(min(w)) from words)'),
    change: ['alter table words alter w type text collate "C"'],
    rows: 'unchanged',
  },
  'a collation': {
    made: ["create collation sorted (provider = libc, locale = 'C')"],
    fill: fill("case when 'a' collate sorted < 'B' then 1 else 2 end"),
    change: ['drop collation sorted', "create collation sorted (provider = libc, locale = 'POSIX')"],
    rows: 'unchanged',
  },
  'the function of an operator': {
    made: [
      'create function plus(a numeric, b numeric) returns numeric language sql immutable as $$ select a + b $$',
      'create function times(a numeric, b numeric) returns numeric language sql immutable as $$ select a * b $$',
      operator('plus'),
    ],
    fill: fill('o.amount *# 3'),
    change: ['drop operator *# (numeric, numeric)', operator('times')],
    rows: 'changed',
  },
  'the function of a cast': {
    made: [
      'create type euro as (cents int)',
      'create function whole(e euro) returns int language sql immutable as $$ select e.cents / 100 $$',
      'create function parts(e euro) returns int language sql immutable as $$ select e.cents $$',
      'create cast (euro as int) with function whole(euro)',
    ],
    fill: fill('row(o.id::int * 100)::euro::int'),
    change: ['drop cast (euro as int)', 'create cast (euro as int) with function parts(euro)'],
    rows: 'changed',
  },
  'the order of the values of an enum': {
    made: ["create type level as enum ('low', 'high')"],
    fill: fill("case when 'low'::level < 'high'::level then 1 else 2 end"),
    change: ["alter type level add value 'none' before 'low'"],
    rows: 'unchanged',
  },
  'the attributes of a type': {
    made: ['create type pair as (a int)'],
    fill: fill('length(row_to_json(null::pair)::text)'),
    change: ['alter type pair alter attribute a type text'],
    rows: 'unchanged',
  },
  'the state that an aggregate begins with': {
    made: ['create aggregate total(numeric) (sfunc = numeric_add, stype = numeric, initcond = 1)'],
    fill: `${fill('total(o.amount)')} group by 1, 2`,
    change: ['create or replace aggregate total(numeric) (sfunc = numeric_add, stype = numeric, initcond = 100)'],
    rows: 'changed',
  },
  'the default of a domain': {
    made: ['create domain price as numeric default 1'],
    fill: fill('(o.amount + 1)::price'),
    change: ['alter domain price set default 2'],
    rows: 'unchanged',
  },
  'the options of a foreign server': {
    made: wrapper,
    fill: fill('o.amount + 1'),
    change: ["alter server far options (add host 'elsewhere')"],
    rows: 'unchanged',
  },
  'whom a foreign server takes one for': {
    made: [...wrapper, "create user mapping for public server far options (user 'one')"],
    fill: fill('o.amount + 1'),
    change: ["alter user mapping for public server far options (set user 'two')"],
    rows: 'unchanged',
  },
};

/** Settings that decide what the same SQL makes, as somebody sets them for the database. */
const decidedBy: Readonly<Record<string, { fill: string; from: string; to: string }>> = {
  default_text_search_config: {
    fill: fill("length(to_tsvector('the running dogs')::text)"),
    from: 'english',
    to: 'simple',
  },
  extra_float_digits: { fill: fill('length((o.amount::float8 / 3)::text)'), from: '0', to: '-10' },
  'plpgsql.variable_conflict': { fill: fill('o.amount'), from: 'error', to: 'use_column' },
};

/** What no look at tables can tell: never left out. */
const open: Readonly<Record<string, { made?: readonly string[]; task: readonly string[] }>> = {
  'current_setting()': { task: [clear, fill("coalesce(nullif(current_setting('app.rate', true), '')::numeric, 1)")] },
  'current_setting() in a function': {
    made: [
      "create function tenant() returns text language sql stable as $$ select current_setting('app.tenant', true) $$",
    ],
    task: [clear, fill('length(tenant())')],
  },
  'random()': { task: [clear, fill('random()')] },
  'a new identifier': { task: [clear, fill('length(gen_random_uuid()::text)')] },
  'a sequence': { made: ['create sequence numbers'], task: [clear, fill("nextval('numbers')")] },
  'where a row lies': { task: [clear, fill('length(o.ctid::text)')] },
  'a sample': { task: [clear, fill('o.amount', 'orders o tablesample system (100)')] },
  'a word for today': { task: [clear, fill("case when o.day < 'today'::date then 1 else 2 end")] },
  'an age': { task: [clear, fill('extract(year from age(o.day))')] },
  'a clock in a function': {
    made: ['create function days(d date) returns int language sql stable as $$ select current_date - d $$'],
    task: [clear, fill('days(o.day)')],
  },
  'a clock in the default of an argument': {
    made: [
      'create function days(d date, t timestamptz default now()) returns int language sql immutable as $$ select t::date - d $$',
    ],
    task: [clear, fill('days(o.day)')],
  },
  'a clock in a view under a view': {
    made: [
      'create view until_today as select * from orders where day <= current_date',
      'create view of_now as select * from until_today',
    ],
    task: [clear, fill('o.amount', 'of_now o')],
  },
  'a function that builds its SQL': {
    made: [
      `create function total(t text) returns numeric language plpgsql stable as $$
       declare n numeric; begin execute 'select max(rate) from ' || t into n; return n; end $$`,
    ],
    task: [clear, fill("total('raw.fx')")],
  },
  'a function that writes': {
    made: [
      'create table calls (n int)',
      `create function note(n numeric) returns numeric language plpgsql as $$ begin insert into calls values (1); return n; end $$`,
    ],
    task: [clear, fill('note(o.amount)')],
  },
  'a setting read by a default': {
    made: ["alter table sales add column tenant text default current_setting('app.tenant', true)"],
    task: [clear, fill('o.amount')],
  },
  'a catalog': { task: [clear, fill("pg_relation_size('raw.fx')")] },
  'a dictionary of text search with a file': {
    made: ['create text search dictionary filed (template = simple, stopwords = english)'],
    task: [clear, fill("length(to_tsvector('english', o.amount::text)::text)")],
  },
  'a dictionary of text search with a file, by an operator': {
    made: ['create text search dictionary filed (template = simple, stopwords = english)'],
    task: [clear, fill("case when 'the dogs'::text @@ 'dog'::text then 1 else 2 end")],
  },
  'a policy': {
    made: ['alter table sales enable row level security', 'create policy all_of_it on sales using (true)'],
    task: [clear, fill('o.amount')],
  },
};

/** Functions that change nothing about it: still left out. */
const settled: Readonly<Record<string, { made?: readonly string[]; task: readonly string[] }>> = {
  'functions of their arguments': {
    made: ['create function twice(n numeric) returns numeric language plpgsql as $$ begin return n * 2; end $$'],
    task: [clear, fill("twice(round(o.amount, 1)) + length(to_char(o.day, 'YYYY'))")],
  },
  'a trigger that fires when the rows are written': {
    made: [
      `create function note() returns trigger language plpgsql as $$
       begin raise log '% by % at %', tg_op, current_user, clock_timestamp(); return null; end $$`,
      'create trigger note after insert or delete on sales for each statement execute function note()',
    ],
    task: [clear, fill('o.amount')],
  },
  'a surrogate that a default gives': {
    made: ['alter table sales add column made_at timestamptz default now()'],
    task: [clear, fill('o.amount')],
  },
  'dictionaries of text search with a file, for who searches no text': {
    made: ['create text search dictionary filed (template = simple, stopwords = english)'],
    task: [clear, fill('o.amount')],
  },
  'columns that are called like tables': {
    made: ['create table amount (n int)'],
    task: [clear, fill('o.amount')],
  },
};

describe.each(engines)('what stands in the database on %s', (engine) => {
  const fixture = useFixture(engine);
  let executor: UnitExecutor;
  let runs = 0;
  const change = (...statements: readonly string[]) => sql(fixture.warehouse, ...statements);
  const run = (statements: readonly string[], parts: Parameters<typeof job>[0] = {}) =>
    executor.execute(
      job({ run: `run-${++runs}`, inputs: [readsOrders], cutsOff: true, statements, ...parts }),
      neverAborted,
    );

  beforeAll(async () => {
    executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' });
    await change(...shopTables);
    await run(job().statements.map(({ text }) => text));
  });
  beforeEach(async () => {
    await change(
      'drop foreign data wrapper if exists w cascade',
      'drop schema if exists raw cascade',
      'drop schema public cascade',
      'create schema public',
    );
    await change('delete from backfill_ledger.versions', ...shopTables, ...rates);
  });

  test.each(Object.entries(followed))(
    '%s is followed to the tables that it reads',
    async (_, { made = [], task = [], ...case_ }) => {
      await change(...made);
      expect(await run(task)).toMatchObject({ state: 'changed' });
      expect(await run(task)).toMatchObject({ state: 'skipped' });
      await change(case_.change);
      expect(await run(task)).toMatchObject({
        state: 'changed',
        slices: [{ causes: [{ kind: 'input', table: case_.table ?? 'raw.fx' }] }],
      });
      expect(await run(task)).toMatchObject({ state: 'skipped' });
    },
  );

  test.each(Object.entries(redefined))('%s is looked at', async (_, { made, fill: insert, change: changed, rows }) => {
    await change(...made);
    expect(await run([clear, insert])).toMatchObject({ state: 'changed' });
    expect(await run([clear, insert])).toMatchObject({ state: 'skipped' });
    await change(...changed);
    expect(await run([clear, insert])).toMatchObject({
      state: rows,
      ...(rows === 'changed' ? { slices: [{ causes: [{ kind: 'definitions' }] }] } : {}),
    });
    expect(await run([clear, insert])).toMatchObject({ state: 'skipped' });
  });

  test('tables that come and go decide nothing', async () => {
    const task = [clear, fill('o.amount')];
    await run(task);
    await change('create table beside (a int primary key, b text[], c numeric default 1)', 'create table gone (a int)');
    await change('drop table gone', 'analyze');
    expect(await run(task)).toMatchObject({ state: 'skipped' });
  });

  test.each(Object.entries(open))('%s keeps a unit from being left out', async (_, { made = [], task }) => {
    await change(...made);
    await run(task);
    await run(task);
    expect(await run(task)).not.toMatchObject({ state: 'skipped' });
  });

  test.each(Object.entries(settled))('%s do not', async (_, { made = [], task }) => {
    await change(...made);
    await run(task);
    expect(await run(task)).toMatchObject({ state: 'skipped' });
  });

  test.each([
    ['a column of a key', 'alter table sales add unique (id)', 'on conflict (id) do nothing'],
    [
      'a constraint',
      'alter table sales add constraint one_id unique (id)',
      'on conflict on constraint one_id do nothing',
    ],
    ['no key by name', 'alter table sales add unique (id)', 'on conflict do nothing'],
    [
      'a condition',
      'alter table sales add unique (id)',
      'on conflict (id) do update set amount = 0 where sales.day > excluded.day',
    ],
  ])('rows of other slices that %s meets are an input', async (_, made, conflict) => {
    await change(
      made,
      "update sales set day = '2026-10-01' where id = (select min(id) from orders where day = '2026-11-01')",
      clear,
    );
    const task = [`${fill('o.amount')} ${conflict}`];
    expect(await run(task)).toMatchObject({ state: 'changed' });
    expect(await run(task)).toMatchObject({ state: 'skipped' });
    await change("delete from sales where day = '2026-10-01'");
    expect(await run(task)).toMatchObject({
      state: 'changed',
      slices: [{ added: 1, causes: [{ kind: 'input', table: 'public.sales' }] }],
    });
  });

  test('rows of other slices are none for a key with the column that they are cut by', async () => {
    await change('alter table sales add unique (day, id)', clear);
    const task = [`${fill('o.amount')} on conflict (day, id) do nothing`];
    expect(await run(task)).toMatchObject({ state: 'changed' });
    expect(await run(task)).toMatchObject({ state: 'skipped' });
    await change("insert into sales (id, day, amount) values (999, '2026-10-01', 7)");
    expect(await run(task)).toMatchObject({ state: 'skipped' });
  });

  test.each([
    ['a check of the table', 'alter table sales add check (amount < raw.most())', fill('o.amount')],
    [
      'a domain of a column',
      'create domain raw.some as numeric check (value < raw.most()); alter table sales alter amount type raw.some',
      fill('o.amount'),
    ],
    [
      'a domain that the task names',
      'create domain raw.some as numeric check (value < raw.most())',
      fill('o.amount::raw.some'),
    ],
    ['a condition of an index', 'create unique index on sales (id) where amount < raw.most()', fill('o.amount')],
  ])('what %s asks is an input', async (_, made, insert) => {
    await change(
      'create table raw.limits as select 1000000::numeric as most',
      'create function raw.most() returns numeric language sql immutable as $$ select most from raw.limits $$',
      ...made.split('; '),
      clear,
    );
    const task = [clear, insert];
    expect(await run(task)).toMatchObject({ state: 'changed' });
    expect(await run(task)).toMatchObject({ state: 'skipped' });
    await change('update raw.limits set most = 900000');
    expect(await run(task)).toMatchObject({ state: 'unchanged' });
    expect(await run(task)).toMatchObject({ state: 'skipped' });
  });

  test('load times that are declared may come from a function or an identifier', async () => {
    await change(
      'create function stamp() returns numeric language sql stable as $$ select extract(minute from now()) $$',
    );
    const slices = job().slices.map((slice) => ({ ...slice, volatile: ['amount'] }));
    const task = [clear, fill('stamp()')];
    await run(task, { slices });
    expect(await run(task, { slices })).toMatchObject({ state: 'skipped' });
  });

  test.runIf(engine === 'postgres').each(Object.entries(decidedBy))(
    '%s of the database is looked at',
    async (name, { fill: insert, from, to }) => {
      const { database } = fixture.connection as { database: string };
      const fresh = () =>
        relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' }).execute(
          job({ run: `run-${++runs}`, inputs: [readsOrders], cutsOff: true, statements: [clear, insert] }),
          neverAborted,
        );
      const be = (value: string) => change(`alter database ${database} set ${name} = '${value}'`);
      await be(from);
      await fresh();
      expect(await fresh()).toMatchObject({ state: 'skipped' });
      await be(to);
      expect(await fresh()).not.toMatchObject({ state: 'skipped' });
      expect(await fresh()).toMatchObject({ state: 'skipped' });
      await change(`alter database ${database} reset ${name}`);
    },
  );

  test.runIf(engine === 'postgres')('rows that a setting changed are not said to have no cause', async () => {
    const task = [clear, fill("o.amount * current_setting('app.factor')::int")];
    const factor = (by: number) =>
      change(`alter database ${(fixture.connection as { database: string }).database} set app.factor = ${by}`);
    await factor(2);
    const fresh = () => relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' });
    const one = () => job({ run: `run-${++runs}`, inputs: [readsOrders], cutsOff: true, statements: task });
    expect(await fresh().execute(one(), neverAborted)).toMatchObject({ state: 'changed' });
    await factor(3);
    expect(await fresh().execute(one(), neverAborted)).toMatchObject({
      slices: [{ causes: [{ kind: 'unrecorded', what: 'current_setting()' }] }],
    });
  });

  test('a unit that was asked for records what its functions read', async () => {
    await change(
      'create function raw.rate() returns numeric language sql stable as $$ select max(rate) from raw.fx $$',
    );
    await run([clear, fill('raw.rate()')], { cutsOff: false });
    expect(
      await scalar(
        fixture.warehouse,
        "select string_agg(i->>'table', ' ') from backfill_ledger.versions, json_array_elements(inputs) i",
      ),
    ).toBe('public.orders raw.fx');
  });
});
