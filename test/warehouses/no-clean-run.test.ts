import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { cureTables, day } from '../support/cures/cure-case.ts';
import { cureWorkspace, textOf } from '../support/cures/cure-workspace.ts';
import { freshDatabase, scalar, sql } from '../support/warehouse-fixture.ts';

const source = "SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}'";
const filled = ['create table mart.t (day date, id int, v int)', 'insert into mart.t select day, id, v from raw.ev'];
const keyed = [...filled, 'alter table mart.t add primary key (day, id)'];
const cut = 'column: day, from: start, to: end';

/** Twenty rows of other days and ten of the one that is run, numbered 3, 6 … 30. */
const count = "select count(*) from mart.t where day = '2026-11-10'";

describe('what runs tell of left-over rows is what the database has', () => {
  let parent = '';
  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), 'backfill-no-clean-run-'));
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  /** Runs a day twice, then twice with `orphans: delete`, and proves it; counts rows after each run. */
  async function follow(task: string, ddl: readonly string[], slice: string, between: readonly string[] = []) {
    const connection = await freshDatabase();
    const warehouse = await openWarehouse(connection);
    try {
      await sql(warehouse, ...cureTables, ...ddl);
      const said: string[] = [];
      const rows: number[] = [];
      const place = (declared: string) =>
        cureWorkspace(parent, connection, {
          tasks: { f: task },
          steps: [],
          yaml: `tasks: { d.f: { writes: [{ table: mart.t, ${slice}${declared} }] } }`,
        });
      for (const declared of ['', '', ', orphans: delete', ', orphans: delete']) {
        const answer = await place(declared).cli(['run', 'd', ...day, '--yes', '--allow-append']);
        said.push(textOf(answer));
        rows.push(Number(await scalar(warehouse, count)));
        if (said.length === 1) await sql(warehouse, 'select 1', ...between);
      }
      const proof = textOf(await place('').cli(['prove', 'd', ...day, '--allow-append']));
      return { said, rows, proof };
    } finally {
      await warehouse.close();
    }
  }

  test.each<[string, string, readonly string[], readonly number[], RegExp]>([
    [
      'a prune of equal rows',
      "DELETE FROM mart.t a USING mart.t b WHERE a.day = '{{ ds }}' AND a.day = b.day AND a.id > b.id AND a.v = b.v",
      [...filled, "insert into mart.t select day, id + 100, v from mart.t where day = '2026-11-10' and id < 10"],
      [10, 10, 10, 10],
      /it only takes rows away from mart\.t/,
    ],
    [
      'a prune that goes on',
      "DELETE FROM mart.t WHERE day = '{{ ds }}' AND id IN (SELECT id FROM mart.t WHERE day = '{{ ds }}' ORDER BY id LIMIT 1)",
      filled,
      [9, 8, 7, 6],
      /it only takes rows away from mart\.t/,
    ],
    [
      'a table that is made once',
      `CREATE TABLE IF NOT EXISTS mart.t AS ${source}`,
      ['select 1'],
      [10, 10, 10, 10],
      /it fills mart\.t only where there is no such table yet/,
    ],
    [
      'rows that it carries on',
      `INSERT INTO mart.t SELECT day, id, v FROM mart.t WHERE day = '{{ ds }}' UNION ${source} ON CONFLICT (day, id) DO NOTHING`,
      [...keyed, "insert into mart.t values ('2026-11-10', 99, 1)"],
      [11, 11, 11, 11],
      /it makes rows of mart\.t out of those that it finds there/,
    ],
  ])('a task that does not fill its slice leaves nothing over: %s', async (_, task, ddl, counted, why) => {
    const { said, rows, proof } = await follow(task, ddl, cut);
    expect(rows).toEqual(counted);
    expect(said.join('\n')).not.toMatch(/left over|taken away|task is not deterministic/);
    for (const one of said.slice(2))
      expect(one).toMatch(new RegExp(`orphans: delete of mart\\.t was not done: .*${why.source}`));
    expect(proof).not.toMatch(/one clean run leaves/);
    expect(proof).toMatch(new RegExp(`${why.source}|a second run leaves other rows`));
  });

  test.each<[string, string]>([
    ['an upsert', `INSERT INTO mart.t ${source} ON CONFLICT (day, id) DO UPDATE SET v = excluded.v`],
    [
      'an anti-join',
      "INSERT INTO mart.t SELECT e.day, e.id, e.v FROM raw.ev e LEFT JOIN mart.t t ON t.id = e.id AND t.day = e.day WHERE e.day = '{{ ds }}' AND t.id IS NULL",
    ],
  ])('a task that fills it does: %s', async (_, task) => {
    const { said, rows } = await follow(task, keyed, cut, ['delete from raw.ev where id in (3, 6)']);
    expect(rows).toEqual([10, 10, 8, 8]);
    expect(said[1]).toMatch(/left over in 1 slice of mart\.t: 2 rows/);
    expect(said[2]).toMatch(/left over in 1 slice of mart\.t, and taken away: 2 rows/);
    expect(said[2]).toMatch(/why 1 slice of mart\.t: orphans: delete takes away rows that earlier runs left/);
    expect(said.join('\n')).not.toMatch(/task is not deterministic/);
    expect(said[3]).not.toMatch(/left over/);
  });

  test('rows that a run adds to equal ones and takes away again are no rows of the slice', async () => {
    const anew = `INSERT INTO mart.t SELECT e.day, e.id, nullif(e.v, 3) FROM raw.ev e LEFT JOIN mart.t t ON t.id = e.id AND t.v = nullif(e.v, 3) WHERE e.day = '{{ ds }}' AND t.id IS NULL`;
    const { said, rows } = await follow(anew, ['create table mart.t (day date, id int, v int)'], cut);
    expect(rows).toEqual([10, 11, 10, 10]);
    expect(said[1]).toMatch(/note: mart\.t had 10 rows of this interval and has 11 now/);
    expect(said[2]).toMatch(/taken away: 1 row, e\.g\. .*; not kept: 1 row that the run added to equal ones/);
    expect(said[3]).toMatch(/not kept in 1 slice of mart\.t: 1 row that the run added to equal ones/);
    for (const one of said.slice(2)) expect(one).not.toMatch(/of this interval and has/);
  });

  test('a held unit took nothing away', async () => {
    const upsert = `INSERT INTO mart.t ${source} ON CONFLICT (day, id) DO UPDATE SET v = excluded.v`;
    const { said, rows } = await follow(upsert, keyed, cut, ['delete from raw.ev where id > 6']);
    expect(rows).toEqual([10, 10, 10, 10]);
    expect(said[2]).toMatch(/would be left over in 1 slice of mart\.t, and taken away: 8 rows/);
    expect(said[2]).not.toMatch(/^left over/m);
  });
});
