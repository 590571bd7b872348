import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SliceDiff } from '../../src/core/diff/slice-diff.ts';
import { previewRun } from '../../src/core/run/relational/preview/preview.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import type { JobSlice } from '../../src/core/run/unit/unit-job.ts';
import {
  engines,
  type Fixture,
  job,
  neverAborted,
  openFixture,
  realClock,
  scalar,
  sql,
} from '../support/warehouse-fixture.ts';

const day = "day = '2026-11-01'";
const source = `select id, day, n from source where ${day}`;
const clear = `delete from target where ${day}`;

/** Tasks that add, take away or change rows with each run, and what the database has beside the tables. */
const doubling: Readonly<Record<string, { task: readonly string[]; ddl?: readonly string[]; slices?: string[] }>> = {
  'a variable that counts on': {
    task: [
      `do $$ declare v int; r record; begin for r in ${source} loop
        select n into v from total where id = 1; v := v + r.n; update total set n = v where id = 1; end loop; end $$`,
    ],
    slices: ['total'],
  },
  'rows that come and go': {
    task: [
      `with d as (delete from target where ${day}) insert into target ${source} and not exists (select from target t where t.id = source.id)`,
    ],
  },
  'a key that only some rows have': {
    ddl: ['create unique index partly on target (id) where n > 20'],
    task: [`insert into target ${source} on conflict (id) where n > 20 do update set n = excluded.n`],
  },
  'a guard on a column that is NULL': {
    task: [
      `insert into target select id, day, null from source where ${day} and not exists (select from target t where t.n = source.n)`,
    ],
  },
  'a guard on a column that is filled otherwise': {
    task: [
      `insert into target select id + 1000, day, n from source where ${day} and not exists (select from target t where t.id = source.id)`,
    ],
  },
  'a delete of fewer rows than come in': { task: [`${clear} and n > 20`, `insert into target ${source}`] },
  'a delete on another day': {
    task: [clear, `insert into target select id, day - 1, n from source where ${day}`],
  },
  'a sum of its own sums': {
    task: [
      `${clear} and id > 0`,
      `insert into target ${source}`,
      `insert into target select -1, day, sum(n) from target where ${day} group by day`,
    ],
  },
  'a trigger that adds up': {
    ddl: [
      `create or replace function adds_up() returns trigger language plpgsql as
       $$ begin update total set n = n + new.n where id = 1; return new; end $$`,
      'create trigger adds_up after insert on target for each row execute function adds_up()',
    ],
    task: [clear, `insert into target ${source}`],
    slices: ['target', 'total'],
  },
  'a trigger that keeps rows from being deleted': {
    ddl: [
      "create or replace function stay() returns trigger language plpgsql as 'begin return null; end'",
      'create trigger stay before delete on target for each row execute function stay()',
    ],
    task: [clear, `insert into target ${source}`],
  },
  'a trigger that adds to the old value': {
    ddl: [
      'create unique index one on target (id)',
      `create or replace function adds() returns trigger language plpgsql as 'begin new.n := old.n + new.n; return new; end'`,
      'create trigger adds before update on target for each row execute function adds()',
    ],
    task: [`insert into target ${source} on conflict (id) do update set n = excluded.n`],
  },
  'a temporary table of what is there and what comes': {
    task: [
      `create temp table both_of as select * from target union all ${source}`,
      'truncate target',
      'insert into target select * from both_of',
    ],
  },
  'a table that is made anew of itself and swapped in': {
    task: [
      `create table target_new as select * from target union all ${source}`,
      'drop table target',
      'alter table target_new rename to target',
    ],
  },
  'a cursor': {
    task: [
      `do $$ declare c cursor for select id, n from source where ${day}; r record; begin
        for r in c loop insert into target values (r.id, '2026-11-01', r.n); end loop; end $$`,
    ],
  },
  'SQL that is made when it runs': {
    task: [`do $$ begin execute format('insert into %I ${source.replaceAll("'", "''")}', 'target'); end $$`],
  },
  'a function of the database': {
    ddl: [
      `create or replace function fill() returns void language plpgsql as $f$ begin insert into target ${source}; end $f$`,
    ],
    task: ['select fill()'],
  },
  'a delete that goes on deleting': {
    ddl: [`insert into target ${source}`],
    task: ['delete from target where id in (select id from target order by id limit 1)'],
  },
  'a key of the greatest that is there': {
    ddl: ['create unique index one on target (id)'],
    task: [
      `insert into target select (select coalesce(max(id), 0) from target) + row_number() over (), day, n from source where ${day} on conflict (id) do nothing`,
    ],
  },
  'a key of the moment': {
    ddl: ['alter table target add at timestamptz', 'create unique index one on target (id, at)'],
    task: [
      `insert into target select id, day, n, now() from source where ${day} on conflict (id, at) do update set n = excluded.n`,
    ],
  },
  'a column of days that moves on': {
    ddl: [`insert into target ${source}`],
    task: [
      `do $$ declare d date; begin for d in select max(day) from target loop update target set day = d + 1; end loop; end $$`,
    ],
  },
};

