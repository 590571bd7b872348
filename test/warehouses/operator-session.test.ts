import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';

const tables = ['named', 'pos', 'split', 'lst', 'empty', 'y', 'z', 'one', 'other'];
const setup = `
  create schema raw; create schema mart;
  create table raw.ev(day date, id int, kind text);
  insert into raw.ev select date '2026-11-10' + g % 3, g, chr(97 + g % 4) from generate_series(1, 30) g;
  ${tables.map((name) => `create table mart.${name}(day date, id int, kind text); create table public.${name}(day date, id int, kind text);`).join('\n')}
  create table raw.at(at timestamptz, id int); create table mart.at(at timestamptz, id int); create table mart.styled(day date, id int, kind text);
  insert into raw.at select timestamptz '2026-11-10 00:00+00' + g * interval '1 hour', g from generate_series(0, 71) g;
  do $$ begin create role loader; exception when duplicate_object then null; end $$;
  grant usage on schema mart, raw to loader; grant all on all tables in schema mart, raw to loader;`;

const replace = (table: string, day: string) =>
  `DELETE FROM ${table} WHERE day = ${day}; INSERT INTO ${table} SELECT day, id, kind FROM raw.ev WHERE day = ${day}`;
const ofZone = `DELETE FROM mart.at WHERE at >= '{{ ds }}' AND at < '{{ next_ds }}'; INSERT INTO mart.at SELECT at, id FROM raw.at WHERE at >= '{{ ds }}' AND at < '{{ next_ds }}'`;
const operator = (id: string, args: string) => `SQLExecuteQueryOperator(task_id="${id}", conn_id="wh", ${args})`;

