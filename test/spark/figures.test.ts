import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { figuresSql } from '../../src/core/warehouse/dialects/spark/figures-sql.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type LakeFixture, lakeFixture } from '../support/lake-fixture.ts';

let lake: LakeFixture;
beforeAll(async () => {
  lake = await lakeFixture(inject('spark').url, 'figures');
});
afterAll(() => lake.close());

/** Each pair holds different rows, and would be equal to a sum that leaves something out. */
const pairs: readonly (readonly [type: string, one: string, other: string])[] = [
  ['struct<a:int,b:int>', 'struct(null, 1)', 'struct(1, null)'],
  ['array<int>', 'array(null, 1)', 'array(1, null)'],
  ['array<int>', 'array(1)', 'array(1, null)'],
  ['array<int>', 'array()', 'null'],
  ['map<string,int>', "map('a', null)", 'map()'],
  ['array<array<int>>', 'array(array(1), array(2))', 'array(array(1, 2), array())'],
  ['decimal(20,4)', '12345678901234.5678', '12345678901234.5679'],
  ['bigint', '9223372036854775807', '9223372036854775806'],
  ['double', "double('NaN')", 'null'],
  ['timestamp', "timestamp'2026-11-01 00:00:00'", "timestamp'2026-11-01 00:00:00.000001'"],
];

test('what differs has other sums, and the order of rows and of entries does not count', async () => {
  const columns = pairs.map(([type], index) => ({ name: `c${index}`, type }));
  const cells = (pick: (index: number) => 1 | 2) =>
    pairs.map((pair, index) => `cast(${pair[pick(index)]} as ${pair[0]}) as c${index}`).join(', ');
  const all = [
    `select 0 as n, ${cells(() => 1)}`,
    ...pairs.map((_, at) => `select ${at + 1} as n, ${cells((index) => (index === at ? 2 : 1))}`),
  ];
  await lake.sql(`create table figures.pairs using parquet as ${all.join(' union all ')}`);
  const sums: string[] = [];
  for (let n = 0; n < all.length; n++) {
    const rows = { from: 'figures.pairs', predicate: `n = ${n}` };
    const [[, row0, row1] = []] = await lake.sql(figuresSql(rows, columns, []));
    sums.push(`${row0} ${row1}`);
  }
  expect(new Set(sums).size).toBe(all.length);
  await lake.sql(
    "create table figures.a using parquet as select map('x', 1, 'y', null) as m, id from range(3)",
    "create table figures.b using parquet as select map('y', null, 'x', 1) as m, 2 - id as id from range(3)",
  );
  const named = [
    { name: 'm', type: 'map<string,int>' },
    { name: 'id', type: 'bigint' },
  ];
  const [a, b] = [
    await lake.sql(figuresSql({ from: 'figures.a', predicate: undefined }, named, [])),
    await lake.sql(figuresSql({ from: 'figures.b', predicate: undefined }, named, [])),
  ];
  expect(a[0]?.slice(0, 3)).toEqual(b[0]?.slice(0, 3));
});

test('sums do not depend on the zone of the session', async () => {
  const columns = [{ name: 'at', type: 'timestamp' }];
  await lake.sql(
    "create table figures.zones using parquet as select timestamp'2026-11-01 00:00:00' as at, date'2026-11-01' as day",
  );
  const rows = { from: 'figures.zones', predicate: undefined };
  const utc = await lake.sql(figuresSql(rows, columns, []));
  expect(await lake.sql('set spark.sql.session.timeZone = America/New_York', figuresSql(rows, columns, []))).toEqual(
    utc,
  );
});

test.each([
  ['no server', 'sc://127.0.0.1:9', 'connection', 'cannot be reached'],
  ['no such host', 'sc://nowhere.invalid:15002', 'connection', 'nowhere.invalid:15002'],
  ['no address', 'http://127.0.0.1', 'other', 'is no address of Spark Connect'],
])('%s is said', async (_, url, kind, message) => {
  await expect(openWarehouse({ ...lake.connection, url })).rejects.toMatchObject({
    kind,
    message: expect.stringContaining(message),
  });
  await expect(openWarehouse({ ...lake.connection, url })).rejects.not.toMatchObject({
    message: expect.stringMatching(/:$|note/),
  });
});
