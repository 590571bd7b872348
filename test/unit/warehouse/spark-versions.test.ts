import { expect, test } from 'vitest';
import { partitionHashSql } from '../../../src/core/warehouse/dialects/spark/partition-sql.ts';
import { createOwnStageSql } from '../../../src/core/warehouse/dialects/spark/stage-sql.ts';
import { fileTableOf } from '../../../src/core/warehouse/dialects/spark/table-sql.ts';
import {
  isCommitConflict,
  isVersionGone,
  replaceWhereSql,
} from '../../../src/core/warehouse/dialects/spark/version-sql.ts';

/** As Spark 4.0.1 describes a table of Iceberg 1.10. */
const iceberg = (...parts: readonly string[]) =>
  fileTableOf({
    columns: ['col_name', 'data_type', 'comment'],
    rowCount: undefined,
    rows: [
      ['id', 'int', null],
      ['at', 'timestamp', null],
      ['', '', ''],
      ['# Partitioning', '', ''],
      ...parts.map((part, index) => [`Part ${index}`, part, '']),
      ['', '', ''],
      ['# Metadata Columns', '', ''],
      ['_spec_id', 'int', ''],
      ['', '', ''],
      ['# Detailed Table Information', '', ''],
      ['Name', 'ice.mart.hours', ''],
      ['Type', 'MANAGED', ''],
      ['Provider', 'iceberg', ''],
    ],
  });

test('what a table of Iceberg is cut by is read as it writes it, and its stage is cut alike', () => {
  const table = iceberg('days(at)', 'bucket(4, id)', 'void(id)');
  expect(table).toMatchObject({ catalog: 'ice', partitionedBy: [], cutBy: ['days(at)', 'bucket(4, id)'] });
  expect(createOwnStageSql(table, 'backfill_hours')).toBe(
    'create table `ice`.`mart`.`backfill_hours` using iceberg partitioned by (days(at), bucket(4, id)) as select * from `ice`.`mart`.`hours` where false',
  );
  expect(partitionHashSql(table)).toBe('xxhash64(isnull(date(`at`)), date(`at`))');
  expect(partitionHashSql(iceberg('bucket(4, id)'))).toBeUndefined();
});

test('Iceberg is told which version a commit goes over, Delta cannot be', () => {
  const table = iceberg('days(at)');
  expect(replaceWhereSql(table, 'true', 's', '7')).toBe(
    "insert into `ice`.`mart`.`hours` with ('validate-from-snapshot-id' = '7', 'isolation-level' = 'serializable') replace where true select `id`, `at` from s",
  );
  expect(replaceWhereSql({ ...table, provider: 'delta' }, 'true', 's', '7')).not.toContain('with');
  expect(replaceWhereSql(table, 'true', 's')).not.toContain('with');
});

test.each([
  ['[DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT] Transaction conflict detected', true, false],
  ['Cannot determine history between starting snapshot 1 and the last known ancestor 2', true, false],
  ['Found conflicting files that can contain records matching ref(name="day")', true, false],
  ['Cannot find snapshot with ID 12345', false, true],
  ['Cannot time travel Delta table to version 99. Available versions: [0, 4].', false, true],
  ['[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file', false, true],
  ['Cannot delete file where some, but not all, rows match filter', false, false],
])('%s', (message, conflict, gone) => {
  expect([isCommitConflict(message), isVersionGone(message)]).toEqual([conflict, gone]);
});
