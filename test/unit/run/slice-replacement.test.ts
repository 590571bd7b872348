import { describe, expect, test } from 'vitest';
import { fillSql, sliceReplacement } from '../../../src/core/run/relational/task/slice-replacement.ts';
import type { JobSlice } from '../../../src/core/run/unit/unit-job.ts';

const statement = (text: string) => ({ text, at: undefined });

const slice = (predicate: string | undefined, changes: Partial<JobSlice> = {}): JobSlice => ({
  table: 'mart.daily',
  column: predicate === undefined ? undefined : 'day',
  from: predicate === undefined ? undefined : '2026-11-28',
  to: predicate === undefined ? undefined : '2026-11-29',
  predicate,
  mode: 'delete+insert',
  key: [],
  volatile: [],
  ...changes,
});

const recognise = (texts: readonly string[], one = slice("day = '2026-11-28'")) =>
  sliceReplacement(texts.map(statement), [one]);

const clear = "delete from mart.daily where day = '2026-11-28'";

describe('a replacement is recognised', () => {
  test.each([
    ['insert into mart.daily select a, b from s', undefined, 'select a, b from s'],
    ['insert into mart.daily (a, "B c") select a, b from s -- the end', ['a', 'B c'], 'select a, b from s'],
    ['INSERT INTO mart.daily (A)\n(SELECT a FROM s)', ['a'], '(SELECT a FROM s)'],
    ['insert into mart.daily (select a from s) union all select 1', undefined, '(select a from s) union all select 1'],
    ['insert into mart.daily with c as (select 1) select * from c', undefined, 'with c as (select 1) select * from c'],
    [
      'with c as (select 1) -- one\ninsert into mart.daily (a) select * from c',
      ['a'],
      'with c as (select 1) -- one\nselect * from c',
    ],
    [
      'insert into mart.daily select \')\', "on" from s order by 1 limit 3;',
      undefined,
      'select \')\', "on" from s order by 1 limit 3',
    ],
  ])('%s', (fill, columns, select) => {
    expect(recognise([clear, fill])).toMatchObject({ target: 'mart.daily', columns, select, fill: { text: fill } });
  });

  test.each([
    "delete from mart.daily where day = '2026-11-28';",
    "DELETE FROM mart.daily AS d WHERE d.day /* that day */ = '2026-11-28'",
    "delete from mart.daily d where d.day='2026-11-28'",
    "delete from mart.daily where daily.day = '2026-11-28'",
  ])('%s', (cleared) => {
    expect(recognise([cleared, 'insert into mart.daily select 1'])?.clear.text).toBe(cleared);
  });

  test.each(['delete from mart.daily', 'truncate mart.daily', 'TRUNCATE TABLE mart.daily;'])(
    'whole table: %s',
    (cleared) => {
      expect(recognise([cleared, 'insert into mart.daily select 1'], slice(undefined))).toBeDefined();
      expect(recognise([cleared, 'insert into mart.daily select 1'])).toBeUndefined();
    },
  );

  test('though one of the names lacks its schema', () => {
    const texts = ["delete from daily where day = '2026-11-28'", 'insert into daily select 1'];
    expect(recognise(texts)?.target).toBe('daily');
  });

  test('though the query reads a table of that name in another schema', () => {
    expect(recognise([clear, 'insert into mart.daily select a from raw.daily'])?.select).toBe(
      'select a from raw.daily',
    );
  });
});

describe('anything else is not', () => {
  const fill = 'insert into mart.daily select a from s';
  test.each([
    ['a statement more', [clear, fill, 'analyze mart.daily']],
    ['a statement fewer', [fill]],
    ['the other way round', [fill, clear]],
    ['another table is emptied', ["delete from mart.other where day = '2026-11-28'", fill]],
    ['another table is filled', [clear, 'insert into mart.other select 1']],
    ['another condition', ["delete from mart.daily where day = '2026-11-27'", fill]],
    ['a condition more', [`${clear} and region = 'eu'`, fill]],
    ['a text in other letters', ["delete from mart.daily where day = '2026-11-28' or x = 'A'", fill]],
    ['no condition', ['delete from mart.daily', fill]],
    ['only the parent', ["delete from only mart.daily where day = '2026-11-28'", fill]],
    ['by way of another table', ["delete from mart.daily using s where day = '2026-11-28'", fill]],
    ['the rows come back', [`${clear} returning *`, fill]],
    ['a change of the tables in front', [`with x as (delete from s returning *) ${clear}`, fill]],
    ['VALUES', [clear, 'insert into mart.daily values (1)']],
    ['DEFAULT VALUES', [clear, 'insert into mart.daily default values']],
    ['an upsert', [clear, `${fill} on conflict do nothing`]],
    ['rows that come back', [clear, `${fill} returning a`]],
    ['OVERRIDING', [clear, 'insert into mart.daily overriding system value select 1']],
    ['an alias of the target', [clear, 'insert into mart.daily as d select 1']],
    ['a part of a column', [clear, 'insert into mart.daily (a[1]) select 1']],
    ['two WITHs', [clear, 'with a as (select 1) insert into mart.daily with b as (select 2) select * from a, b']],
    ['a change inside', [clear, 'with a as (delete from s returning *) insert into mart.daily select * from a']],
    ['rows that are locked', [clear, `${fill} for update`]],
    ['a read of the target', [clear, 'insert into mart.daily select max(a) from mart.daily']],
    ['a read of the target further down', [clear, 'insert into mart.daily select (select max(a) from daily)']],
    ['a read that may be of the target', [clear.replace('mart.', ''), 'insert into daily select a from raw.daily']],
    ['two statements in one text', [clear, `${fill}; drop table s`]],
    ['a text that cannot be read', [clear, "insert into mart.daily select 'a"]],
    ['MERGE', [clear, 'merge into mart.daily using s on false when not matched then insert values (1)']],
  ])('%s', (_, texts) => {
    expect(recognise(texts)).toBeUndefined();
  });

  test.each([
    'truncate mart.daily cascade',
    'truncate mart.daily, s',
    'truncate only mart.daily',
    'truncate mart.daily restart identity',
  ])('%s', (cleared) => {
    expect(recognise([cleared, fill], slice(undefined))).toBeUndefined();
  });

  test('a clock in the condition', () => {
    const predicate = 'day = current_date';
    expect(recognise([`delete from mart.daily where ${predicate}`, fill], slice(predicate))).toBeUndefined();
  });

  test('bounds that the DELETE does not say itself', () => {
    const declared = slice(undefined, { column: 'day', from: '2026-11-28', to: '2026-11-29' });
    expect(recognise([clear, fill], declared)).toBeUndefined();
    expect(recognise(['delete from mart.daily', fill], declared)).toBeUndefined();
  });

  test('two slices, or a slice of another table', () => {
    const one = slice("day = '2026-11-28'");
    expect(sliceReplacement([clear, fill].map(statement), [one, { ...one, table: 'mart.other' }])).toBeUndefined();
    expect(recognise([clear, fill], { ...one, table: 'mart.other' })).toBeUndefined();
  });
});

test('the same rows for another table', () => {
  const found = recognise([clear, 'with c as (select 1) insert into mart.daily (a, "B") select * from c']);
  expect(found && fillSql('pg_temp.shadow', found)).toBe(
    'insert into pg_temp.shadow ("a", "B") with c as (select 1) select * from c',
  );
});
