import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { openAssistant } from '../support/open-assistant.ts';
import { patienceMs } from '../support/patience.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { freshDatabase, sql } from '../support/warehouse-fixture.ts';

const start = '-- backfill: schedule=@daily start=2026-11-01\n';
const orders = `delete from mart.orders where day = '{{ ds }}';
insert into mart.orders select day, id, v from raw.ev where day = '{{ ds }}';`;
const of = (table: string, query: string): string =>
  `delete from mart.${table} where day = '{{ ds }}'; insert into mart.${table} ${query};`;

const files: Readonly<Record<string, string>> = {
  orders,
  by_view: of('rep', `select day, count(*) from mart.v_orders where day = '{{ ds }}' group by 1`),
  by_function: of('rep', `select '{{ ds }}'::date, mart.cnt('{{ ds }}')`),
  by_rows: of('rep', `select day, count(*) from mart.of_day(p_day => '{{ ds }}') group by 1`),
  by_lag: of('rep', `select '{{ ds }}'::date, mart.cnt(date '{{ ds }}' - 1)`),
  by_view_of_function: of('rep', `select day, n from mart.counted where day = '{{ ds }}'`),
  by_mv: of('rep', `select day, s from mart.mv where day = '{{ ds }}'`),
  call: `call mart.load('{{ ds }}')`,
};

const tables = [
  'create schema raw',
  'create schema mart',
  'create table raw.ev (day date, id int, v int)',
  `insert into raw.ev select date '2026-11-10' + g % 3, g, g from generate_series(1, 30) g`,
  'create table mart.orders (day date, id int, v int)',
  'create table mart.rep (day date, n bigint)',
  'create view mart.over_orders as select * from mart.orders where v > 0',
  'create view mart.v_orders as select day, id from mart.over_orders',
  `create function mart.cnt(d date) returns bigint language sql stable as
   $$ select count(*) from mart.orders where day = d $$`,
  `create function mart.of_day(p_day date) returns setof mart.orders language plpgsql stable as
   $$ begin return query select * from mart.orders o where o.day = p_day; end $$`,
  'create view mart.counted as select e.day, mart.cnt(e.day) as n from raw.ev e group by e.day',
  'create materialized view mart.mv as select day, sum(v) as s from mart.orders group by 1',
  `create procedure mart.load(p_day date) language plpgsql as $$
   begin
     delete from mart.orders where day = p_day;
     insert into mart.orders select day, id, v from raw.ev where day = p_day;
   end $$`,
];

