import { describe, expect, it } from 'vitest';
import { madeTables } from '../../../src/core/run/tables/made-tables.ts';
import type { UnitJob } from '../../../src/core/run/unit/unit-job.ts';

describe('Tables that a task makes itself', () => {
  const job = (text: string): UnitJob =>
    ({ slices: [{ table: 'mart.r', mode: 'delete+insert' }], statements: [{ text }] }) as unknown as UnitJob;

  it.each([
    [
      'a DO that asks for it first',
      `do $$ begin if not exists (select 1 from pg_tables where tablename = 'r') then
         create table mart.r (day date); end if; end $$`,
    ],
    ['a DO with IF NOT EXISTS', 'do $$ begin create table if not exists mart.r (day date); end $$'],
    ['EXECUTE of a text', `do $$ begin execute 'create table mart.r (day date)'; end $$`],
    [
      'EXECUTE format',
      `do $$ begin execute format('create table if not exists %I.%I (day date)', 'mart', 'r'); end $$`,
    ],
    ['EXECUTE of what is put together', `do $$ begin execute 'create table ' || v_schema || '.r (day date)'; end $$`],
    ['a rename in a DO', 'do $$ begin create table mart.n (day date); alter table mart.n rename to r; end $$'],
  ])('are found in %s', (_, text) => {
    expect([...madeTables(job(text))]).toEqual(['mart.r']);
  });

  it.each([
    ['another one that a DO makes', 'do $$ begin create table mart.other (day date); end $$'],
    ['one that a DO only fills', 'do $$ begin insert into mart.r select 1; end $$'],
    ['EXECUTE that makes none', `do $$ begin execute 'truncate ' || v_name; create index on mart.r (day); end $$`],
  ])('are not %s', (_, text) => {
    expect([...madeTables(job(text))]).toEqual([]);
  });
});
