import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

const setup = `create schema raw; create schema mart;
  create table raw.ev (day date, id int, v int);
  insert into raw.ev select date '2026-11-02' + n % 25, n, n from generate_series(0, 99) n;
  create table mart.snap (id int, v int); create table mart.month (month date, id int, v int);
  create table mart.month_202611 (id int, v int)`;

const upTo = `from raw.ev where day <= '{{ ds }}' group by id`;
const month = `date_trunc('month', '{{ ds }}'::date)::date`;

/** Ways to rewrite rows as of a day that later days rewrite as well, with the table. */
const ways: Readonly<Record<string, readonly [table: string, sql: string]>> = {
  truncate: ['mart.snap', `truncate mart.snap; insert into mart.snap select id, sum(v) ${upTo}`],
  delete_all: ['mart.snap', `delete from mart.snap; insert into mart.snap select id, sum(v) ${upTo}`],
  made_anew: [
    'mart.snap',
    `drop table if exists mart.snap; create table mart.snap as select id, sum(v)::int as v ${upTo}`,
  ],
  month: [
    'mart.month',
    `delete from mart.month where month = ${month}; insert into mart.month select ${month}, id, sum(v) ${upTo.replace('where', `where day >= ${month} and`)}`,
  ],
  table_of_month: [
    'mart.month_202611',
    `truncate mart.month_{{ logical_date.strftime('%Y%m') }}; insert into mart.month_{{ logical_date.strftime('%Y%m') }} select id, sum(v) ${upTo}`,
  ],
};

describe('rows that several intervals rewrite as of themselves', { timeout: patienceMs }, () => {
  let folder: DagWorkspace;
  const range = ['--from', '2026-11-03', '--to', '2026-11-06'];
  const run = (way: string, ...more: readonly string[]) => folder.cli(['run', `d.${way}`, ...range, '--yes', ...more]);

  beforeEach(async () => {
    const operators = Object.entries(ways).map(
      ([id, [, text]]) =>
        `SQLExecuteQueryOperator(task_id="${id}", conn_id="wh", sql="${text.replaceAll('\n', ' ').replaceAll('"', '\\"')}")`,
    );
    folder = await dagWorkspace(setup, operators.join('\n'));
  });
  afterEach(() => folder.close());

  test.each(Object.entries(ways))(
    '%s: the newest comes last, an identical rerun is not held, and lost rows still are',
    async (way, [table]) => {
      const count = async () => Number((await folder.rows(`select count(*) from ${table}`))[0]?.[0]);
      const first = await run(way);
      expect(first.code, first.out + first.err).toBe(0);
      expect(await count()).toBe(100);
      for (const more of [['--preview'], []]) {
        const again = await run(way, ...more);
        expect(again.out, again.err).not.toContain('held');
        expect(again.code).toBe(0);
        expect(await count()).toBe(100);
      }
      // The source has lost most of what it had: told by what the interval itself had the last time.
      await folder.rows('delete from raw.ev where id % 10 > 0');
      const fewer = await run(way);
      expect(fewer.code).toBe(3);
      expect(fewer.out).toMatch(
        /would have 2 rows, and had 8 after the last run of this interval, less by more than 50 %/,
      );
      // A preview does not stop at what a run would hold, and so shows the last one as well.
      expect((await run(way, '--preview')).out).toMatch(/would have 2 rows, and had 8 after/);
    },
  );

  test('rows that Airflow made are what the first run is measured by', async () => {
    await folder.rows('insert into mart.snap select id, sum(v) from raw.ev group by id');
    const first = await run('truncate');
    expect(first.code, first.out + first.err).toBe(0);
    await folder.rows(
      `drop schema backfill_ledger cascade; delete from raw.ev where id % 10 > 0 and day > '2026-11-05'`,
    );
    const fewer = await run('truncate');
    expect(fewer.code).toBe(3);
    expect(fewer.out).toMatch(
      /held d\.truncate@2026-11-28.*would have \d+ rows, and had 100 before the first interval of this run/,
    );
    const run_ = /run (\S+): \d+ of/.exec(fewer.out)?.[1] ?? /run (\S+):/.exec(fewer.out)?.[1] ?? '';
    const accepted = await folder.cli(['resume', run_, '--accept-held', '--yes']);
    expect(accepted.code, accepted.out + accepted.err).toBe(0);
  });
});
