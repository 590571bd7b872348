import { describe, expect, test } from 'vitest';
import { locksOf } from '../../../src/core/run/relational/preview/locks-of.ts';
import type { UnitJob } from '../../../src/core/run/unit/unit-job.ts';

/** Who waits for each table while a unit of these statements runs, which writes `tables`. */
function waits(statements: readonly string[], tables: readonly string[] = ['mart.t']): Record<string, string> {
  const job = {
    task: 'd.t',
    statements: statements.map((text) => ({ text })),
    slices: tables.map((table) => ({ table, mode: 'delete+insert' })),
    inputs: [],
    options: { lockTable: true },
  } as unknown as UnitJob;
  return Object.fromEntries(locksOf([job], true).map(({ table, against }) => [table, against]));
}

describe('who waits for a unit', () => {
  test('only writers, where rows are replaced', () => {
    expect(waits(["delete from mart.t where day = '1'", 'insert into mart.t select 1'])).toEqual({
      'mart.t': 'writers',
    });
  });

  test.each([
    [['drop table if exists mart.t', 'create table mart.t as select 1']],
    [['alter table mart.t rename to t_old', 'create table mart.t as select 1', 'drop table t_old']],
    [['create table mart.t_new as select 1', 'drop table mart.t', 'alter table mart.t_new rename to t']],
    [['create table if not exists mart.t (n int)', 'truncate mart.t']],
  ])('readers as well, where the table is dropped, renamed or emptied: %s', (statements) => {
    expect(waits(statements)).toMatchObject({ 'mart.t': 'everyone' });
  });

  test('nobody, of a table that the unit has made before', () => {
    const swap = ['create table mart.t_new as select 1', 'truncate mart.t_new', 'drop table mart.t_new'];
    expect(waits(swap)).toEqual({ 'mart.t': 'writers' });
  });

  test.each([
    [['drop index mart.on_day', 'insert into mart.t select 1', 'create index on_day on mart.t (day)']],
    [['drop table if exists mart.t_1', 'create table mart.t_1 partition of mart.t for values in (1)']],
  ])('readers of what the unit writes, where an index or a partition of it may go: %s', (statements) => {
    expect(waits(statements)).toMatchObject({ 'mart.t': 'everyone' });
    expect(waits(statements)).not.toHaveProperty('mart.on_day');
  });

  test('writers only, where an index is dropped concurrently', () => {
    expect(waits(['drop index concurrently mart.on_day', 'delete from mart.t'])).toMatchObject({ 'mart.t': 'writers' });
  });
});
