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
