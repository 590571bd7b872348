import { afterEach, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

const setup = `create schema etl; create schema mart; create schema raw;
  create table etl.log (day date primary key); create table mart.f (day date, id int); create table raw.ev (day date, id int);
  insert into raw.ev select date '2026-11-10' + n % 3, n from generate_series(1, 30) n;
  create function etl.is_loaded(d date) returns bool language sql stable as 'select exists (select from etl.log where day = d)'`;

const fill = "INSERT INTO mart.f SELECT * FROM raw.ev WHERE day = '{{ ds }}'";
const log = "INSERT INTO etl.log VALUES ('{{ ds }}') ON CONFLICT DO NOTHING";
const body = (text: string): string => `DO $$ BEGIN ${text} END $$`;

const made: DagWorkspace[] = [];
afterEach(() => {
  for (const one of made.splice(0)) one.close();
});

const range = ['--from', '2026-11-10', '--to', '2026-11-12', '--yes'];
async function workspace(sql: string): Promise<DagWorkspace> {
  const folder = await dagWorkspace(setup, `SQLExecuteQueryOperator(task_id="t", conn_id="wh", sql="""${sql}""")`);
  made.push(folder);
  return folder;
}

test.each([
  [
    'a function in a body',
    body(`IF NOT etl.is_loaded('{{ ds }}'::date) THEN ${fill}; INSERT INTO etl.log VALUES ('{{ ds }}'); END IF;`),
  ],
  [
    'a look in a body',
    body(
      `IF EXISTS (SELECT 1 FROM etl.log WHERE day = '{{ ds }}') THEN RETURN; END IF; ${fill}; INSERT INTO etl.log VALUES ('{{ ds }}');`,
    ),
  ],
  ['a function', `${fill} AND NOT etl.is_loaded('{{ ds }}'); ${log}`],
  ['NOT EXISTS', `${fill} AND NOT EXISTS (SELECT FROM etl.log WHERE day = '{{ ds }}'); ${log}`],
  ['NOT IN', `${fill} AND '{{ ds }}' NOT IN (SELECT day FROM etl.log); ${log}`],
  [
    'NOT EXISTS for each row',
    `INSERT INTO mart.f SELECT e.* FROM raw.ev e WHERE e.day = '{{ ds }}' AND NOT EXISTS (SELECT 1 FROM etl.log l WHERE l.day = e.day); ${log}`,
  ],
])(
  'what a task asks of a log of its own before it adds keeps its rows from coming twice: %s',
  { timeout: patienceMs },
  async (_, sql) => {
    const { cli, rows } = await workspace(sql);
    const first = await cli(['run', 'd.t', ...range]);
    expect(first.code, first.out + first.err).toBe(0);
    const all = await rows('select * from mart.f order by 1, 2');
    expect(all.length).toBeGreaterThanOrEqual(20);
    const again = await cli(['run', 'd.t', ...range]);
    expect(again.code, again.out + again.err).toBe(0);
    expect(again.out).toMatch(/[1-9]\d* unchanged, 0 changed/);
    expect(await rows('select * from mart.f order by 1, 2')).toEqual(all);
    expect((await cli(['check'])).out).not.toMatch(/error plain-insert/);
  },
);

test('a log that nobody keeps: held, with its rows out, and what is advised lets it through', {
  timeout: patienceMs,
}, async () => {
  const { cli, rows } = await workspace(`${fill} AND NOT etl.is_loaded('{{ ds }}')`);
  const held = await cli(['run', 'd.t', ...range]);
  expect(held.out + held.err).toMatch(/2 held/);
  expect(await rows('select count(*)::int from mart.f')).toEqual([[0]]);
  const id = /^run (\d\S+):/m.exec(held.out)?.[1] ?? '';
  const accepted = await cli(['resume', id, '--accept-held']);
  expect(accepted.code, accepted.out + accepted.err).toBe(0);
  expect(await rows('select count(*)::int from mart.f')).toEqual([[20]]);
});

test.each([
  ['where it is there', `${fill} AND EXISTS (SELECT FROM etl.log WHERE day = '{{ ds }}')`],
  [
    'of the rows themselves',
    `INSERT INTO mart.f SELECT * FROM raw.ev e WHERE day = '{{ ds }}' AND NOT EXISTS (SELECT FROM etl.log l WHERE l.day = e.day)`,
  ],
  ['of a table that nothing of it writes', `${fill} AND NOT EXISTS (SELECT FROM etl.log WHERE day = '{{ ds }}')`],
  ['of what it never says', `${fill} AND NOT EXISTS (SELECT FROM etl.log WHERE day = '2020-01-01'); ${log}`],
])('a question that a first run does not answer is none: %s', { timeout: patienceMs }, async (_, sql) => {
  const { cli, rows } = await workspace(sql);
  const { code, out, err } = await cli(['run', 'd.t', ...range]);
  expect(code, out + err).not.toBe(0);
  expect(await rows('select count(*)::int from mart.f')).toEqual([[0]]);
});