/** Tasks of the same looks that leave what they find when they run again. */
const safe: Readonly<Record<string, { task: readonly string[]; ddl?: readonly string[]; slices?: string[] }>> = {
  'an upsert by key': {
    ddl: ['create unique index one on target (id)'],
    task: [`insert into target ${source} on conflict (id) do update set n = excluded.n`],
  },
  'an upsert that writes the moment': {
    ddl: ['alter table target add at timestamptz', 'create unique index one on target (id)'],
    task: [
      `insert into target select id, day, n, now() from source where ${day} on conflict (id) do update set n = excluded.n, at = excluded.at`,
    ],
  },
  'an upsert that writes the clock and a random value': {
    ddl: ['alter table target add at timestamptz, add r uuid', 'create unique index one on target (id)'],
    task: [
      `insert into target select id, day, n, clock_timestamp(), gen_random_uuid() from source where ${day} on conflict (id) do update set at = excluded.at, r = excluded.r`,
    ],
  },
  'a delete and an insert': { task: [clear, `insert into target ${source}`] },
  'a delete and an insert in a block': { task: [`do $$ begin ${clear}; insert into target ${source}; end $$`] },
  'a delete and two inserts with numbers of their own': {
    ddl: ['alter table target add nr serial'],
    task: [clear, `insert into target ${source} and n <= 20`, `insert into target ${source} and n > 20`],
  },
  'a full refresh': { task: ['truncate target', 'insert into target select id, day, n from source', 'analyze target'] },
  'a table that is made anew and swapped in': {
    task: [
      'create table target_new as select id, day, n from source',
      'drop table target',
      'alter table target_new rename to target',
    ],
  },
  'a history with a guarded close': {
    ddl: ['alter table target add closed date', "insert into target values (1, '2026-10-01', 5)"],
    task: [
      `update target t set closed = '2026-11-01' from source s where s.${day} and s.id = t.id and t.closed is null and t.n <> s.n`,
      `insert into target select id, day, n from source s where ${day} and not exists (select from target t where t.id = s.id and t.closed is null)`,
    ],
  },
  'rows that are not there yet': {
    task: [`insert into target ${source} and not exists (select from target t where t.id = source.id)`],
  },
  'a mark in the same transaction': {
    ddl: ['insert into mark values (0)'],
    task: [
      `insert into target ${source} and id > (select id from mark)`,
      `update mark set id = greatest(id, (select max(id) from source where ${day}))`,
    ],
    slices: ['target', 'mark'],
  },
  'rows taken out of a queue': {
    ddl: [
      'create table queue as select * from source',
      "insert into queue select i, '2026-11-02', i from generate_series(11, 30) i",
    ],
    task: [`with gone as (delete from queue where ${day} returning *) insert into target select * from gone`],
    slices: ['target', 'queue'],
  },
  'a constraint that is checked at the end': {
    ddl: ['alter table target add constraint one unique (id) deferrable initially deferred'],
    task: [
      `insert into target ${source}`,
      `delete from target t where ${day} and exists (select from target o where o.id = t.id and o.ctid > t.ctid)`,
    ],
  },
  'a variable that is set anew': {
    task: [
      `do $$ declare v int; begin select sum(n) into v from source where ${day}; update total set n = v where id = 1; end $$`,
    ],
    slices: ['total'],
  },
  'rows without which one is told from another, once each': {
    task: [`insert into target ${source} except select * from target`],
  },
};