const tasks = (other: string) => `
${operator('named', `parameters={"day": "{{ ds }}", "end": "{{ data_interval_end }}", "kinds": ["a", "b"], "ids": (1, 2, 3), "no": None, "floor": "{{ params.floor }}", "since": datetime.date(2026, 1, 1)}, sql="DELETE FROM mart.named WHERE day = %(day)s; INSERT INTO mart.named SELECT day, id, kind FROM raw.ev WHERE day = %(day)s AND day < %(end)s::timestamptz AND kind = ANY(%(kinds)s) AND (id NOT IN %(ids)s OR %(no)s IS NOT NULL) AND id > %(floor)s::int AND day > %(since)s AND kind NOT LIKE 'z%%'"`)}
PostgresOperator(task_id="pos", postgres_conn_id="wh", parameters=("{{ ds }}", "{{ ds }}"), sql="${replace('mart.pos', '%s')}")
${operator('split', `split_statements=True, parameters=["{{ ds }}"], sql="-- 100% sure\\n${replace('mart.split', '%s')}"`)}
${operator('lst', `parameters=["{{ ds }}"], sql=["DELETE FROM mart.lst WHERE day = %s", "INSERT INTO mart.lst SELECT day, id, kind FROM raw.ev WHERE day = %s"]`)}
${operator('empty', `parameters={}, sql="DELETE FROM mart.empty WHERE day = '{{ ds }}'; INSERT INTO mart.empty SELECT day, id, kind FROM raw.ev WHERE day = '{{ ds }}' AND kind LIKE 'a%'"`)}
${operator('percent', `parameters={"day": "{{ ds }}"}, sql="DELETE FROM mart.empty WHERE day = %(day)s AND kind LIKE 'a%'; INSERT INTO mart.empty SELECT day, id, kind FROM raw.ev WHERE day = %(day)s"`)}
${operator('path', `hook_params={"options": "-c search_path=mart -c statement_timeout=5s -c role=loader"}, sql="DELETE FROM y WHERE day = '{{ ds }}'; INSERT INTO y SELECT day, id, current_user FROM raw.ev WHERE day = '{{ ds }}'"`)}
PostgresOperator(task_id="runtime", postgres_conn_id="wh", runtime_parameters={"search_path": "mart"}, sql="${replace('other', "'{{ ds }}'")}")
${operator('inner', `sql="SET search_path TO mart, public; SET ROLE loader; DELETE FROM z WHERE day = '{{ ds }}'; INSERT INTO z SELECT day, id, current_user FROM raw.ev WHERE day = '{{ ds }}'; RESET ROLE;"`)}
${operator('one', `sql="SET search_path TO mart; ${replace('one', "'{{ ds }}'")}"`)}
${['set timezone', "select set_config('timezone', 'America/New_York', false)", 'SET LOCAL TIME ZONE'].map((set, index) => operator(`zone${index}`, `sql="${set.startsWith('select') ? set : `${set} ${set === 'set timezone' ? '= ' : ''}'America/New_York'`}; ${ofZone}"`)).join('\n')}
${operator('styled', `sql="set datestyle = 'SQL, DMY'; ${replace('mart.styled', "'{{ macros.ds_format(ds, '%Y-%m-%d', '%d/%m/%Y') }}'")}; reset datestyle"`)}
${operator('restyled', `sql="DELETE FROM mart.styled WHERE day = '{{ ds }}'; set datestyle = 'SQL, DMY'; INSERT INTO mart.styled SELECT day, id, kind FROM raw.ev WHERE day = '{{ ds }}'"`)}
${operator('midway', `sql="SET search_path TO mart, public; DELETE FROM one WHERE day = '{{ ds }}'; SET search_path TO public; ${replace('one', "'{{ ds }}'")}"`)}
${operator('other', `database="${other}", sql="${replace('mart.other', "'{{ ds }}'")}"`)}
${operator('nowhere', `database="nowhere", sql="${replace('mart.other', "'{{ ds }}'")}"`)}
${operator('local', `autocommit=True, split_statements=True, sql="SET LOCAL search_path TO mart; ${replace('one', "'{{ ds }}'")}"`)}
${operator('emptied', `autocommit=True, split_statements=True, sql="CREATE TEMP TABLE z (LIKE public.one) ON COMMIT DELETE ROWS; ${replace('public.one', "'{{ ds }}'")}"`)}
${operator('dropped', `autocommit=True, sql=["CREATE TEMPORARY TABLE z ON COMMIT DROP AS SELECT 1", "${replace('public.one', "'{{ ds }}'")}"]`)}
${operator('last', `autocommit=True, split_statements=True, sql="${replace('public.one', "'{{ ds }}'")}; CREATE TEMP TABLE z ON COMMIT DROP AS SELECT 1"`)}
${operator('somebody', `sql="SET SESSION AUTHORIZATION loader; ${replace('mart.other', "'{{ ds }}'")}"`)}
${operator('reset', `hook_params={"options": "-c search_path=mart"}, sql="RESET ALL; ${replace('other', "'{{ ds }}'")}"`)}
${operator('readonly', `hook_params={"options": "-c default_transaction_read_only=on"}, sql="${replace('mart.other', "'{{ ds }}'")}"`)}
${operator('fetches', `handler=lambda cursor: cursor.fetchall(), sql="${replace('mart.other', "'{{ ds }}'")}"`)}
${operator('sends', `handler=lambda cursor: cursor.execute("truncate raw.ev"), sql="${replace('mart.other', "'{{ ds }}'")}"`)}
${operator('cursor', `hook_params={"cursor_factory": "x"}, sql="${replace('mart.other', "'{{ ds }}'")}"`)}
`;

let ws: DagWorkspace;
beforeAll(async () => {
  ws = await dagWorkspace(setup, ([, other = '']) => tasks(other), { databases: 2 });
});
afterAll(() => ws.close());

const range = ['--from', '2026-11-10', '--to', '2026-11-12'];
const run = (task: string) => ws.cli(['run', `d.${task}`, ...range, '--yes']);
const count = async (table: string, database = 0) =>
  Number((await ws.rows(`select count(*) from ${table}`, database))[0]?.[0]);

