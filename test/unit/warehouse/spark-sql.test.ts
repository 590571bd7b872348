import { describe, expect, test } from 'vitest';
import { parseColumnType } from '../../../src/core/warehouse/dialects/spark/column-type.ts';
import { partitionsOf } from '../../../src/core/warehouse/dialects/spark/partition-sql.ts';
import { quoteIdentifier, quoteLiteral } from '../../../src/core/warehouse/dialects/spark/quote.ts';
import { rowHashSql, unhashable } from '../../../src/core/warehouse/dialects/spark/row-hash.ts';
import { connectError } from '../../../src/warehouses/spark/connect-error.ts';
import { parseConnectUrl } from '../../../src/warehouses/spark/connect-url.ts';

test('texts and names are quoted as Spark reads them', () => {
  expect(quoteLiteral("it's a \\")).toBe("'it\\'s a \\\\'");
  expect(quoteIdentifier('a`b')).toBe('`a``b`');
});

test('partitions are read from the names of their folders', () => {
  const rows = [['day=2026-11-01/at=05%3A00'], ['day=__HIVE_DEFAULT_PARTITION__/at=x']];
  expect(partitionsOf({ columns: ['partition'], rows, rowCount: undefined })).toEqual([
    { day: '2026-11-01', at: '05:00' },
    { day: null, at: 'x' },
  ]);
});

describe('hashes of rows', () => {
  test('a type is taken apart', () => {
    expect(parseColumnType('struct<a:int,`b:c`:map<string,array<decimal(10,2)>>>')).toEqual({
      kind: 'struct',
      fields: [
        { name: 'a', type: { kind: 'plain', name: 'int' } },
        {
          name: 'b:c',
          type: {
            kind: 'map',
            key: { kind: 'plain', name: 'string' },
            value: { kind: 'array', element: { kind: 'plain', name: 'decimal(10,2)' } },
          },
        },
      ],
    });
  });

  test('whether a value is NULL is part of it, inside of arrays and maps too', () => {
    const columns = [
      { name: 'a', type: 'int' },
      { name: 'l', type: 'array<int>' },
      { name: 'm', type: 'map<string,int>' },
    ];
    expect(rowHashSql(columns, 1, 'b.')).toBe(
      'xxhash64(1, isnull(b.`a`), b.`a`, isnull(b.`l`), size(b.`l`), transform(b.`l`, v0 -> xxhash64(isnull(v0), v0)), ' +
        'isnull(b.`m`), size(b.`m`), array_sort(transform(map_entries(b.`m`), v0 -> xxhash64(isnull(v0.key), v0.key, isnull(v0.value), v0.value))))',
    );
  });

  test('what cannot be summed up is named', () => {
    const columns = ['int', 'variant', 'array<variant>', 'timestamp_ntz', 'interval day to second'].map((type) => ({
      name: type,
      type,
    }));
    expect(unhashable(columns).map(({ name }) => name)).toEqual(['variant', 'array<variant>']);
  });
});

describe('where Spark is', () => {
  test.each([
    ['sc://spark', { authority: 'spark:15002', tls: false, user: undefined }],
    ['sc://10.0.0.1:443/;use_ssl=true;user_id=anna', { authority: '10.0.0.1:443', tls: true, user: 'anna' }],
  ])('%s', (url, expected) => {
    expect(parseConnectUrl(url)).toEqual(expected);
  });

  test.each([
    ['spark:15002', 'is no address of Spark Connect'],
    ['sc://spark:99999', 'port 99999'],
    ['sc://spark:15002/;token=secret', 'holds a token'],
    ['sc://spark:15002/;x-header=1', 'parameter x-header'],
  ])('%s is refused', (url, message) => {
    expect(() => parseConnectUrl(url)).toThrow(message);
    expect(() => parseConnectUrl(url)).not.toThrow('secret');
  });
});

test.each([
  [14, 'No connection established', 'connection', true],
  [12, 'Method not found', 'connection', false],
  [16, 'no token', 'permission', false],
  [1, 'Cancelled on client', 'cancelled', false],
  [13, '[OPERATION_CANCELED] Operation has been canceled. SQLSTATE: HY008', 'cancelled', false],
  [13, '[INVALID_HANDLE.SESSION_CLOSED] The handle is invalid. SQLSTATE: HY000', 'connection', true],
  [13, '[TABLE_OR_VIEW_NOT_FOUND] The table `a` cannot be found. SQLSTATE: 42P01; line 1', 'missing', false],
  [13, 'Received RST_STREAM with code 2', 'connection', true],
])('what Spark says with code %i is sorted: %s', (code, details, kind, retryable) => {
  expect(connectError({ code, details }, 'spark:15002')).toMatchObject({ kind, retryable });
});
