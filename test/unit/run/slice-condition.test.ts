import { expect, test } from 'vitest';
import { sliceCondition } from '../../../src/core/run/partitioned/target/slice-condition.ts';
import { fileTableOf } from '../../../src/core/warehouse/dialects/spark/table-sql.ts';

const table = (columns: Readonly<Record<string, string>>) =>
  fileTableOf({
    columns: ['col_name', 'data_type', 'comment'],
    rowCount: undefined,
    rows: [
      ...Object.entries(columns).map(([name, type]) => [name, type, null]),
      ['', '', ''],
      ['# Detailed Table Information', '', ''],
      ['Name', 'ice.mart.daily', ''],
      ['Provider', 'iceberg', ''],
    ],
  });

const condition = (
  columns: Readonly<Record<string, string>>,
  [from, to]: readonly [string, string],
  fixed: Readonly<Record<string, string>> = {},
): string => {
  const [column = '', ...more] = Object.keys(columns).filter((name) => !(name in fixed));
  const cut = more.length === 0 ? undefined : ({ kind: 'parts', columns: [column, ...more] } as const);
  return sliceCondition(table(columns), { slice: { column, cut, from, to }, fixed });
};

const day = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'] as const;

test.each<readonly [string, string]>([
  ['date', "`c` >= date'2026-11-01' and `c` < date'2026-11-02'"],
  ['timestamp', "`c` >= timestamp'2026-11-01 00:00:00.000' and `c` < timestamp'2026-11-02 00:00:00.000'"],
  ['timestamp_ntz', "`c` >= timestamp_ntz'2026-11-01 00:00:00.000' and `c` < timestamp_ntz'2026-11-02 00:00:00.000'"],
  ['string', "`c` in ('2026-11-01', '20261101')"],
  ['int', '`c` in (20261101)'],
])('a day of a column of type %s', (type, expected) => {
  expect(condition({ c: type }, day)).toBe(expected);
});

test('parts of a time are named one by one, as their types write them', () => {
  const parts = { y: 'int', m: 'string', d: 'int' };
  expect(condition(parts, day)).toBe("(`y` = 2026 and `m` in ('11') and `d` = 1)");
  expect(condition(parts, ['2026-10-31T00:00:00Z', '2026-11-02T00:00:00Z'])).toBe(
    "((`y` = 2026 and `m` in ('10') and `d` = 31) or (`y` = 2026 and `m` in ('11') and `d` = 1))",
  );
  expect(condition({ y: 'int', m: 'string' }, ['2025-12-01T00:00:00Z', '2026-02-01T00:00:00Z'])).toBe(
    "((`y` = 2025 and `m` in ('12')) or (`y` = 2026 and `m` in ('01', '1')))",
  );
  expect(condition({ y: 'int', m: 'int', d: 'int', h: 'int' }, ['2026-11-01T23:00:00Z', '2026-11-02T00:00:00Z'])).toBe(
    '(`y` = 2026 and `m` = 11 and `d` = 1 and `h` = 23)',
  );
});

test('other columns that PARTITION names are compared as their types are', () => {
  expect(condition({ day: 'date', region: 'string', part: 'int' }, day, { region: '05', part: '05' })).toBe(
    "`day` >= date'2026-11-01' and `day` < date'2026-11-02' and `region` = '05' and `part` = 05",
  );
});

test.each<readonly [string, readonly [string, string]]>([
  ['date', ['2026-11-01T06:00:00Z', '2026-11-01T07:00:00Z']],
  ['string', ['2026-11-01T06:00:00Z', '2026-11-01T07:00:00Z']],
  ['double', day],
  ['int', ['2020-01-01T00:00:00Z', '2026-11-02T00:00:00Z']],
])('what a column of type %s cannot tell is refused', (type, bounds) => {
  expect(() => condition({ c: type }, bounds)).toThrow('cannot be told by c (');
});
