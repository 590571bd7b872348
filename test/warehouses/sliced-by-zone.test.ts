import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

const ddl = 'create table t (ts timestamptz, at timestamp, p jsonb, n int)';
const setup = `create table s (ts timestamptz, n int); ${ddl};
  insert into s select g, 1 from generate_series(timestamptz '2026-11-07Z', '2026-11-13Z', '1 hour') g`;
const range = ['--from', '2026-11-09', '--to', '2026-11-11'];

let folder: DagWorkspace | undefined;
afterEach(() => folder?.close());

async function workspace(expression: string, { settings = '{}', set = '', more = '' } = {}): Promise<DagWorkspace> {
  const zone = /America\/New_York/.exec(set)?.[0] ?? 'Europe/Warsaw';
  const day = `(ts at time zone '${zone}')::date = '{{ ds }}'`;
  const sql = `${set}DELETE FROM t WHERE ${day}; INSERT INTO t SELECT ts, ts at time zone 'UTC', jsonb_build_object('at', ts), n FROM s WHERE ${day}`;
  folder = await dagWorkspace(setup, `SQLExecuteQueryOperator(task_id="load", conn_id="wh", sql="""${sql}"""${more})`, {
    settings,
  });
  appendFileSync(
    join(folder.root, 'backfill.yaml'),
    `tasks:\n  d.load:\n    writes:\n      - { table: t, expression: "${expression}", slice: day of start (UTC) }\n`,
  );
  mkdirSync(join(folder.root, 'sql'));
  writeFileSync(join(folder.root, 'sql/t.sql'), `${ddl};\n`);
  await folder.rows(`alter database "${folder.databases[0]}" set timezone to 'Europe/Warsaw'`);
  return folder;
}

const said = /another result in each zone/;

test.each([
  ['ts::date', {}, true, true],
  ["date_trunc('day', ts)", {}, true, true],
  ["make_date(extract(year from ts)::int, extract(month from ts)::int, date_part('day', ts)::int)", {}, true, true],
  // Whether texts say their offset only rows know, so no file is called wrong for it.
  ["(p ->> 'at')::timestamptz::date", {}, false, true],
  ['at::date', {}, false, false],
  ["(ts at time zone 'Europe/Warsaw')::date", {}, false, false],
  ['ts::date', { settings: '{ timezone: Europe/Warsaw }' }, false, false],
  ['ts::date', { set: "SET timezone = 'Europe/Warsaw'; " }, false, false],
  ['ts::date', { more: ', hook_params={"options": "-c timezone=Europe/Warsaw"}' }, false, false],
] as const)(
  'days of a zone that nobody names are said: %s %o',
  { timeout: patienceMs },
  async (expression, how, byFiles, byServer) => {
    const { cli } = await workspace(expression, how);
    const check = await cli(['check']);
    expect(said.test(check.out + check.err), check.out + check.err).toBe(byFiles);
    if (byFiles) expect(check.out + check.err).toMatch(/^dags\/d\.py:\d+:\d+ warning The rows of t/m);
    const plan = await cli(['plan', 'd.load', ...range]);
    expect(said.test(plan.out + plan.err), plan.out + plan.err).toBe(byServer);
    const run = await cli(['run', 'd.load', ...range, '--yes']);
    expect(said.test(run.out + run.err), run.out + run.err).toBe(byServer);
    if (byServer) expect(run.out + run.err).toContain('Sessions of this server are in Europe/Warsaw');
  },
);

test('what is advised silences it', { timeout: patienceMs }, async () => {
  const { cli, root } = await workspace('ts::date');
  expect((await cli(['plan', 'd.load', ...range])).out).toMatch(said);
  const file = join(root, 'backfill.yaml');
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, before.replace('settings: {}', 'settings: { timezone: Europe/Warsaw }'));
  expect((await cli(['plan', 'd.load', ...range])).out).not.toMatch(said);
  writeFileSync(file, before.replace('ts::date', "(ts AT TIME ZONE 'Europe/Warsaw')::date"));
  expect((await cli(['plan', 'd.load', ...range])).out).not.toMatch(said);
});

test.each(["SET timezone = 'America/New_York'; ", "SET LOCAL TIME ZONE 'America/New_York'; "])(
  'rows are told in the zone that the SQL sets, by run and gaps alike: %s',
  { timeout: patienceMs },
  async (set) => {
    const { cli, rows } = await workspace('ts::date', { set });
    const ofDay = (day: string) => `(ts at time zone 'America/New_York')::date = '${day}'`;
    await rows(`insert into t select ts, null, null, n from s where ${ofDay('2026-11-08')} or ${ofDay('2026-11-09')}`);
    const gaps = JSON.parse((await cli(['gaps', 'd.load', '--format', 'json'])).out) as {
      tasks: { gaps: { from: string }[] }[];
    };
    const missing = gaps.tasks.flatMap((task) => task.gaps.map(({ from }) => from));
    expect(missing.filter((day) => day >= '2026-11-08' && day < '2026-11-12')).toEqual(['2026-11-10', '2026-11-11']);
    const run = await cli(['run', 'd.load', ...range, '--yes', '--format', 'json']);
    const { units } = JSON.parse(run.out) as { units: { slices: { rowsBefore: number; rowsAfter: number }[] }[] };
    expect(run.code, run.out + run.err).toBe(0);
    expect(units.flatMap(({ slices }) => slices)).toMatchObject([
      { rowsBefore: 24, rowsAfter: 24 },
      { rowsBefore: 0, rowsAfter: 24 },
    ]);
  },
);
