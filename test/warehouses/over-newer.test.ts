import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

const setup = `create table c (id int, city text, day date, upd timestamptz);
  insert into c select n, 'd' || d, date '2026-11-01' + d, timestamptz '2026-11-01 12:00Z' + d * interval '1 day' from generate_series(20, 27) d, generate_series(1, 3) n;
  create table m (id int, city text, day date, upd timestamptz, primary key (id));
  create table md (id int, city text, day date, upd timestamptz, primary key (id, day));
  create table st (like c); create table k (id int primary key, city text, upd timestamptz);
  create table dim (id int, city text, valid_from date, valid_to date, cur boolean)`;

const inInterval = "upd >= '{{ data_interval_start }}' and upd < '{{ data_interval_end }}'";
const upsert = (rest: string, key = 'id', table = 'm'): string =>
  `insert into ${table} select id, city, day, upd from c where ${inInterval} on conflict (${key}) do update set city = excluded.city, upd = excluded.upd${rest}`;
const merge = (when: string): string =>
  `merge into m t using (select * from c where ${inInterval}) s on s.id = t.id when matched${when} then update set city = s.city, upd = s.upd when not matched then insert values (s.id, s.city, s.day, s.upd)`;
const byKeys = (where: string, using = ''): string =>
  `delete from k${using} where ${where}; insert into k select id, city, upd from c where day = '{{ ds }}'`;
const update = (rest: string): string =>
  `update m set city = s.city, upd = s.upd from c s where s.id = m.id and s.day = '{{ ds }}'${rest}`;
const versions = `update dim d set valid_to = '{{ ds }}', cur = false from c s where s.day = '{{ ds }}' and s.id = d.id and d.cur and d.city is distinct from s.city;
  insert into dim select s.id, s.city, s.day, null, true from c s where s.day = '{{ ds }}' and not exists (select 1 from dim d where d.id = s.id and d.cur)`;

let folder: DagWorkspace | undefined;
afterEach(() => folder?.close());

async function workspace(sql: string, yaml = ''): Promise<DagWorkspace> {
  folder = await dagWorkspace(setup, `SQLExecuteQueryOperator(task_id="t", conn_id="wh", sql="""${sql}""")`);
  appendFileSync(join(folder.root, 'backfill.yaml'), yaml);
  return folder;
}
const said = /^(warning) over-newer\b/m;
const old = ['--from', '2026-11-22', '--to', '2026-11-24'];
const toNewest = ['--from', '2026-11-22', '--to', '2026-11-29'];
const all = 'tasks:\n  d.t:\n    writes: [{ table: dim, slice: all }]\n';

test.each([
  ['an upsert', upsert(''), 'warning', ''],
  ['a merge', merge(''), 'warning', ''],
  ['versions that are closed and opened', versions, 'warning', all],
  ['one that keeps newer rows', upsert(' where m.upd < excluded.upd'), undefined, ''],
  ['a merge that does', merge(' and s.upd > t.upd'), undefined, ''],
  ['a delete of keys', byKeys("id in (select id from c where day = '{{ ds }}')"), 'warning', ''],
  [
    'a delete of keys by USING',
    byKeys('k.id = s.id', ' using c s').replace('k.id = s.id', "k.id = s.id and s.day = '{{ ds }}'"),
    'warning',
    '',
  ],
  ['an update from a source', update(''), 'warning', ''],
  [
    'an update and an insert',
    `${update('').replaceAll(/\bm\b/g, 'k')}; insert into k select id, city, upd from c where day = '{{ ds }}' on conflict do nothing`,
    'warning',
    '',
  ],
  ['a guard by the clock', upsert(' where m.upd < now()'), 'warning', ''],
  ['a guard by another value', upsert(' where m.upd is null or m.upd <> excluded.upd'), 'warning', ''],
  [
    'a guard that another condition opens',
    upsert(' where excluded.upd > m.upd or m.city is distinct from excluded.city'),
    'warning',
    '',
  ],
  ['a guard the wrong way round', upsert(' where excluded.upd < m.upd'), 'warning', ''],
  [
    'a guard by what stays as it was',
    upsert(' where excluded.upd > m.upd').replace(', upd = excluded.upd', ''),
    'warning',
    '',
  ],
  [
    'a guard by the moment of the run',
    upsert(' where excluded.upd >= m.upd').replace('day, upd from', 'day, now() as upd from'),
    'warning',
    '',
  ],
  [
    'one value of two that is weighed',
    upsert('').replace('upd = excluded.upd', 'upd = greatest(m.upd, excluded.upd)'),
    'warning',
    '',
  ],
  ['an update that keeps newer rows', update(' and s.upd >= m.upd'), undefined, ''],
  ['a guard or nothing there', upsert(' where m.upd is null or m.upd <= excluded.upd'), undefined, ''],
  [
    'each value weighed',
    `insert into m select id, city, day, upd from c where ${inInterval} on conflict (id) do update set city = case when excluded.upd > m.upd then excluded.city else m.city end, upd = greatest(m.upd, excluded.upd)`,
    undefined,
    '',
  ],
  [
    'a delete of days',
    `delete from m using c s where m.day = s.day and s.day = '{{ ds }}'; insert into m select * from c where day = '{{ ds }}'`,
    undefined,
    '',
  ],
  [
    'a table made anew of its other days',
    "alter table m rename to m_prev; create table m as select * from m_prev where day <> '{{ ds }}' union all select * from c where day = '{{ ds }}'; drop table m_prev",
    undefined,
    '',
  ],
  ['a key with the column of the slice', upsert('', 'id, upd', 'md').replace('primary', ''), undefined, ''],
])('older intervals over newer ones: %s', { timeout: patienceMs }, async (_, sql, severity, yaml) => {
  const { cli } = await workspace(sql, yaml);
  const plan = await cli(['plan', 'd.t', ...old]);
  expect(said.exec(plan.out + plan.err)?.[1], plan.out + plan.err).toBe(severity);
  if (severity === undefined) return;
  expect(plan.out).toContain('5 finished intervals from 2026-11-24T00:00:00Z on are not in the plan');
  expect(said.test((await cli(['plan', 'd.t', ...toNewest])).out)).toBe(false);
});

