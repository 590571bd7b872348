import type { ModeArgument, TransferOperator, TransferWrite } from './transfer-operator.ts';

/** The values of BigQuery's `WriteDisposition`. */
const dispositions: ModeArgument['modes'] = [
  [/^WRITE_APPEND$/, 'append'],
  [/^WRITE_TRUNCATE(?:_DATA)?$/, 'full_replace'],
  [/^WRITE_EMPTY$/, 'create'],
];

const disposition: ModeArgument = { argument: 'write_disposition', modes: dispositions };

const gcsToBigQuery: TransferOperator = {
  writes: [
    {
      table: ['destination_project_dataset_table'],
      // An external table only points at the files: a second run changes no rows.
      mode: [{ argument: 'external_table', modes: [[/^true$/, 'unknown']] }, disposition],
      silent: 'create',
    },
  ],
};

const executeQuery: TransferOperator = {
  writes: [{ table: ['destination_dataset_table'], mode: [disposition], silent: 'create', optional: true }],
};

const copy: TransferOperator = {
  reads: [{ table: ['source_project_dataset_tables'] }],
  writes: [{ table: ['destination_project_dataset_table'], mode: [disposition], silent: 'create' }],
};

/** `insert_rows(replace=…)` of the target's hook: an upsert, else plain inserts. */
const inserted = (names: readonly string[], key?: string): TransferWrite => ({
  table: names,
  mode: [
    {
      argument: 'replace',
      modes: [
        [/^true$/, 'merge'],
        [/^false$/, 'append'],
      ],
    },
  ],
  silent: 'append',
  ...(key === undefined ? {} : { key }),
});

const job = 'configuration';

/**
 * A job by its REST description (`rest/v2/Job`): `writeDisposition` is WRITE_APPEND for a load that does not say it,
 * WRITE_EMPTY for a copy and for a query with a destination.
 */
const insertJob: TransferOperator = {
  reads: [
    { table: [`${job}.copy.sourceTable`, `${job}.copy.sourceTables`], optional: true },
    { table: [`${job}.extract.sourceTable`], optional: true },
  ],
  writes: [
    { ...jobTarget('load'), silent: 'append' },
    { ...jobTarget('copy'), silent: 'create' },
    { ...jobTarget('query'), silent: 'create' },
  ],
};

function jobTarget(kind: string): Omit<TransferWrite, 'silent'> {
  return {
    table: [`${job}.${kind}.destinationTable`],
    mode: [{ argument: `${job}.${kind}.writeDisposition`, modes: dispositions }],
    optional: true,
  };
}

const bigQueryTable = { table: ['dataset_table', 'table_id'], within: ['dataset_id'] } as const;

/**
 * `apache-airflow-providers-google`, as read in 4.0.0, 10.11.1 and the newest release of November 2026; the defaults
 * are the same in all three. `write_disposition="WRITE_EMPTY"` in `transfers/gcs_to_bigquery.py`,
 * `transfers/bigquery_to_bigquery.py` and `operators/bigquery.py`; `replace=False` in `transfers/bigquery_to_sql.py`.
 * The names without `Google…` are those of Airflow 1.10's contrib.
 */
export const googleTransfers: Readonly<Record<string, TransferOperator>> = {
  GCSToBigQueryOperator: gcsToBigQuery,
  GoogleCloudStorageToBigQueryOperator: gcsToBigQuery,
  BigQueryInsertJobOperator: insertJob,
  BigQueryExecuteQueryOperator: executeQuery,
  BigQueryOperator: executeQuery,
  BigQueryToBigQueryOperator: copy,
  BigQueryToGCSOperator: { reads: [{ table: ['source_project_dataset_table'] }] },
  BigQueryToCloudStorageOperator: { reads: [{ table: ['source_project_dataset_table'] }] },
  BigQueryToMySqlOperator: { reads: [bigQueryTable], writes: [inserted(['target_table_name', 'mysql_table'])] },
  BigQueryToPostgresOperator: { reads: [bigQueryTable], writes: [inserted(['target_table_name'], 'replace_index')] },
  BigQueryToMsSqlOperator: {
    reads: [{ table: ['source_project_dataset_table'] }],
    writes: [inserted(['target_table_name', 'mssql_table'])],
  },
  BigQueryGetDataOperator: {
    reads: [{ table: ['table_id'], within: ['table_project_id', 'dataset_id'], optional: true }],
  },
  // The rows of the table or partition are gone afterwards, whatever was there.
  BigQueryDeleteTableOperator: { writes: [{ table: ['deletion_dataset_table'], silent: 'full_replace' }] },
  BigQueryTableDeleteOperator: { writes: [{ table: ['deletion_dataset_table'], silent: 'full_replace' }] },
  BigQueryIntervalCheckOperator: { reads: [{ table: ['table'] }] },
  BigQueryColumnCheckOperator: { reads: [{ table: ['table'] }] },
  BigQueryTableCheckOperator: { reads: [{ table: ['table'] }] },
  BigQueryTableExistenceSensor: { reads: [{ table: ['table_id'], within: ['project_id', 'dataset_id'] }] },
  BigQueryTablePartitionExistenceSensor: {
    reads: [{ table: ['table_id'], within: ['project_id', 'dataset_id'], partition: { argument: 'partition_id' } }],
  },
  BigQueryStreamingBufferEmptySensor: { reads: [{ table: ['table_id'], within: ['project_id', 'dataset_id'] }] },
};