describe.each(engines)('what a second run would change again, on %s', (engine) => {
  let fixture: Fixture;
  let executor: UnitExecutor;
  let runs = 0;
  const env = { clock: realClock, owner: 'tester' };
  const whole = (table: string, parts: Partial<JobSlice> = {}): JobSlice => ({
    ...(job().slices[0] as JobSlice),
    table,
    column: undefined,
    from: undefined,
    to: undefined,
    mode: 'unknown',
    ...parts,
  });
  const jobOf = (
    task: readonly string[],
    tables: readonly string[] = ['target'],
    parts: Parameters<typeof job>[0] = {},
  ) => job({ run: `run-${++runs}`, statements: task, slices: tables.map((table) => whole(table)), ...parts });
  const run = (...given: Parameters<typeof jobOf>) => executor.execute(jobOf(...given), neverAborted);
  const database = (...statements: readonly string[]) => sql(fixture.warehouse, ...statements);
  const rows = () => scalar(fixture.warehouse, "select string_agg(t::text, ' ' order by t::text) from target t");

  beforeAll(async () => {
    fixture = await openFixture(engine);
    executor = relationalExecutor(fixture.warehouse, env);
  });
  afterAll(() => fixture.close());
  beforeEach(() =>
    database(
      'drop table if exists target, target_new, source, total, mark, queue, audit cascade',
      'create table source (id int primary key, day date, n int)',
      'create table target (id int, day date, n int)',
      'create table total (id int primary key, n int)',
      'create table mark (id int)',
      'insert into total values (1, 0)',
      "insert into source select i, '2026-11-01', i * 10 from generate_series(1, 6) i",
    ),
  );

  test.each(Object.entries(doubling))('%s is held, and let through where that is said', async (_, one) => {
    const { task, ddl = [], slices = ['target'] } = one;
    await database('select 1', ...ddl);
    const before = await rows();
    const held = await run(task, slices);
    expect(held, JSON.stringify(held)).toMatchObject({ state: 'held', code: 'changes-again' });
    expect((held as { reason: string }).reason).toContain(slices.at(-1));
    expect(await rows()).toBe(before);
    const [previewed] = await previewRun(fixture.warehouse, env, [jobOf(task, slices)], {
      signal: neverAborted,
      timeBoxMs: 60_000,
    });
    expect(previewed).toMatchObject({ state: 'held', code: 'changes-again' });
    const meant = slices.map((table) => whole(table, { journal: true }));
    expect(await run(task, slices, { slices: meant })).toMatchObject({ state: 'changed' });
    const again = await run(task, slices);
    expect(again).toMatchObject({ state: 'held', code: 'changes-again' });
    // Beside it something else may be the reason that is told; that the task is not deterministic never is.
    const causes = (again as { slices: readonly SliceDiff[] }).slices.flatMap((slice) =>
      slice.causes.map(({ kind }) => kind),
    );
    const others = ['input', 'unrecorded', 'unrecorded-input'];
    expect(causes.filter((kind) => !others.includes(kind)).join()).toMatch(/^(changes-again)?$/);
    expect(await run(task, slices, { options: { holdShrinkPercent: undefined } })).toMatchObject({ state: 'changed' });
  });

  test.each(Object.entries(safe))('%s is not', async (_, { task, ddl = [], slices = ['target'] }) => {
    await database('select 1', ...ddl);
    const first = await run(task, slices);
    expect(first, JSON.stringify(first)).toMatchObject({ state: 'changed', notes: [] });
    const second = await run(task, slices);
    expect(['changed', 'unchanged'], JSON.stringify(second)).toContain(second.state);
    await database('update source set n = n + 1 where id = 2');
    expect(['changed', 'unchanged']).toContain((await run(task, slices)).state);
  });

  test('figures without checksums are no reason to see nothing', async () => {
    const task = ['do $$ begin update total set n = n + 1; end $$'];
    expect(await run(task, ['total'], { options: { compare: 'none' } })).toMatchObject({
      state: 'held',
      code: 'changes-again',
    });
  });

  test('a column that is said to differ each time is no change, a row more always is', async () => {
    const counts = ['do $$ begin update total set n = n + 1; end $$'];
    const adds = ['do $$ begin insert into total select max(id) + 1, 0 from total; end $$'];
    const slices = [whole('total', { volatile: ['id', 'n'] })];
    expect(await run(counts, [], { slices })).toMatchObject({ state: 'unchanged' });
    expect(await run(adds, [], { slices })).toMatchObject({ state: 'held', code: 'changes-again' });
  });

  test('a task that fails the second time is not held, and it is said', async () => {
    await database('alter table target add primary key (id)');
    const task = [`do $$ begin insert into target ${source}; end $$`];
    expect(await run(task)).toMatchObject({
      state: 'changed',
      notes: [expect.stringMatching(/A second run, made to see .*, fails: .*duplicate key/)],
    });
  });

  test('a task whose work would stay is sent once, and it is said', async () => {
    const task = ['do $$ begin update total set n = n + 1; end $$'];
    expect(await run(task, ['total'], { outside: ['writes a file'] })).toMatchObject({
      state: 'changed',
      notes: expect.arrayContaining([expect.stringMatching(/second run changes its rows again is not known/)]),
    });
    expect(await scalar(fixture.warehouse, 'select n from total')).toBe('1');
  });

  test.skipIf(engine === 'pglite').each([
    ['writes once what it reads', false],
    ['writes it and does not end', true],
  ])('somebody else who %s is not taken for the task', async (_, stays) => {
    const other = await fixture.warehouse.connect('ledger');
    let struck = false;
    const strike = async (text: string): Promise<void> => {
      if (struck || !/^savepoint backfill_again/.test(text)) return;
      struck = true;
      await other.query("insert into source values (7, '2026-11-01', 70)");
      if (stays) for (const one of ['begin', "insert into source values (8, '2026-11-03', 80)"]) await other.query(one);
    };
    const warehouse: typeof fixture.warehouse = {
      ...fixture.warehouse,
      description: fixture.warehouse.description,
      connect: async (purpose) => {
        const session = await fixture.warehouse.connect(purpose);
        const query: typeof session.query = async (text, values) => {
          await strike(text);
          return session.query(text, values);
        };
        return new Proxy(session, {
          get: (of, name) => {
            if (name === 'query') return query;
            const value = Reflect.get(of, name);
            return typeof value === 'function' ? value.bind(of) : value;
          },
        });
      },
    };
    const executorThere = relationalExecutor(warehouse, env);
    const task = [`do $$ begin ${clear}; insert into target ${source}; end $$`];
    try {
      const outcome = await executorThere.execute(jobOf(task), neverAborted);
      expect(outcome, JSON.stringify(outcome)).toMatchObject({
        state: 'changed',
        notes: [expect.stringMatching(/somebody else wrote meanwhile/)],
      });
      expect(struck).toBe(true);
      expect(await scalar(fixture.warehouse, 'select count(*) from target')).toBe('6');
    } finally {
      await other.query('rollback');
      await other.close();
      await executorThere.close();
    }
  });

  test('what a plan has said, and somebody allowed, is not held', async () => {
    const again = { addsRows: true, column: undefined, sure: true };
    const slices = [whole('target', { mode: 'append', again })];
    expect(await run([`insert into target ${source}`], [], { slices })).toMatchObject({ state: 'changed' });
  });
});
