import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';

const exported = join(tmpdir(), `backfill-export-${process.pid}.csv`);
const connect = (values: string) =>
  `dblink('dbname=' || current_database() || ' host=127.0.0.1 port=' || current_setting('port') || ' user=postgres password=''correct horse''', ${values})`;

const setup = `
  create schema raw; create schema mart; create extension dblink;
  create table raw.ev(day date, id int, v int);
  insert into raw.ev select date '2026-11-10' + g % 3, g, g from generate_series(1, 30) g;
  create table mart.x(day date, id int, v int); insert into mart.x select day, id, -1 from raw.ev;
  create table mart.noted(day date, id int, v int); create table mart.seq(day date, id int, v int);
  create table mart.side(day date, why text); create sequence mart.s;
  create function mart.call(d date, why text) returns int language plpgsql as $$ begin
    perform ${connect("format('insert into mart.side values (%L, %L)', d, why)")}; return 1; end $$;
  create function mart.wrap(d date, why text) returns int language sql as $$ select mart.call(d, why) $$;
  create view mart.calling as select day, id, v + 0 * mart.wrap(day, 'view') as v from raw.ev;
  create function mart.note() returns trigger language plpgsql as $$ begin
    perform mart.call(new.day, 'trigger'); return new; end $$;
  create trigger noted before insert on mart.noted for each row execute function mart.note();
  create function mart.hidden(d date) returns void language plpgsql as $$ begin
    execute format('copy (select 1) to %L', '${exported}'); end $$;
  create function mart.make(kind text, d date) returns void language plpgsql as $$ begin
    execute 'select ' || kind || '(' || quote_literal(d) || ')'; end $$;
  create function mart.fixed(d date) returns void language plpgsql as $$ declare n int; begin
    execute 'select 1' into n; execute ('select $1') using d; for n in execute 'select 2' loop null; end loop;
    grant execute on function mart.dblink_like(date) to current_user; end $$;
  create function mart.prev(d date) returns int language sql stable as $$ select count(*)::int from mart.x where day < d $$;
  create function mart.dblink_like(d date) returns int language sql immutable as $$ select 1 $$;
  create function mart.ck(n int) returns boolean language plpgsql as $$ begin perform mart.call(current_date, 'check'); return true; end $$;
  create domain mart.checked as int check (mart.ck(value)); create table mart.domains(day date, id int, v mart.checked);
  create type mart.ty as (n int);
  create function mart.ty_of(n int) returns mart.ty language plpgsql as $$ begin perform mart.call(current_date, 'cast'); return row(n)::mart.ty; end $$;
  create cast (int as mart.ty) with function mart.ty_of(int);
  create function mart.ix(n int) returns int language plpgsql immutable as $$ begin perform mart.call('2026-11-10', 'index'); return n; end $$;
  create table mart.indexed(day date, id int, v int); create index by_call on mart.indexed (mart.ix(v));
  create extension postgres_fdw;
  do $$ begin execute format('create server here foreign data wrapper postgres_fdw options (host %L, port %L, dbname %L)', '127.0.0.1', current_setting('port'), current_database()); end $$;
  create user mapping for current_user server here options (user 'postgres', password 'correct horse');
  create foreign table mart.far(day date, why text) server here options (schema_name 'mart', table_name 'side');
  create table mart.told(day date, id int, v int);
  create function mart.tell() returns trigger language plpgsql as $$ begin insert into mart.far values (new.day, 'far'); return null; end $$;
  create trigger told after insert on mart.told for each row execute function mart.tell();
  create table mart.ruled(day date, id int, v int); create rule also as on insert to mart.ruled do also notify changed;
  create function public.http(d date) returns int language sql immutable as $$ select 1 $$;`;

const replace = (table: string, value = 'v', from = 'raw.ev') =>
  `DELETE FROM ${table} WHERE day = '{{ ds }}'; INSERT INTO ${table} SELECT day, id, ${value} FROM ${from} WHERE day = '{{ ds }}';`;
const task = (id: string, sql: string) => `SQLExecuteQueryOperator(task_id="${id}", conn_id="wh", sql="""${sql}""")`;

