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

const own = (from: string, to: string, fixed = {}, partitions = ['day', 'country']) =>
  slicePartitions(described(partitions), {
    fixed,
    slice: {
      table: 't',
      column: 'DAY',
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
    expect(fixed.predicate([{ day: '2026-11-01', country: 'DE' }])).toBe(
      "`day` in ('2026-11-01') and `country` in ('DE')",
    );
  });

  test.each([
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
