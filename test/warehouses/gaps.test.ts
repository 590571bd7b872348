import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { surveySlices } from '../../src/core/run/survey/survey-slices.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { runCli } from '../support/run-cli.ts';
import { type ShopWorkspace, shopWorkspace } from '../support/shop-workspace.ts';

let parent = '';
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-gaps-'));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describe.each(['pglite', 'postgres'] as const)('what tables hold on %s', (engine) => {
  let shop: ShopWorkspace;
  beforeAll(async () => {
    shop = await shopWorkspace(engine, parent);
    await shop.onDatabase(
      `insert into mart.daily select date '2026-11-01' + n / 30, 's' || n, 1 from generate_series(0, 899) n
       where n / 30 not in (3, 4) and (n / 30 <> 16 or n % 30 < 5)`,
      `create table mart.odd_types (at timestamptz, name text, number int)`,
      `insert into mart.odd_types values ('2026-11-01 23:30+00', '2026-11-01', 20261101), ('2026-11-02 00:00+00', '2026-11-02', 20261102)`,
    );
  });
  const now = ['--now', '2026-12-01T06:00'];
  const cli = (...words: readonly string[]) =>
    runCli([...words, '--workspace', shop.root], shop.root, { env: shop.env });

  test('missing days are said in a row, with the command that fills them; odd ones with what is usual', async () => {
    const { code, out } = await cli('gaps', 'shop.daily', ...now);
    expect(code).toBe(1);
    expect(out).toMatch(/shop\.daily: \d+ intervals, .* to 2026-11-30, 3 gaps/);
    expect(out).toMatch(/2026-11-04 to 2026-11-05 +missing +no row, about 30 are usual/);
    expect(out).toMatch(/2026-11-17 +odd +5 rows, about 30 are usual/);
    expect(out).toContain('  backfill run shop.daily --from 2026-11-04 --to 2026-11-06 --downstream\n');
  });

  test('where too few intervals are there to tell odd ones, that is said instead of no gaps', async () => {
    const early = ['gaps', 'shop.daily', '--now'];
    const few = await cli(...early, '2026-11-03T06:00');
    expect(few.out).toMatch(/2 intervals, 2026-11-01 to 2026-11-02, none missing\ntoo few intervals to tell odd ones/);
    const young = await cli(...early, '2026-11-18T06:00');
    expect(young.out).toMatch(/, 2 gaps\n/);
    expect(young.out).toContain(
      'too few intervals to tell whether this one is odd, or like others of its weekday or hour: 2026-11-17 (5 rows, about 30 around it)',
    );
    const data = JSON.parse((await cli(...early, '2026-11-18T06:00', '--format', 'json')).out);
    expect(data.tasks[0].open).toMatchObject([{ from: '2026-11-17', rows: 5, usual: 30 }]);
  });

  test('the same as data; a table without rows has no gaps; asking makes no ledger', async () => {
    const { code, out } = await cli('gaps', 'shop', '--format', 'json', ...now);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      tasks: [
        {
          task: 'shop.daily',
          gaps: [
            { from: '2026-11-04', to: '2026-11-05', kind: 'missing', rows: 0, usual: 30 },
            { from: '2026-11-05', kind: 'missing' },
            { from: '2026-11-17', kind: 'odd', rows: 5 },
          ],
          untold: [],
        },
        { task: 'shop.rolling3', gaps: [] },
      ],
    });
    expect((await shop.onDatabase("select to_regclass('backfill_ledger.versions') is null")).rows).toEqual([['t']]);
  });

  test('what comes before the first row is said, and a table that cannot be counted is no all-clear', async () => {
    await shop.onDatabase(
      'create table mart.kept as table mart.daily',
      "delete from mart.daily where day < '2026-11-20'",
    );
    const late = await cli('gaps', 'shop.daily', ...now);
    expect(late.code).toBe(0);
    expect(late.out).toMatch(
      /, no gaps since 2026-11-20\nno row in the \d+ intervals before that, .* to 2026-11-19; to fill/,
    );
    await shop.onDatabase('truncate mart.daily');
    const empty = await cli('gaps', 'shop.daily', ...now);
    expect(empty.out).toMatch(/, no row\nnone of them has a row; to fill them: backfill run shop\.daily --from /);
    await shop.onDatabase('alter table mart.daily rename to hidden');
    expect(await cli('gaps', 'shop.daily', ...now)).toMatchObject({
      code: 1,
      out: expect.stringContaining('not counted: '),
    });
    await shop.onDatabase('drop table mart.hidden', 'alter table mart.kept rename to daily');
  });

  test('bounds are literals of the column; what cannot be counted is said by name', async () => {
    const warehouse = await openWarehouse(shop.connection);
    const session = await warehouse.connect('unit');
    try {
      const slices = ['at', 'name', 'number', 'nothing'].flatMap((column) =>
        ['2026-11-01', '2026-11-02'].map((from, index) => ({
          unit: `${column} ${from}`,
          table: 'mart.odd_types',
          rows: { column, from, to: ['2026-11-02', '2026-11-03'][index] ?? '', predicate: undefined },
          settings: {},
        })),
      );
      const range = { from: '2026-11-01', to: '2026-11-02', predicate: undefined };
      const absent = { unit: 'x', table: 'mart.absent', rows: { ...range, column: 'at' }, settings: {} };
      const unread = { unread: true as const, settings: {} };
      const valued = { unit: 'x', table: 'mart.daily', rows: { ...range, column: 'shop' }, ...unread };
      const { rows, untold } = await surveySlices(session, [...slices, absent, valued], 10_000, {});
      for (const column of ['at', 'name', 'number']) {
        expect([rows.get(`${column} 2026-11-01`), rows.get(`${column} 2026-11-02`)]).toEqual([1, 1]);
      }
      const added = await surveySlices(session, slices.slice(0, 2), 10_000, {}, 'number');
      expect([added.columns, [...added.sums]]).toEqual([
        ['number'],
        [
          ['at 2026-11-01', '20261101'],
          ['at 2026-11-02', '20261102'],
        ],
      ]);
      expect(untold).toEqual([
        expect.stringContaining('has no column nothing'),
        'mart.absent: it is not there, or cannot be read',
        'mart.daily: an interval is one value of shop, which cannot be told from the template',
      ]);
    } finally {
      await session.close();
      await warehouse.close();
    }
  });

  test('a column is added up to the last digit in the same pass, by bounds and by conditions; keys are not', async () => {
    await shop.onDatabase(
      'create table mart.amounts (id int primary key, day date, exact numeric, rough float8, note text)',
      `insert into mart.amounts select n, date '2026-11-01' + n % 2, 0.1, 0.1, 'x' from generate_series(1, 10) n`,
    );
    const warehouse = await openWarehouse(shop.connection);
    const session = await warehouse.connect('unit');
    try {
      const days = ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04'];
      const asked = (condition: boolean) =>
        days.slice(0, 3).map((from, at) => ({
          unit: from,
          table: 'mart.amounts',
          rows: {
            column: 'day',
            from,
            to: days[at + 1] ?? '',
            predicate: condition ? `day in ('${from}') and id > 2` : undefined,
          },
          settings: {},
        }));
      for (const column of ['exact', 'rough']) {
        const ranges = await surveySlices(session, asked(false), 10_000, {}, column);
        expect([ranges.columns, [...ranges.sums.values()], ranges.untold]).toEqual([
          ['exact', 'rough'],
          ['0.5', '0.5', '0'],
          [],
        ]);
        const conditions = await surveySlices(session, asked(true), 10_000, {}, column);
        expect([...conditions.sums.values()]).toEqual(['0.4', '0.4', '0']);
        expect([...conditions.rows.values()]).toEqual([4, 4, 0]);
      }
      const keys = await surveySlices(session, asked(false), 10_000, {}, 'id');
      expect([[...keys.sums], [...keys.rows.values()]]).toEqual([[], [5, 5, 0]]);
    } finally {
      await session.close();
      await warehouse.close();
    }
  });
});