const tasks = `
${task('dblink', `${replace('mart.x')} SELECT ${connect("$$insert into mart.side values ('{{ ds }}', 'text')$$")};`)}
${task('program', `${replace('mart.x')} COPY (SELECT * FROM mart.x WHERE day = '{{ ds }}') TO PROGRAM 'cat > ${exported}';`)}
${task('file', `${replace('mart.x')} COPY mart.x TO '${exported}';`)}
${task('called', `${replace('mart.x')} SELECT mart.wrap('{{ ds }}', 'called');`)}
${task('viewed', replace('mart.x', 'v', 'mart.calling'))}
${task('triggered', replace('mart.noted'))}
${task('dynamic', `${replace('mart.x')} SELECT mart.hidden('{{ ds }}');`)}
${task('block', `${replace('mart.x')} DO $$ BEGIN PERFORM mart.call('{{ ds }}', 'block'); END $$;`)}
${task('domain', replace('mart.domains'))}
${task('cast', replace('mart.x', '(id::mart.ty).n'))}
${task('index', replace('mart.indexed'))}
${task('far', replace('mart.told'))}
${task('ruled', replace('mart.ruled'))}
${task('sequence', `${replace('mart.seq')} SELECT setval('mart.s', 1000);`)}
${task('doubt', `${replace('mart.x')} DO $$ BEGIN INSERT INTO mart.x VALUES ('{{ ds }}', 0, 0); DELETE FROM mart.x WHERE id = 0 AND day = '{{ ds }}'; END $$; SELECT mart.call('{{ ds }}', 'doubt');`)}
${task('stage', replace('mart.x', "v + 0 * mart.prev(day) + CASE WHEN id IN (1, 2, 3) THEN mart.call(day, 'stage') ELSE 0 END"))}
${task('plain', replace('mart.x', "v + 0 * length('setval(1)') + 0 * mart.dblink_like(day) + 0 * http(day)"))}
${task('asks', replace('mart.seq', 'v', `(SELECT raw.ev.* FROM raw.ev, ${connect("'select 1'")} AS r (one int)) AS e`))}
${task('makes', `${replace('mart.x')} SELECT mart.make('date', '{{ ds }}');`)}
${task('makes_itself', `${replace('mart.x')} DO $$ BEGIN EXECUTE format('select %L', '{{ ds }}'); END $$;`)}
${task('fixed', `${replace('mart.x')} SELECT mart.fixed('{{ ds }}');`)}
${task('later', `${replace('mart.x')} SELECT mart.wrap('{{ ds }}', 'failed'); SELECT 1 / 0;`)}
`;

let ws: DagWorkspace;
beforeAll(async () => {
  ws = await dagWorkspace(setup, tasks);
});
afterAll(() => {
  ws.close();
  rmSync(exported, { force: true });
});
beforeEach(async () => {
  rmSync(exported, { force: true });
  await ws.rows("truncate mart.side; select setval('mart.s', 1)");
});

const day = ['--from', '2026-11-10', '--to', '2026-11-11'];
const side = async () => (await ws.rows('select why, count(*)::int from mart.side group by 1 order by 1')).map(String);

describe('a preview and a proof write nothing that stays', () => {
  test.each([
    ['dblink', 'dblink() sends SQL over a connection of its own'],
    ['program', 'COPY runs a program on the server'],
    ['file', 'COPY writes a file of the server'],
    ['called', 'dblink() in mart.call() sends SQL over a connection of its own'],
    ['viewed', 'dblink() in mart.call()'],
    ['triggered', 'dblink() in mart.call()'],
    ['domain', 'dblink() in mart.call()'],
    ['cast', 'dblink() in mart.call()'],
    ['index', 'dblink() in mart.call()'],
    ['dynamic', 'COPY in mart.hidden() writes a file of the server'],
    ['block', 'dblink() in mart.call()'],
    ['sequence', 'setval() sets a sequence, which does not go back'],
  ])('%s', async (name, effect) => {
    for (const words of [['run', '--preview'], ['prove']]) {
      const { code, err } = await ws.cli([words[0] ?? '', `d.${name}`, ...words.slice(1), ...day]);
      expect([code, err]).toEqual([1, expect.stringContaining(`d.${name} does what no rollback takes back: `)]);
      expect(err).toContain(effect);
      expect(err).toContain(`--irrevocable d.${name}`);
    }
    expect([await side(), existsSync(exported)]).toEqual([[], false]);
    expect(await ws.rows('select last_value::int from mart.s')).toEqual([[1]]);
  });

  test.each(['plain', 'asks', 'fixed'])('and do not ask where nothing stays: %s', async (name) => {
    expect(await ws.cli(['run', `d.${name}`, '--preview', ...day])).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing was written'),
    });
    expect(await ws.cli(['prove', `d.${name}`, ...day])).toMatchObject({
      err: '',
      out: expect.stringContaining('nothing was kept'),
    });
  });

  test.each([
    ['makes', 'mart.make()'],
    ['makes_itself', 'its own DO block'],
  ])('nor claim that of SQL that is made: %s', async (name, maker) => {
    const said = `d.${name} runs SQL that it makes in ${maker}; what that does outside the database was not looked at`;
    const preview = await ws.cli(['run', `d.${name}`, '--preview', ...day]);
    expect(preview.code).toBe(0);
    expect(preview.out).toContain(`note: ${said}\n`);
    expect(preview.out).toContain(`; no row was kept; ${said}\n`);
    expect(preview.out).not.toContain('nothing was written');
    const proof = await ws.cli(['prove', `d.${name}`, ...day]);
    expect(proof.out.startsWith(`note: ${said}\n`)).toBe(true);
    expect(proof.out.endsWith(`no row was kept; ${said}\n`)).toBe(true);
  });
});