describe('values of parameters', () => {
  test.each([
    ['named', "kind in ('a', 'b') and id > 3"],
    ['pos', 'true'],
    ['split', 'true'],
    ['lst', 'true'],
    ['empty', "kind = 'a'"],
  ])('%s', async (task, condition) => {
    const { code, out } = await run(task);
    expect([code, out]).toEqual([0, expect.stringContaining('2 changed')]);
    const byHand = `raw.ev where day between '2026-11-10' and '2026-11-11' and ${condition}`;
    expect(await count(`mart.${task}`)).toBe(await count(byHand));
  });

  test('a percent sign that the driver would refuse is refused by name', async () => {
    const { code, err } = await run('percent');
    expect(code).toBe(1);
    expect(err).toContain(
      "the driver takes %' for a placeholder, and knows %s and %(name)s only; write %% for a percent sign",
    );
  });
});

describe('where and as whom', () => {
  test('settings of the connection’s start, a role among them', async () => {
    const { out } = await run('path');
    expect(out).toContain('2 slices of mart.y');
    expect(await ws.rows('select distinct kind from mart.y')).toEqual([['loader']]);
    expect(await count('public.y')).toBe(0);
    const [settings] = await ws.rows("select settings::text from backfill_ledger.versions where target = 'mart.y'");
    expect(settings?.[0]).toContain('loader');
  });

  test('the older runtime_parameters', async () => {
    expect((await run('runtime')).code).toBe(0);
    expect([await count('mart.other'), await count('public.other')]).toEqual([20, 0]);
  });

  test('SET in front of the statements decides which table is compared', async () => {
    await ws.rows("insert into mart.z values ('2026-11-10', 0, 'old')");
    const { out } = await run('inner');
    expect(out).toMatch(/z +changed +1 +→ +10/);
    expect(await ws.rows('select distinct kind from mart.z')).toEqual([['loader']]);
    expect((await run('one')).out).toContain('2 slices of mart.one');
    expect([await count('mart.one'), await count('public.one')]).toEqual([20, 0]);
  });

  test('and amid them is refused, with a cure', async () => {
    const { code, err } = await run('midway');
    expect(code).toBe(1);
    expect(err).toContain('SET search_path TO public decides which table one is');
  });

  test('another database is where its own connection is, and nowhere else', async () => {
    expect((await run('other')).out).toContain('connection wh2');
    expect([await count('mart.other', 1), await count('mart.other', 0)]).toEqual([20, 20]);
    const onFirst = await ws.cli(['run', 'd.other', ...range, '--yes', '--connection', 'wh']);
    expect([onFirst.code, onFirst.err]).toEqual([1, expect.stringContaining('run it by itself with --connection wh2')]);
    const nowhere = await run('nowhere');
    expect(nowhere.err).toContain('add a connection with database: nowhere and airflowIds: [wh] to backfill.yaml');
  });

  test.each(['zone0', 'zone1', 'zone2', 'styled'])(
    'SET decides how bounds are read, before as after: %s',
    async (task) => {
      const first = await run(task);
      expect([first.code, first.out]).toEqual([0, expect.stringMatching(/2 changed|2 unchanged/)]);
      expect((await run(task)).out).toContain('2 unchanged, 0 changed');
    },
  );

  test.each([
    ['restyled', "set datestyle = 'SQL, DMY' decides how the values in its conditions are read (datestyle)"],
    ['local', 'SET LOCAL search_path TO mart has no effect for its operator'],
    ['emptied', 'commits each statement by itself, a table that has no rows for the next one'],
    ['dropped', 'commits each statement by itself, a table that has no rows for the next one'],
    ['somebody', 'SET SESSION AUTHORIZATION loader makes the session somebody else’s'],
    ['reset', 'RESET ALL goes back to the search_path that its operator asks for'],
    ['readonly', 'default_transaction_read_only of its session cannot be had by a unit'],
    ['sends', 'its handler lambda does more with the cursor than fetch rows'],
    ['cursor', 'what cursor_factory in its hook_params does to its SQL is not known here'],
  ])('what is not understood is refused by name: %s', async (task, message) => {
    const { code, out, err } = await run(task);
    expect(code).not.toBe(0);
    expect(out + err).toContain(message);
  });

  test('a temporary table that nothing comes behind may end with the commit', async () => {
    expect((await run('last')).code).toBe(0);
  });

  test('a handler that fetches does nothing else', async () => {
    expect((await run('fetches')).code).toBe(0);
  });
});
