import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sqlOperators } from '../../../src/core/pipeline/readers/airflow/operators/sql-operators.ts';
import type { TransferWrite } from '../../../src/core/pipeline/readers/airflow/transfers/transfer-operator.ts';
import { transferOperators } from '../../../src/core/pipeline/readers/airflow/transfers/transfer-operators.ts';

/** Arguments of real classes with their defaults, by class and year of the provider; written by scripts/airflow/generate.sh. */
type Signatures = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

const signatures: Signatures = JSON.parse(
  readFileSync(new URL('../../fixtures/airflow/operator-signatures.json', import.meta.url), 'utf8'),
);
const releasesOf = (name: string): readonly Readonly<Record<string, unknown>>[] =>
  Object.values(signatures[name] ?? {});
const headOf = (path: string): string => path.split('.')[0] ?? path;

/** Of Airflow 1.10 and the years between the releases of the fixture, from their sources of that time. */
const notInTheFixture = [
  'BigQueryOperator',
  'BigQueryTableDeleteOperator',
  'BigQueryToCloudStorageOperator',
  'GoogleCloudStorageToBigQueryOperator',
  'HiveToMySqlTransfer',
  'MySqlToHiveTransfer',
  'S3ToHiveTransfer',
];

test('every class of the tables is a real one', () => {
  const missing = [...transferOperators.keys()].filter((name) => releasesOf(name).length === 0);
  expect(missing.sort()).toEqual(notInTheFixture);
});

describe.each([...transferOperators].filter(([name]) => releasesOf(name).length > 0))('%s', (name, operator) => {
  const releases = releasesOf(name);
  const { reads = [], writes = [] } = operator;

  test('has the arguments that the table names, in some release', () => {
    const named = [...reads, ...writes].flatMap(({ table, within = [], partition, unless }) => [
      ...table,
      ...within,
      ...(partition === undefined ? [] : [partition.argument]),
      ...(unless === undefined ? [] : [unless]),
    ]);
    const ofWrites = writes.flatMap(({ mode = [], key, dropsTable }) => [
      ...mode.map(({ argument }) => argument),
      ...[key, dropsTable].filter((argument) => argument !== undefined),
    ]);
    const known = new Set(releases.flatMap(Object.keys));
    expect([...named, ...ofWrites].map(headOf).filter((argument) => !known.has(argument))).toEqual([]);
  });

  test('names its table in an argument of every release', () => {
    const without = [...reads, ...writes].filter(({ table }) =>
      releases.some((release) => !table.some((argument) => headOf(argument) in release)),
    );
    expect(without).toEqual([]);
  });

  test('does by default what every release does', () => {
    for (const write of writes) for (const release of releases) expect(defaultMode(write, release)).toBe(write.silent);
  });

  test('has the default partition, where it has one', () => {
    for (const { partition, schemaDefault, within = [] } of reads.filter(
      (read) => read.partition?.silent !== undefined,
    ))
      for (const release of releases) {
        expect(release[partition?.argument ?? '']).toBe(partition?.silent);
        expect(release[within.at(-1) ?? '']).toBe(schemaDefault);
      }
  });
});

/** What the defaults of a real signature make of the rows, by the words of the table. */
function defaultMode({ mode = [], silent }: TransferWrite, release: Readonly<Record<string, unknown>>): string {
  for (const { argument, modes } of mode) {
    const value = release[argument];
    if (value === undefined || value === null) continue;
    const found = modes.find(([pattern]) => pattern.test(String(value)))?.[1];
    if (found !== undefined) return found;
  }
  return silent;
}

test('the law above can fail: most writes have a default that decides', () => {
  const decided = [...transferOperators].flatMap(([name, { writes = [] }]) =>
    writes.filter(({ mode = [] }) =>
      releasesOf(name).some((release) => mode.some(({ argument }) => argument in release)),
    ),
  );
  expect(decided.length).toBeGreaterThan(10);
});

/** Of releases before or between those of the fixture, of providers that it leaves out, and of other publishers. */
const sqlNotInTheFixture = [
  'AWSAthenaOperator',
  'AthenaOperator',
  'BigQueryOperator',
  'CheckOperator',
  'ClickHouseOperator',
  'DruidOperator',
  'DuckDBOperator',
  'ExasolOperator',
  'HiveOperator',
  'HiveToMySqlTransfer',
  'ImpalaOperator',
  'JdbcOperator',
  'MsSqlOperator',
  'MySqlOperator',
  'MySqlToGoogleCloudStorageOperator',
  'MySqlToHiveTransfer',
  'OracleOperator',
  'PostgresOperator',
  'PostgresToGoogleCloudStorageOperator',
  'PrestoOperator',
  'PrestoToSlackOperator',
  'RedshiftDataOperator',
  'RedshiftSQLOperator',
  'RedshiftToS3Transfer',
  'SparkSqlOperator',
  'SqliteOperator',
  'TeradataOperator',
  'TrinoOperator',
  'ValueCheckOperator',
  'VerticaOperator',
];

test('every SQL operator is a class of the fixture, but for those that are named here', () => {
  const missing = Object.keys(sqlOperators).filter((name) => releasesOf(name).length === 0);
  expect(missing.sort()).toEqual(sqlNotInTheFixture);
});

/** These take the SQL of a check from their other arguments. */
const built = /^(?:SQL|BigQuery)(?:Column|Table|Interval)Check/;

describe.each(Object.entries(sqlOperators).filter(([name]) => releasesOf(name).length > 0 && !built.test(name)))(
  'SQL of %s',
  (name, operator) => {
    test('stands in the arguments that the table names, over the default connection', () => {
      for (const argument of [operator, ...(operator.sides ?? [])]) {
        const known = releasesOf(name).filter((release) => headOf(argument.sql) in release);
        expect(known.length).toBeGreaterThan(0);
        const defaults = known.flatMap((release) => [release[argument.connection], release.conn_id]).filter(isText);
        // A default that is no literal in the source (Databricks) cannot be compared.
        if (argument.defaultConnection !== undefined && !defaults.includes('computed'))
          expect(defaults).toContain(argument.defaultConnection);
      }
    });
  },
);

const isText = (value: unknown): value is string => typeof value === 'string';
