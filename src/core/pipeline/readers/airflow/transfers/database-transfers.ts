import type { TransferOperator } from './transfer-operator.ts';

const intoMySql: TransferOperator = { writes: [{ table: ['mysql_table'], silent: 'append' }] };
const intoTeradata: TransferOperator = { writes: [{ table: ['teradata_table'], silent: 'create' }] };

/** COPY INTO skips files that it loaded before, so it appends for certain only when it is forced. */
const copyIntoSnowflake: TransferOperator = {
  writes: [
    {
      table: ['table'],
      within: ['database', 'schema'],
      mode: [
        {
          argument: 'copy_options',
          modes: [
            [/\bFORCE\s*=\s*TRUE\b/i, 'append'],
            [/(?:)/, 'unknown'],
          ],
        },
      ],
      silent: 'unknown',
    },
  ],
};

const copyIntoDatabricks: TransferOperator = {
  writes: [
    {
      table: ['table_name'],
      within: ['catalog', 'schema'],
      mode: [
        {
          argument: 'force_copy',
          modes: [
            [/^true$/, 'append'],
            [/^false$/, 'unknown'],
          ],
        },
        {
          argument: 'copy_options.force',
          modes: [
            [/^true$/i, 'append'],
            [/(?:)/, 'unknown'],
          ],
        },
      ],
      silent: 'unknown',
    },
  ],
};

/**
 * Loads of the providers common-sql, mysql, oracle, teradata, trino, presto, snowflake and databricks, as read in
 * their newest releases of November 2026 and in mysql 2.0.0, snowflake 2.0.0 and 5.1.0, databricks 5.0.0.
 *
 * `GenericTransfer` and the loads into MySQL call the hook's `insert_rows`: plain inserts, upserts with
 * `insert_args={"replace": True}`. `S3ToMySqlOperator` is LOAD DATA with
 * `mysql_duplicate_key_handling="IGNORE"`, which appends or skips depending on the keys of the table. Teradata's loads
 * from files are CREATE TABLE … AS. Snowflake's and Databricks' COPY INTO: `copy_options=None`, `force_copy=None`.
 */
export const databaseTransfers: Readonly<Record<string, TransferOperator>> = {
  GenericTransfer: {
    writes: [
      {
        table: ['destination_table'],
        mode: [
          {
            argument: 'insert_args.replace',
            modes: [
              [/^true$/, 'merge'],
              [/^false$/, 'append'],
            ],
          },
        ],
        silent: 'append',
        key: 'insert_args.replace_index',
      },
    ],
  },
  S3ToMySqlOperator: {
    writes: [
      {
        table: ['mysql_table'],
        mode: [
          {
            argument: 'mysql_duplicate_key_handling',
            modes: [
              [/^REPLACE$/i, 'merge'],
              [/^IGNORE$/i, 'unknown'],
            ],
          },
        ],
        silent: 'unknown',
      },
    ],
  },
  TrinoToMySqlOperator: intoMySql,
  PrestoToMySqlOperator: intoMySql,
  VerticaToMySqlOperator: intoMySql,
  OracleToOracleOperator: { writes: [{ table: ['destination_table'], silent: 'append' }] },
  TeradataToTeradataOperator: { writes: [{ table: ['destination_table'], silent: 'append' }] },
  S3ToTeradataOperator: intoTeradata,
  AzureBlobStorageToTeradataOperator: intoTeradata,
  GCSToTrinoOperator: { writes: [{ table: ['trino_table'], silent: 'append' }] },
  GCSToPrestoOperator: { writes: [{ table: ['presto_table'], silent: 'append' }] },
  S3ToSnowflakeOperator: { writes: [{ table: ['table'], within: ['database', 'schema'], silent: 'unknown' }] },
  CopyFromExternalStageToSnowflakeOperator: copyIntoSnowflake,
  DatabricksCopyIntoOperator: copyIntoDatabricks,
  DatabricksCopyIntoAssetOperator: copyIntoDatabricks,
  SQLColumnCheckOperator: { reads: [{ table: ['table'] }] },
  SQLTableCheckOperator: { reads: [{ table: ['table'] }] },
  SQLIntervalCheckOperator: { reads: [{ table: ['table'] }] },
  DatabricksPartitionSensor: {
    reads: [{ table: ['table_name'], within: ['catalog', 'schema'], partition: { argument: 'partitions' } }],
  },
};
