import type { TransferOperator } from './transfer-operator.ts';

const toHive: TransferOperator = {
  writes: [
    { table: ['hive_table'], partition: { argument: 'partition' }, silent: 'full_replace', dropsTable: 'recreate' },
  ],
};

/**
 * `apache-airflow-providers-apache-hive`, as read in 2.0.0, 6.2.0 and the newest release of November 2026. Loads into
 * Hive go through `HiveCliHook.load_file`, which has `overwrite=True` and is never told otherwise: the table, or the
 * partition that `partition` names, is replaced. `recreate=True` drops the table before. Loads out of Hive insert.
 */
export const hiveTransfers: Readonly<Record<string, TransferOperator>> = {
  S3ToHiveOperator: toHive,
  S3ToHiveTransfer: toHive,
  MySqlToHiveOperator: toHive,
  MySqlToHiveTransfer: toHive,
  MsSqlToHiveOperator: toHive,
  VerticaToHiveOperator: toHive,
  HiveToMySqlOperator: { writes: [{ table: ['mysql_table'], silent: 'append' }] },
  HiveToMySqlTransfer: { writes: [{ table: ['mysql_table'], silent: 'append' }] },
  // An index job replaces the segments of its intervals.
  HiveToDruidOperator: { writes: [{ table: ['druid_datasource'], silent: 'insert_overwrite' }] },
  HivePartitionSensor: {
    reads: [
      {
        table: ['table'],
        within: ['schema'],
        schemaDefault: 'default',
        partition: { argument: 'partition', silent: "ds='{{ ds }}'" },
      },
    ],
  },
  MetastorePartitionSensor: {
    reads: [
      { table: ['table'], within: ['schema'], schemaDefault: 'default', partition: { argument: 'partition_name' } },
    ],
  },
  NamedHivePartitionSensor: { reads: [{ table: ['partition_names'] }] },
};