describe('confirmed', () => {
  test('by name it is done as often as was said, and the end does not say that nothing stays', async () => {
    const preview = await ws.cli(['run', 'd.called', '--preview', ...day, '--irrevocable', 'd.called']);
    expect(preview.code).toBe(0);
    expect(preview.out).toContain('no row was kept; what d.called did beside stays');
    expect(preview.out).not.toContain('nothing was written');
    expect(await side()).toEqual(['called,1']);
    const proof = await ws.cli(['prove', 'd.called', ...day, '--irrevocable', 'd.called']);
    expect(proof.out).not.toContain('nothing was kept');
    expect((await side())[0]).toMatch(/^called,[45]$/);
  });

  test('at the question', async () => {
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return 'y';
    };
    await ws.cli(['run', 'd.called', '--preview', ...day], ask);
    expect(asked).toEqual([expect.stringContaining('A preview does it once. Do it so? [y/N]')]);
    expect(await side()).toEqual(['called,1']);
    const none = await ws.cli(['run', 'd.called', '--preview', ...day, '--irrevocable', 'd.nobody']);
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('not in this plan') });
  });
});

describe('a run', () => {
  test.each(['doubt', 'stage', 'called'])('sends the statements once, and says so: %s', async (name) => {
    await ws.rows('update mart.x set v = -1');
    const { code, out } = await ws.cli(['run', `d.${name}`, '--from', '2026-11-10', '--to', '2026-11-13', '--yes']);
    expect([code, out]).toEqual([0, expect.stringContaining('3 changed')]);
    expect(out).toContain(`outside d.${name} does what no rollback takes back: dblink() in mart.call()`);
    expect(await ws.rows('select day::text, count(*)::int from mart.side group by 1 order by 1')).toEqual([
      ['2026-11-10', 1],
      ['2026-11-11', 1],
      ['2026-11-12', 1],
    ]);
    expect(await ws.rows('select count(*)::int from mart.x where v = -1')).toEqual([[0]]);
  });

  test('says of rows in a foreign table that nobody has seen them, and so does a proof', async () => {
    const { code, out } = await ws.cli(['run', 'd.far', ...day, '--yes']);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('What it wrote to mart.far was neither counted nor compared'),
    ]);
    const proof = await ws.cli(['prove', 'd.far', ...day]);
    expect(proof.out).toContain('rows of mart.far: it is a foreign table');
  });

  test('is not kept from beginning by a rule that notifies', async () => {
    const preview = await ws.cli(['run', 'd.ruled', '--preview', ...day]);
    expect([preview.code, preview.err]).toEqual([0, expect.not.stringContaining('error')]);
    expect((await ws.cli(['run', 'd.ruled', ...day, '--yes'])).out).toContain('1 changed');
  });

  test('that fails afterwards says what may be done, and is not tried again', async () => {
    const { out } = await ws.cli(['run', 'd.later', ...day, '--yes']);
    expect(out).toContain('That may be done already.');
    expect(await side()).toEqual(['failed,1']);
  });
});

describe('an undo', () => {
  test.each(['file', 'sequence', 'called'])(
    'of what a task did outside says nothing of it, since it runs no statement: %s',
    async (name) => {
      await ws.rows(`update mart.${name === 'sequence' ? 'seq' : 'x'} set v = -1`);
      const ran = await ws.cli(['run', `d.${name}`, ...day, '--yes']);
      expect(ran.out).toContain('It does what no rollback takes back');
      const [run = ''] = /\d{8}-\d{6}-\w{6}/.exec(ran.out) ?? [];
      const before = await side();
      const undone = await ws.cli(['undo', run, '--yes']);
      expect([undone.code, undone.out]).toEqual([0, expect.not.stringContaining('no rollback takes back')]);
      expect(await side()).toEqual(before);
    },
  );

  test('says what the triggers of the table do once more', async () => {
    const ran = await ws.cli(['run', 'd.triggered', ...day, '--yes']);
    const [run = ''] = /\d{8}-\d{6}-\w{6}/.exec(ran.out) ?? [];
    await ws.rows("insert into mart.noted values ('2026-11-10', 77, 1)");
    const again = await ws.cli(['run', 'd.triggered', ...day, '--yes']);
    const [second = ''] = /\d{8}-\d{6}-\w{6}/.exec(again.out) ?? [];
    expect(second).not.toBe(run);
    const before = (await side()).join();
    const undone = await ws.cli(['undo', second, '--yes']);
    expect([undone.code, undone.out]).toEqual([0, expect.stringContaining('dblink() in mart.call()')]);
    expect((await side()).join()).not.toBe(before);
  });
});
