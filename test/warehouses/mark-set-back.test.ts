import { afterEach, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

const setup = `create table o (ts timestamp, id int);
  insert into o select timestamp '2026-11-09' + n * interval '1 hour', n from generate_series(0, 95) n;
  create table a (ts timestamp, id int); create table wm (name text, last_ts timestamp); insert into wm values ('o', '2026-11-09')`;
const end = "'{{ data_interval_end | ds }}'";

let folder: DagWorkspace | undefined;
afterEach(() => folder?.close());

async function withMark(update: string): Promise<DagWorkspace> {
  const sql = `insert into a select ts, id from o where ts > (select last_ts from wm where name = 'o') and ts < ${end}; update wm set ${update};`;
  folder = await dagWorkspace(setup, `SQLExecuteQueryOperator(task_id="a", conn_id="wh", sql="""${sql}""")`);
  return folder;
}

const range = ['--from', '2026-11-09', '--to', '2026-11-12', '--yes'];

test.each([`last_ts = ${end} where name = 'o'`, `last_ts = ${end}::timestamp - interval '1 hour' where name = 'o'`])(
  'a mark that goes back with an older interval is no mark: %s',
  { timeout: patienceMs },
  async (update) => {
    const { cli, rows } = await withMark(update);
    const refused = await cli(['run', 'd.a', ...range]);
    expect(refused.code).not.toBe(0);
    expect(refused.out + refused.err).toMatch(/error append-in-plan .* sets that mark to the end of its own interval/);
    expect((await cli(['check'])).out).toMatch(/plain-insert[\s\S]*unless it is the newest one \(wm is set back/);
    expect(await rows('select count(*)::int from a')).toEqual([[0]]);
  },
);

test.each([
  `last_ts = greatest(last_ts, ${end}) where name = 'o'`,
  `last_ts = ${end} where name = 'o' and last_ts < ${end}`,
  `last_ts = (select max(ts) from a) where name = 'o'`,
])('one that only moves on is: %s', { timeout: patienceMs }, async (update) => {
  const { cli, rows } = await withMark(update);
  expect((await cli(['check'])).out).toContain('no findings');
  for (let turn = 0; turn < 2; turn++) {
    const { code, out, err } = await cli(['run', 'd.a', ...range]);
    expect(code, out + err).toBe(0);
  }
  expect(await rows('select count(*) = count(distinct id), count(*) > 60 from a')).toEqual([[true, true]]);
});
