import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type CureCase, cureTables, day } from '../support/cures/cure-case.ts';
import { cureWorkspace, textOf } from '../support/cures/cure-workspace.ts';
import { freshDatabase, scalar, sql } from '../support/warehouse-fixture.ts';

const ofTheDay =
  "INSERT INTO mart.f SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}' ON CONFLICT (id) DO UPDATE SET v = excluded.v";
const ofAll = 'INSERT INTO mart.f SELECT day, id, v FROM raw.ev ON CONFLICT (id) DO UPDATE SET v = excluded.v';
const lately = `${ofAll.replace('FROM raw.ev', "FROM raw.ev WHERE day > now() - interval '1 day'")}`;
const queued = `${ofAll}; DELETE FROM raw.ev WHERE true`;
const cut = {
  all: 'slice: all',
  day: 'column: day',
  range: 'column: day, from: start, to: end',
  week: 'column: day, from: start - 6 days, to: end',
} as const;

describe('what orphans says of a slice', () => {
  let parent = '';
  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), 'backfill-orphans-'));
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  /** Runs three days, takes two rows of one of them out of the source, and runs that day to the end of each advice. */
  async function rowsAfter(task: string, slice: string, orphans: 'keep' | 'delete', more: Partial<CureCase> = {}) {
    const connection = await freshDatabase();
    const warehouse = await openWarehouse(connection);
    try {
      await sql(warehouse, ...cureTables);
      const yaml = `tasks: { d.f: { writes: [{ table: mart.f, ${slice}, orphans: ${orphans} }] } }`;
      const place = cureWorkspace(parent, connection, { tasks: { f: task }, steps: [], yaml, ...more });
      const run = (...words: string[]) => place.cli(['run', 'd', ...words, '--now', '2026-11-13T12:00', '--yes']);
      await sql(
        warehouse,
        'insert into mart.f select day, id, v from raw.ev',
        "insert into mart.f values ('2026-11-11', 99, 1)",
      );
      expect((await run('--from', '2026-11-10', '--to', '2026-11-13')).code).not.toBe(2);
      await sql(warehouse, 'delete from raw.ev where id in (3, 6)');
      const said: string[] = [];
      let answer = await run(...day.slice(0, 4));
      said.push(textOf(answer));
      const [, held] = /backfill resume (\S+) --accept-held/.exec(textOf(answer)) ?? [];
      if (held !== undefined) {
        answer = await place.cli(['resume', held, '--accept-held']);
        said.push(textOf(answer));
      }
      expect(answer.code, said.join('\n')).toBe(0);
      const left = await scalar(
        warehouse,
        "select concat_ws(' of ', string_agg(id::text, ' ' order by id) filter (where id in (3, 6, 99)), count(*)) from mart.f",
      );
      return { left, said: said.join('\n') };
    } finally {
      await warehouse.close();
    }
  }

  // Days 10, 11 and 12 have ten rows each; 3 and 6 of the 10th went from the source, 99 of the 11th was never in it.
  test.each<[string, string, string, 'keep' | 'delete', string]>([
    ['the day, of a table said to be one', ofTheDay, cut.all, 'delete', '3 6 99 of 31'],
    ['the day, of a table said to be one', ofTheDay, cut.all, 'keep', '3 6 99 of 31'],
    ['the day, of a week', ofTheDay, cut.week, 'delete', '3 6 99 of 31'],
    ['the day, of its day', ofTheDay, cut.day, 'delete', '28'],
    ['the day, of its day', ofTheDay, cut.day, 'keep', '3 6 99 of 31'],
    ['the day, of its interval', ofTheDay, cut.range, 'delete', '28'],
    ['all, of all', ofAll, cut.all, 'delete', '28'],
    ['all, of all', ofAll, cut.all, 'keep', '3 6 99 of 31'],
    ['what the clock says, of all', lately, cut.all, 'delete', '3 6 99 of 31'],
    ['what it takes away, of all', queued, cut.all, 'delete', '3 6 99 of 31'],
  ])('%s: %s, %s, %s', async (_, task, slice, orphans, left) => {
    const after = await rowsAfter(task, slice, orphans);
    expect(after.left, after.said).toBe(left);
  });
});
