import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { cureTables, day } from '../support/cures/cure-case.ts';
import { cureWorkspace, textOf } from '../support/cures/cure-workspace.ts';
import { freshDatabase, sql } from '../support/warehouse-fixture.ts';

const replace = (values: string): string =>
  `DELETE FROM mart.f WHERE day = '{{ ds }}'; INSERT INTO mart.f SELECT ${values} FROM raw.ev WHERE day = '{{ ds }}'`;

/** The words of the proof that an advice names. */
const proofIn = (said: string): readonly string[] =>
  (/backfill (prove \S+ --logical-dates [^\s,)]+)/.exec(said)?.[1] ?? '').split(' ');

describe('rows outside of the slice, said to be meant in backfill.yaml', () => {
  let parent = '';
  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), 'backfill-escaped-'));
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  test.each([
    ['that a second run adds again', replace('day - 1, id, v'), 1],
    ['that it finds again', `${replace('day, id, v')}; UPDATE mart.f SET v = 1 WHERE id = 77`, 0],
  ])('the proof that the advice names tells of those %s', async (_, task, code) => {
    const connection = await freshDatabase();
    const warehouse = await openWarehouse(connection);
    try {
      await sql(warehouse, ...cureTables, "insert into mart.f values ('2026-10-11', 77, 0)");
      const place = cureWorkspace(parent, connection, { tasks: { f: task }, steps: [] });
      const asked = ['run', 'd', ...day, '--yes'];
      const held = await place.cli(asked);
      expect(held.code, textOf(held)).toBe(3);
      const words = proofIn(textOf(held));
      const followed = await place.follow(textOf(held), 'yaml', asked);
      expect(followed.code, textOf(followed)).toBe(0);
      const proof = await place.cli([...words, '--now', '2026-11-29T12:00Z']);
      expect(proof.code, textOf(proof)).toBe(code);
    } finally {
      await warehouse.close();
    }
  });

  test('the proof that a hold for rows that come once more names shows them', async () => {
    const connection = await freshDatabase();
    const warehouse = await openWarehouse(connection);
    try {
      await sql(warehouse, ...cureTables, 'create table mart.g (day date, id int, v int)');
      const doubles = `DELETE FROM mart.g WHERE day = '{{ ds }}' AND id IS NULL; INSERT INTO mart.g SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}'`;
      const yaml = 'tasks: { d.f: { writes: [{ table: mart.g, slice: all }] } }';
      const place = cureWorkspace(parent, connection, { tasks: { f: doubles }, yaml, steps: [] });
      const held = await place.cli(['run', 'd', ...day, '--yes']);
      expect(held.code, textOf(held)).toBe(3);
      expect(textOf(held)).toContain('mart.g has 10 rows after this run and has 20 rows after a second');
      const proof = await place.cli([...proofIn(textOf(held)), '--now', '2026-11-29T12:00Z']);
      expect(proof.code, textOf(proof)).toBe(1);
      expect(textOf(proof)).toMatch(/mart\.g/);
    } finally {
      await warehouse.close();
    }
  });
});
