import { describe, expect, test } from 'vitest';
import { quoteLiteral, quoteTableName } from '../../../src/core/warehouse/dialects/postgres/quote.ts';
import { epochMs, slicePredicate } from '../../../src/core/warehouse/dialects/postgres/slice-predicate.ts';
import type { TableDescription } from '../../../src/core/warehouse/port/table-description.ts';

const table = (baseType: string): TableDescription => ({
  oid: '1',
  schema: 'mart',
  name: 'sales',
  qualified: 'mart.sales',
  columns: [
    {
      name: 'at',
      type: baseType,
      baseType,
      notNull: true,
      stable: ['%'],
      textual: false,
      float: false,
      equatable: true,
      surrogate: false,
      computedFrom: [],
    },
  ],
  keys: [],
  storage: ['1'],
  rowSecurity: false,
  triggers: false,
});
const slice = { column: 'at', from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z', predicate: undefined };
/** A table of parts of a date, and what cuts it by those and by an expression. */
const parts = (...types: readonly string[]): TableDescription => ({
  ...table('x'),
  columns: types.flatMap((type, index) =>
    table(type).columns.map((column) => ({ ...column, name: ['y', 'm', 'd', 'h'][index] ?? '' })),
  ),
});
const byParts = (from: string, to: string, ...types: readonly string[]) => {
  const columns = ['y', 'm', 'd', 'h'].slice(0, types.length);
  return slicePredicate(parts(...types), { ...slice, column: 'y', from, to, cut: { kind: 'parts', columns } });
};
const predicate = (baseType: string, parts: Partial<Parameters<typeof slicePredicate>[1]> = {}) =>
  slicePredicate(table(baseType), { ...slice, ...parts });

describe('a slice in SQL', () => {
  test.each([
    ['int4', `("at" = (20261101\n)::pg_catalog.int4)`],
    ['text', `("at" = (20261101\n)::pg_catalog.text)`],
    ['uuid', '("at" = (20261101\n))'],
    // Of a time the bounds say it in the column's own type, whatever the zone of the session.
    ['date', `("at" >= '2026-11-01'::pg_catalog.date and "at" < '2026-11-02'::pg_catalog.date)`],
  ])('of one value in %s', (type, expected) => {
    expect(predicate(type, { values: [{ column: 'at', sql: '20261101' }] })).toBe(expected);
  });

  test.each([
    ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z', '("y" = 2026 and "m" = 11 and "d" = 1)'],
    [
      '2026-12-30T00:00:00Z',
      '2027-01-06T00:00:00Z',
      '(("y", "m", "d") >= (2026, 12, 30) and ("y", "m", "d") < (2027, 1, 6))',
    ],
  ])('of parts as numbers, %s to %s', (from, to, expected) => {
    expect(byParts(from, to, 'int4', 'int2', 'numeric')).toBe(expected);
  });

  test('of parts as text, of months and of hours', () => {
    expect(byParts('2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z', 'text', 'bpchar', 'int4')).toBe(
      `("y" = '2026' and "m" = '03' and "d" = 1)`,
    );
    expect(byParts('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', 'int4', 'text')).toBe(`("y" = 2026 and "m" = '01')`);
    expect(byParts('2026-01-01T05:00:00Z', '2026-01-01T06:00:00Z', 'int4', 'int4', 'int4', 'text')).toBe(
      `("y" = 2026 and "m" = 1 and "d" = 1 and "h" = '05')`,
    );
  });

  test('what parts cannot say is refused by name', () => {
    const day = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'] as const;
    expect(() => byParts(...day, 'int4', 'int4', 'date')).toThrow('The column d of mart.sales (date) holds no part');
    expect(() => byParts(...day, 'int4', 'int4')).toThrow('falls inside a month');
    expect(() => byParts('2026-01-01T05:00:00Z', day[1], 'int4', 'int4', 'int4')).toThrow('falls inside a UTC day');
  });

  test.each([
    ['date', `((e::date\n) >= '2026-11-01'::pg_catalog.date and (e::date\n) < '2026-11-02'::pg_catalog.date)`],
    [
      'timestamptz',
      `((e::date\n) >= '2026-11-01 00:00:00.000+00'::pg_catalog.timestamptz and (e::date\n) < '2026-11-02 00:00:00.000+00'::pg_catalog.timestamptz)`,
    ],
  ] as const)('of an expression of %s', (type, expected) => {
    const cut = { kind: 'expression', sql: 'e::date', columns: ['e'], calls: [], type } as const;
    expect(predicate('uuid', { cut })).toBe(expected);
  });

  test.each([
    ['date', `("at" >= '2026-11-01'::pg_catalog.date and "at" < '2026-11-02'::pg_catalog.date)`],
    [
      'timestamp',
      `("at" >= '2026-11-01 00:00:00.000'::pg_catalog.timestamp and "at" < '2026-11-02 00:00:00.000'::pg_catalog.timestamp)`,
    ],
    [
      'timestamptz',
      `("at" >= '2026-11-01 00:00:00.000+00'::pg_catalog.timestamptz and "at" < '2026-11-02 00:00:00.000+00'::pg_catalog.timestamptz)`,
    ],
    ['text', `("at" >= '2026-11-01' and "at" < '2026-11-02')`],
    ['int4', '("at" >= 20261101 and "at" < 20261102)'],
  ])('of %s', (type, expected) => {
    expect(predicate(type)).toBe(expected);
  });

  test('an instant keeps its place in UTC, whatever its offset', () => {
    expect(predicate('timestamptz', { from: '2026-10-31T23:00:00+01:00', to: undefined })).toBe(
      `("at" >= '2026-10-31 22:00:00.000+00'::pg_catalog.timestamptz)`,
    );
  });

  test.each(['date', 'text', 'int8', 'uuid'])('a bound that %s cannot say is refused, not rounded', (type) => {
    expect(() => predicate(type, { from: '2026-10-31T23:00:00.000Z' })).toThrow(/2026-10-31T23/);
  });

  test('a type without an order in time is refused', () => {
    expect(() => predicate('uuid')).toThrow(/cannot be compared/);
  });

  test('the own predicate beats the bounds, even when it ends in a remark', () => {
    expect(predicate('date', { predicate: 'at = 1 -- x' })).toBe('(at = 1 -- x\n)');
  });

  test('without column or bounds it is the whole table', () => {
    expect(predicate('date', { column: undefined })).toBeUndefined();
    expect(predicate('date', { from: undefined, to: undefined })).toBeUndefined();
  });
});

test.each([
  '2026-13-01',
  '2026-02-30T00:00:00Z',
  '2026-11-01T00:00:00',
  'today',
  '20261101',
  '2026-11-01T00:00:00.0001Z',
  "2026-11-01'; drop table x",
])('%s is no bound', (text) => {
  expect(epochMs(text)).toBeUndefined();
});

test('quoting holds whatever is inside', () => {
  expect(quoteLiteral("a'b")).toBe("'a''b'");
  expect(quoteLiteral("a\\'b")).toBe("E'a\\\\''b'");
  expect(quoteTableName('mart.Daily "Sales"')).toBe('"mart"."Daily ""Sales"""');
});
