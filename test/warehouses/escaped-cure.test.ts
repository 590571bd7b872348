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
      const [, words = ''] = /backfill (prove \S+ --logical-dates [^\s,]+)/.exec(textOf(held)) ?? [];
      expect(words, textOf(held)).not.toBe('');
      const followed = await place.follow(textOf(held), 'yaml', asked);
      expect(followed.code, textOf(followed)).toBe(0);
      const proof = await place.cli([...words.split(' '), '--now', '2026-11-29T12:00Z']);
      expect(proof.code, textOf(proof)).toBe(code);
    } finally {
      await warehouse.close();
    }
  });
});