test('what is said of it is so, and the range that it names mends it', { timeout: patienceMs }, async () => {
  const { cli, rows } = await workspace(upsert(''));
  const run = (range: readonly string[]) => cli(['run', 'd.t', ...range, '--yes']);
  expect(await run(toNewest)).toMatchObject({ code: 0 });
  const newest = await rows('select * from m order by id');
  const older = await run(old);
  expect(older.code, older.out + older.err).toBe(0);
  expect(older.out + older.err).toMatch(said);
  expect(await rows('select * from m order by id')).not.toEqual(newest);
  expect(await run(toNewest)).toMatchObject({ code: 0 });
  expect(await rows('select * from m order by id')).toEqual(newest);
});

const one = ['--from', '2026-11-22', '--to', '2026-11-23'];
const temporary = `create temp table now_c on commit drop as select * from c where day = '{{ ds }}';
  ${versions.replaceAll('c s where', 'now_c s where')}`;
const staged = `${versions.replaceAll('c s where s.day', 'st s where s.day')}`;

test('a proof of one interval says that it put no other between two runs', { timeout: patienceMs }, async () => {
  const { cli } = await workspace(versions, all);
  const { code, out } = await cli(['prove', 'd.t', ...one]);
  expect(code).toBe(0);
  expect(out).toContain(
    'not covered: runs of other intervals between two of this one, which write the same rows of dim',
  );
});

test.each([
  ['versions that are closed and opened', versions, all, 1],
  ['of a temporary table', temporary, all, 1],
  ['in one that sets up its session, which is not tried', `set work_mem = '8MB'; ${versions}`, all, 0],
  ['an upsert, where the newest come last', upsert(''), '', 0],
])('a proof of several intervals in turn: %s', { timeout: patienceMs }, async (_, sql, yaml, code) => {
  const { cli, rows } = await workspace(sql, yaml);
  expect((await cli(['run', 'd.t', ...old, '--yes'])).code).toBe(0);
  const before = await rows('select count(*) from dim');
  const { out, err, code: found } = await cli(['prove', 'd.t', ...old]);
  expect(found, out + err).toBe(code);
  const inTurn =
    '2 intervals in turn, d.t@2026-11-22T00:00:00Z to d.t@2026-11-23T00:00:00Z, and all of them in turn again';
  expect(out.includes(inTurn), out).toBe(code === 1);
  if (code === 1) expect(out).toContain('help the first of these intervals finds rows of dim that later ones made');
  else expect(out).toMatch(/not covered: .*which write the same rows of (?:dim|m)\b/);
  expect(out.includes('2 intervals in turn and in turn again: it sets up its session')).toBe(sql.startsWith('set'));
  expect(await rows('select count(*) from dim')).toEqual(before);
});

test('a proof in turn fills before each interval what it reads', { timeout: patienceMs }, async () => {
  const { cli } = await workspace(staged, all);
  appendFileSync(
    join(folder?.root ?? '', 'dags/d.py'),
    `    s = SQLExecuteQueryOperator(task_id="s", conn_id="wh", sql="""truncate st; insert into st select * from c where day = '{{ ds }}'""")\n    s >> dag.get_task("t")\n`,
  );
  const { out, err, code } = await cli(['prove', 'd', ...old]);
  expect(code, out + err).toBe(1);
  expect(out).toContain('2 intervals in turn, d.t@');
});

test('what was run before and may come again is said, and is so', { timeout: patienceMs }, async () => {
  const { cli, rows } = await workspace(versions, all);
  const said =
    /^warning run-before .*2 planned intervals were run before, 2026-11-22T00:00:00Z to 2026-11-24T00:00:00Z/m;
  expect((await cli(['plan', 'd.t', ...old])).out).not.toContain('run-before');
  expect((await cli(['run', 'd.t', ...old, '--yes'])).out).not.toContain('run-before');
  expect((await cli(['plan', 'd.t', ...one])).out).not.toContain('run-before');
  const [[first]] = (await rows('select count(*)::int from dim')) as [[number]];
  const plan = await cli(['plan', 'd.t', ...old]);
  expect(plan.out).toMatch(said);
  const again = await cli(['run', 'd.t', ...old, '--yes']);
  expect(again.out + again.err).toMatch(said);
  expect(((await rows('select count(*)::int from dim')) as [[number]])[0][0]).toBeGreaterThan(first);
});

test('a column that only what the task reads has is said to come from its statements', {
  timeout: patienceMs,
}, async () => {
  const { cli } = await workspace(versions);
  const { out, err } = await cli(['run', 'd.t', ...old, '--preview', '--yes']);
  expect(out + err).toContain('has no column day');
  expect(out + err).toMatch(
    /looked for by day because .*statements of the task do, maybe of another table that they read/,
  );
});
