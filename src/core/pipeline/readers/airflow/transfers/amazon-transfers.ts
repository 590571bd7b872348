import type { TransferOperator } from './transfer-operator.ts';

/**
 * `apache-airflow-providers-amazon`, as read in 2.0.0, 8.11.0 and the newest release of November 2026.
 *
 * `S3ToRedshiftOperator` (`transfers/s3_to_redshift.py`): `method="APPEND"` since 2.2; REPLACE deletes all rows in the
 * transaction of its COPY, UPSERT deletes by `upsert_keys` or the primary key. Before, `truncate_table=False`.
 * `RedshiftToS3Operator`: `select_query` replaces the select on `schema.table`, which then only names the file.
 * `S3ToSqlOperator`: `insert_rows` of the hook, without `replace`.
 * `S3ToDynamoDBOperator` imports into a new table unless `use_existing_table`, which puts items by their key.
 */
export const amazonTransfers: Readonly<Record<string, TransferOperator>> = {
  S3ToRedshiftOperator: {
    writes: [
      {
        table: ['table'],
        within: ['schema'],
        mode: [
          {
            argument: 'truncate_table',
            modes: [
              [/^true$/, 'full_replace'],
              [/^false$/, 'append'],
            ],
          },
          {
            argument: 'method',
            modes: [
              [/^APPEND$/, 'append'],
              [/^REPLACE$/, 'full_replace'],
              [/^UPSERT$/, 'merge'],
            ],
          },
        ],
        silent: 'append',
        key: 'upsert_keys',
      },
    ],
  },
  RedshiftToS3Operator: {
    reads: [{ table: ['table'], within: ['schema'], unless: 'select_query', optional: true }],
  },
  S3ToSqlOperator: { writes: [{ table: ['table'], within: ['schema'], silent: 'append' }] },
  DynamoDBToS3Operator: { reads: [{ table: ['dynamodb_table_name'] }] },
  S3ToDynamoDBOperator: {
    writes: [
      {
        table: ['dynamodb_table_name'],
        mode: [
          {
            argument: 'use_existing_table',
            modes: [
              [/^true$/, 'merge'],
              [/^false$/, 'create'],
            ],
          },
        ],
        silent: 'create',
      },
    ],
  },
  HiveToDynamoDBOperator: { writes: [{ table: ['table_name'], silent: 'merge', key: 'table_keys' }] },
  GlueCatalogPartitionSensor: {
    reads: [
      {
        table: ['table_name'],
        within: ['database_name'],
        schemaDefault: 'default',
        partition: { argument: 'expression', silent: "ds='{{ ds }}'" },
      },
    ],
  },
  AwsGlueCatalogPartitionSensor: {
    reads: [
      {
        table: ['table_name'],
        within: ['database_name'],
        schemaDefault: 'default',
        partition: { argument: 'expression', silent: "ds='{{ ds }}'" },
      },
    ],
  },
};
