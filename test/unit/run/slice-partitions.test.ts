import { describe, expect, test } from 'vitest';
import { slicePartitions } from '../../../src/core/run/partitioned/target/slice-partitions.ts';
import { fileTableOf } from '../../../src/core/warehouse/dialects/spark/table-sql.ts';

/** As Spark 4.0.1 describes a table. */
const described = (partitions: readonly string[], more: readonly (readonly [string, string])[] = []) =>
  fileTableOf({
    columns: ['col_name', 'data_type', 'comment'],
    rowCount: undefined,
    rows: [
      ['page', 'string', null],
      ['tags', 'array<string>', null],
      ...partitions.map((name) => [name, 'string', null]),
      ['# Partition Information', '', ''],
      ['# col_name', 'data_type', 'comment'],
      ...partitions.map((name) => [name, 'string', null]),
      ['', '', ''],
      ['# Detailed Table Information', '', ''],
      ['Database', 'mart', ''],
      ['Table', 'daily', ''],
      ['Type', 'MANAGED', ''],
      ['Provider', 'parquet', ''],
      ['Location', 'file:/lake/mart.db/daily', ''],
      ['Partition Provider', 'Catalog', ''],
      ...more.map(([name, value]) => [name, value, '']),
    ],
  });

const own = (from: string, to: string, fixed = {}, partitions = ['day', 'country'], parts?: readonly string[]) =>
  slicePartitions(described(partitions), {
    fixed,
    slice: {
      table: 't',
      column: 'DAY',
      ...(parts && { cut: { kind: 'parts', columns: parts } }),
      from,
      to,
      predicate: undefined,
      mode: 'insert_overwrite',
      key: [],
      volatile: [],
    },
  });

test('a table is what DESCRIBE says of it', () => {
  expect(described(['day'])).toMatchObject({
    table: {
      qualified: 'mart.daily',
      columns: [{ name: 'page' }, { name: 'tags', type: 'array<string>' }, { name: 'day' }],
    },
    partitionedBy: ['day'],
    provider: 'parquet',
    kind: 'table',
    location: 'file:/lake/mart.db/daily',
    tracksPartitions: true,
  });
});

describe('partitions of a slice', () => {
  const days = own('2026-11-01T00:00:00Z', '2026-11-03T00:00:00Z');

  test.each([
    ['2026-10-31', false],
    ['2026-11-01', true],
    ['20261102', true],
    ['2026-11-03', false],
    [null, false],
  ])('day=%s: %s', (day, expected) => {
    expect(days.isOwn({ day, country: 'DE' })).toBe(expected);
  });

  test('those of another constant are of somebody else', () => {
    const fixed = own('2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z', { country: 'DE' });
    expect(fixed.isOwn({ day: '2026-11-01', country: 'DE' })).toBe(true);
    expect(fixed.isOwn({ day: '2026-11-01', country: 'FR' })).toBe(false);
    expect(fixed.predicate([{ day: '2026-11-01', country: 'DE' }])).toBe("(`day` = '2026-11-01' and `country` = 'DE')");
  });

  test.each([
    ['a month', ['y', 'm'], '2026-11-01', '2026-12-01', { y: '2026', m: '11' }, { y: '2026', m: '12' }],
    [
      'a day',
      ['y', 'm', 'd'],
      '2026-11-01',
      '2026-11-02',
      { y: '2026', m: '11', d: '1' },
      { y: '2026', m: '12', d: '01' },
    ],
    [
      'an hour',
      ['y', 'm', 'd', 'h'],
      '2026-11-01T05:00:00Z',
      '2026-11-01T06:00:00Z',
      { y: '2026', m: '11', d: '01', h: '05' },
      { y: '2026', m: '11', d: '01', h: '6' },
    ],
  ])('parts of a date: %s', (_, parts, from, to, inside, outside) => {
    const slice = own(from, to, {}, parts, parts);
    expect([slice.isOwn(inside), slice.isOwn(outside), slice.isOwn({ ...inside, m: null })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('rows of several partitions by parts are those of no other', () => {
    const parts = ['y', 'm', 'd'];
    const slice = own('2026-11-30', '2026-12-02', {}, parts, parts);
    expect(
      slice.predicate([
        { y: '2026', m: '11', d: '30' },
        { y: '2026', m: '12', d: '1' },
      ]),
    ).toBe("(`y` = '2026' and `m` = '11' and `d` = '30') or (`y` = '2026' and `m` = '12' and `d` = '1')");
  });

  test.each([
    [
      'parts of no day',
      () => own('2026-11-01', '2026-11-02', {}, ['y', 'm', 'd'], ['y', 'm', 'd']).isOwn({ y: '2026', m: '2', d: '30' }),
      'which is no day',
    ],
    ['a month cut through', () => own('2026-11-02', '2026-11-03', {}, ['y', 'm'], ['y', 'm']), 'with a month'],
    [
      'parts that are no partitions',
      () => own('2026-11-01', '2026-11-02', {}, ['y', 'm'], ['y', 'm', 'd']),
      'partitioned by y, m',
    ],
    ['a partition of no day', () => days.isOwn({ day: 'latest', country: 'DE' }), 'which is no day'],
    ['bounds within a day', () => own('2026-11-01T05:00:00Z', '2026-11-01T06:00:00Z'), 'with a UTC day'],
    [
      'another column',
      () => own('2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z', {}, ['month']),
      'is partitioned by month',
    ],
  ])('is refused by name: %s', (_, ask, message) => {
    expect(ask).toThrow(message);
  });
});
