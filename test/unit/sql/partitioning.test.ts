import { expect, test } from 'vitest';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import { readOne } from './support.ts';

test.each<[DialectName, string, readonly string[]]>([
  ['postgres', 'create table t (day date, n int) partition by range (day)', ['day']],
  ['postgres', 'create table t (day date, n int) partition by list (n, day) tablespace x', ['n', 'day']],
  ['postgres', "create table t (ts timestamptz) partition by range (date_trunc('day', ts))", ['ts']],
  ['postgres', 'create table p partition of t for values from (1) to (2) partition by hash (n)', ['n']],
  ['spark', 'create table t (n int) partitioned by (ds string, hour int) stored as parquet', ['ds', 'hour']],
  ['spark', 'create table t (n int, ds date) using delta partitioned by (ds)', ['ds']],
  ['spark', 'create table t using iceberg partitioned by (days(ts), bucket(16, id)) as select * from s', ['ts', 'id']],
  ['bigquery', 'create table d.t (ts timestamp) partition by date(ts) cluster by n', ['ts']],
  ['bigquery', 'create table d.t (day date) partition by day options (x = 1) as select 1', ['day']],
  ['bigquery', 'create table d.t partition by timestamp_trunc(ts, hour) as select * from s', ['ts']],
  ['mysql', 'create table t (day date) partition by range (to_days(day)) (partition p0 values less than (1))', ['day']],
  [
    'mysql',
    'create table t (day date) partition by range columns(day, n) (partition p0 values less than (1))',
    ['day', 'n'],
  ],
  ['postgres', 'create table t as select n, sum(n) over (partition by k) from s', []],
  ['postgres', 'create table t (partition int, by int)', []],
])('%s: %s is partitioned by %j', (dialect, text, columns) => {
  expect(readOne(text, dialect).partitionedBy).toEqual(columns);
});

test('columns that only the clause defines are columns of the table, and a query behind it is read', () => {
  const hive = readOne('create table t (n int) partitioned by (ds string, hour int)', 'spark');
  expect(hive.definitions.map(({ name, type }) => `${name} ${type}`)).toEqual(['n int', 'ds string', 'hour int']);
  const made = readOne('create table t partitioned by (ds) as select ds from s', 'spark');
  expect(made).toMatchObject({ kind: 'create_table_as', partitionedBy: ['ds'], reads: [{ name: 's' }] });
});
