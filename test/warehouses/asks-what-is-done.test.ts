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

const jobs = `create table etl.jobs (job text, day date, ok bool)`;
const done = (job: string) => `INSERT INTO etl.jobs VALUES ('${job}', '{{ ds }}', true)`;
const once = `${done('t').replace(/VALUES \((.*)\)$/, 'SELECT $1')} WHERE NOT EXISTS (SELECT FROM etl.jobs WHERE job = 't' AND day = '{{ ds }}')`;

test.each([
  [
    'LEFT JOIN',
    `INSERT INTO mart.f SELECT e.day, e.id FROM raw.ev e LEFT JOIN etl.jobs l ON l.job = 't' AND l.day = e.day WHERE l.day IS NULL AND e.day = '{{ ds }}'; ${once}`,
  ],
  ['a count', `${fill} AND (SELECT count(*) FROM etl.jobs WHERE job = 't' AND day = '{{ ds }}') = 0; ${once}`],
  [
    'PERFORM',
    body(
      `PERFORM 1 FROM etl.jobs WHERE job = 't' AND day = '{{ ds }}'; IF NOT FOUND THEN ${fill}; ${done('t')}; END IF;`,
    ),
  ],
  [
    'a count into a variable',
    `DO $$ DECLARE n int; BEGIN SELECT count(*) INTO n FROM etl.jobs WHERE job = 't' AND day = '{{ ds }}'; IF n = 0 THEN ${fill}; ${done('t')}; END IF; END $$`,
  ],
  [
    'what the log has returned',
    `WITH todo AS (INSERT INTO etl.jobs SELECT 't', '{{ ds }}'::date, true WHERE NOT EXISTS (SELECT FROM etl.jobs WHERE job = 't' AND day = '{{ ds }}') RETURNING day) INSERT INTO mart.f SELECT ev.day, id FROM raw.ev ev JOIN todo USING (day)`,
  ],
])(
  'where the log of a task is written by others too, no clean run is told of the rows that it guards: %s',
  { timeout: patienceMs },
  async (_, sql) => {
    const folder = await dagWorkspace(
      `${setup}; ${jobs}`,
      `SQLExecuteQueryOperator(task_id="t", conn_id="wh", sql="""${sql}""")
SQLExecuteQueryOperator(task_id="u", conn_id="wh", sql="""${done('u')}""")`,
    );
    made.push(folder);
    const { cli, rows } = folder;
    const first = await cli(['run', 'd.t', ...range, '--allow-append']);
    expect(first.code, first.out + first.err).toBe(0);
    const all = await rows('select * from mart.f order by 1, 2');
    expect(all.length).toBeGreaterThanOrEqual(20);
    const again = await cli(['run', 'd.t', ...range, '--allow-append']);
    expect(again.code, again.out + again.err).toBe(0);
    expect(again.out).not.toMatch(/left over|orphans/);
    const proof = await cli(['prove', 'd.t', ...range.slice(0, 4)]);
    expect(proof.out + proof.err).not.toMatch(/one clean run leaves other rows|orphans/);
    expect(await rows('select * from mart.f order by 1, 2')).toEqual(all);
  },
);

test('rows that differ in the log of a task confirm nothing of the table that it guards', {
  timeout: patienceMs,
}, async () => {
  const folder = await dagWorkspace(
    `${setup}; ${jobs}`,
    `SQLExecuteQueryOperator(task_id="t", conn_id="wh", sql="""
${fill} AND (SELECT count(*) FROM etl.jobs WHERE job = 't' AND day = '{{ ds }}') = 0;
${done('t')};
""")`,
  );
  made.push(folder);
  const { cli } = folder;
  await cli(['run', 'd.t', ...range, '--allow-append']);
  const proof = await cli(['prove', 'd.t', ...range.slice(0, 4)]);
  expect(proof.out).toMatch(/etl\.jobs/);
  expect(proof.out, proof.out).not.toMatch(/confirmed\s+plain-insert\s+dags\/d\.py:1[0-2]:/);
});