describe('what only the database has', { timeout: patienceMs }, () => {
  let root = '';
  let env: Record<string, string> = {};
  let onDatabase: (...statements: readonly string[]) => Promise<readonly (readonly (string | null)[])[]>;

  const write = (...names: readonly string[]): void => {
    for (const name of names) writeFileSync(join(root, `sql/${name}.sql`), start + files[name]);
  };
  const range = ['--from', '2026-11-10', '--to', '2026-11-12', '--now', '2026-11-29T12:00Z'];
  const cli = (verb: 'plan' | 'run', task: string, ...more: readonly string[]): Promise<CliResult> =>
    runCli([verb, `sql/${task}.sql`, ...range, '--downstream', ...more], root, { env });
  const unitsOf = ({ out }: CliResult): readonly string[] =>
    (JSON.parse(out) as { units: readonly { id: string }[] }).units.map(({ id }) =>
      id.slice(4).replace('.sql@2026-11-', ' ').slice(0, -10),
    );

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'backfill-lineage-'));
    mkdirSync(join(root, 'sql'));
    const connection = await freshDatabase();
    const { host, port, database, user, password } = connection;
    env = { SHOP_PASSWORD: String(password) };
    const place = `host: ${host}, port: ${port}, database: ${database}, user: ${user}, password: "\${env:SHOP_PASSWORD}", sslmode: disable`;
    writeFileSync(join(root, 'backfill.yaml'), `version: 1\nconnections:\n  shop: { ${place} }\n`);
    onDatabase = async (...statements) => {
      const warehouse = await openWarehouse(connection);
      try {
        return (await sql(warehouse, ...statements)).rows;
      } finally {
        await warehouse.close();
      }
    };
    await onDatabase(...tables);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test.each([
    ['by_view', ['10', '11']],
    ['by_function', ['10', '11']],
    ['by_rows', ['10', '11']],
    ['by_lag', ['11', '12']],
  ] as const)('%s reads what the plan rewrites, for just these days', async (reader, days) => {
    write('orders', reader);
    const planned = await cli('plan', 'orders', '--format', 'json');
    expect(unitsOf(planned)).toEqual(
      expect.arrayContaining(['orders 10', 'orders 11', ...days.map((day) => `${reader} ${day}`)]),
    );
    expect(unitsOf(planned)).toHaveLength(4);
    const ran = await cli('run', 'orders', '--yes');
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('0 unchanged, 4 changed');
    expect((await onDatabase('select count(*) from mart.rep where n = 10'))[0]).toEqual(['2']);
  });

  test('without the window of a call a function is not expanded silently', async () => {
    write('orders', 'by_view_of_function');
    const { out } = await cli('plan', 'orders');
    expect(out).toContain('sql/by_view_of_function.sql has no time predicate on mart.orders');
  });

  test('a procedure of the database has the slices that its body writes', async () => {
    write('call', 'by_view');
    const planned = await cli('plan', 'call', '--format', 'json');
    expect(unitsOf(planned)).toHaveLength(4);
    const ran = await cli('run', 'call', '--yes');
    expect(ran.out).toContain('mart.orders');
    expect(ran.out).toContain('0 unchanged, 4 changed');
  });

  test('without the database the names that nothing makes are said, and hashes of code stay the same', async () => {
    write('orders', 'by_view', 'by_function');
    const offline = await cli('plan', 'orders', '--offline');
    expect(offline.out).toContain(
      'mart.cnt(), mart.v_orders are made by nothing in this workspace; their readers (sql/by_function.sql, sql/by_view.sql) may be stale after this plan',
    );
    expect((await cli('plan', 'orders')).out).not.toContain('unmade-table');
    expect((await cli('run', 'orders', '--yes')).code).toBe(0);
    const stale = await runCli(['history', '--stale'], root, { env });
    expect(stale.out).not.toMatch(/code/);
    writeFileSync(join(root, 'backfill.yaml'), 'version: 1\nconnections:\n  shop: { host: 127.0.0.1, port: 1 }\n');
    const unreached = await cli('plan', 'orders');
    expect(unreached.code).toBe(0);
    expect(unreached.err.match(/was not asked/g)).toHaveLength(1);
    expect(unreached.out).toContain('mart.v_orders');
  });

  test('a view that was redefined makes its readers anew, and puts a plan from before out of date', async () => {
    write('orders', 'by_view');
    expect((await cli('run', 'orders', '--yes')).code).toBe(0);
    expect((await cli('run', 'orders', '--yes')).out).toContain('2 skipped');
    expect((await cli('plan', 'orders', '--out', join(root, 'plan.json'))).code).toBe(0);
    await onDatabase('create or replace view mart.over_orders as select * from mart.orders where v > 12');
    const reviewed = await runCli(['run', '--plan', 'plan.json', '--yes'], root, { env });
    expect(reviewed.code).toBe(1);
    expect(reviewed.out + reviewed.err).toContain('the view mart.over_orders was redefined');
    const stale = await runCli(['show', '--stale'], root, { env });
    expect(stale.out.match(/the view mart\.over_orders was redefined since/g)).toHaveLength(2);
    const ran = await cli('run', 'orders', '--yes');
    expect(ran.out).toContain('why 2 slices of mart.rep: the view mart.over_orders was redefined');
    expect(ran.out).not.toContain('not deterministic');
    expect((await onDatabase('select sum(n) from mart.rep'))[0]).toEqual(['12']);
    expect((await runCli(['show', '--stale'], root, { env })).out).not.toContain('redefined');
  });

  test('a function whose text does not say what it reads is said', async () => {
    write('orders');
    const made = `create or replace function mart.dyn(d date) returns bigint language plpgsql as $$ declare n bigint;
       begin execute format('select count(*) from mart.orders where day = %L', d) into n; return n; end $$`;
    await onDatabase(made);
    // What makes it does not call it.
    const dropped = 'drop function if exists mart.dyn(text);';
    writeFileSync(
      join(root, 'sql/setup.sql'),
      `${dropped}\n${made};\ngrant execute on function mart.dyn(date) to public;\n`,
    );
    writeFileSync(join(root, 'sql/by_text.sql'), start + of('rep', `select '{{ ds }}'::date, mart.dyn('{{ ds }}')`));
    const { out } = await cli('plan', 'orders');
    expect(out).toContain('What mart.dyn() of the database reads is not known');
    expect(out).toContain('its callers (sql/by_text.sql) may be stale after this plan');
    expect(out).toContain('help plan with the connection that it would run on');
    const reads = '[{ table: mart.orders, column: day, from: start, to: end }]';
    appendFileSync(join(root, 'backfill.yaml'), `tasks:\n  sql/by_text.sql:\n    reads: ${reads}\n`);
    const declared = await cli('plan', 'orders', '--format', 'json');
    expect(unitsOf(declared)).toEqual(expect.arrayContaining(['by_text 10', 'by_text 11']));
    expect(declared.out).not.toContain('unmade-table');
  });

  test('a materialized view that no task refreshes is said where the plan rewrites what it is made of', async () => {
    write('orders', 'by_mv');
    const { out } = await cli('plan', 'orders');
    expect(out).toContain(
      'mart.mv is a materialized view over what this plan rewrites, and no task of the workspace refreshes it: sql/by_mv.sql will read it',
    );
  });

  test.each([
    ['refresh materialized view mart.mv', []],
    ['refresh materialized view concurrently mart.mv', ['create unique index on mart.mv (day)']],
    ['refresh materialized view mart.mv', ['refresh materialized view mart.mv with no data']],
  ])('%s is a unit like any full refresh', async (refresh, before) => {
    write('orders', 'by_mv');
    writeFileSync(join(root, 'sql/refresh.sql'), start + refresh);
    await onDatabase('select 1', ...before);
    const planned = await cli('plan', 'orders', '--format', 'json');
    expect(unitsOf(planned).filter((unit) => unit.startsWith('refresh'))).toHaveLength(1);
    const previewed = await cli('run', 'orders', '--preview');
    expect(previewed.code).toBe(0);
    const ran = await cli('run', 'orders', '--yes');
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/sql\/refresh\.sql@\S+ +mart\.mv +changed/);
    expect(await onDatabase('select sum(s) from mart.mv')).toEqual(await onDatabase('select sum(v) from mart.orders'));
    expect(await onDatabase('select count(*) from mart.rep')).toEqual([['2']]);
  });

  test('the editor plans with it, and says where the database does not answer', async () => {
    write('orders', 'by_view');
    Object.assign(process.env, env);
    const { open, workspace } = await openAssistant(root);
    const session = await open('sql/orders.sql');
    await session.handle({ type: 'set-range', from: '2026-11-10', to: '2026-11-12' });
    expect(session.state.plan?.rows.map(({ task }) => task)).toEqual(['sql/orders.sql', 'sql/by_view.sql']);
    writeFileSync(join(root, 'backfill.yaml'), 'version: 1\nconnections:\n  shop: { host: 127.0.0.1, port: 1 }\n');
    await workspace.changed({ paths: ['backfill.yaml'] });
    await session.handle({ type: 'leave-undo' });
    expect(session.state.plan?.rows.map(({ task }) => task)).toEqual(['sql/orders.sql']);
    expect(session.state.plan?.findings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^The database was not asked which views and functions it has/)]),
    );
  });
});
