import type { CallAccess, CallArgument } from './call-access.ts';

const dispositions = [
  [/^WRITE_APPEND$/, 'append'],
  [/^WRITE_TRUNCATE(?:_DATA)?$/, 'full_replace'],
  [/^WRITE_EMPTY$/, 'create'],
] as const;

const jobDisposition = { name: 'job_config', path: ['write_disposition'], modes: dispositions } as const;

/** A load that says nothing appends. */
const load = (table: CallArgument): readonly CallAccess[] => [
  { direction: 'write', table, mode: jobDisposition, silent: 'append' },
];

const destination: CallArgument = { name: 'destination', position: 1 };
const target: CallArgument = { name: 'destination_project_dataset_table', position: 0 };
const hook = /BigQuery|bigquery/;

/**
 * `google-cloud-bigquery`'s client and Airflow's `BigQueryHook`. The API's defaults: `WRITE_APPEND` for a load,
 * `WRITE_EMPTY` for a query with a destination and for a copy; `run_load` of the hook says `WRITE_EMPTY` by itself.
 */
export const bigQueryCalls: Readonly<Record<string, readonly CallAccess[]>> = {
  load_table_from_uri: load(destination),
  load_table_from_dataframe: load(destination),
  load_table_from_json: load(destination),
  load_table_from_file: load(destination),
  insert_rows_json: [{ direction: 'write', table: { name: 'table', position: 0 }, silent: 'append' }],
  insert_rows_from_dataframe: [{ direction: 'write', table: { name: 'table', position: 0 }, silent: 'append' }],
  insert_all: [
    {
      of: hook,
      direction: 'write',
      table: { name: 'table_id', position: 2 },
      within: [
        { name: 'project_id', position: 0 },
        { name: 'dataset_id', position: 1 },
      ],
      silent: 'append',
    },
  ],
  query: [
    {
      direction: 'write',
      table: { name: 'job_config', path: ['destination'] },
      needs: [{ name: 'job_config', path: ['destination'] }],
      mode: jobDisposition,
      silent: 'create',
    },
  ],
  copy_table: [
    { direction: 'read', table: { name: 'sources', position: 0 } },
    { direction: 'write', table: destination, mode: jobDisposition, silent: 'create' },
  ],
  extract_table: [{ direction: 'read', table: { name: 'source', position: 0 } }],
  run_load: [
    {
      of: hook,
      direction: 'write',
      table: target,
      mode: { name: 'write_disposition', modes: dispositions },
      silent: 'create',
    },
  ],
  run_query: [
    {
      of: hook,
      direction: 'write',
      table: { name: 'destination_dataset_table', position: 1 },
      needs: [{ name: 'destination_dataset_table', position: 1 }],
      mode: { name: 'write_disposition', position: 2, modes: dispositions },
      silent: 'create',
    },
  ],
  run_copy: [
    { of: hook, direction: 'read', table: { name: 'source_project_dataset_tables', position: 0 } },
    {
      of: hook,
      direction: 'write',
      table: { name: 'destination_project_dataset_table', position: 1 },
      mode: { name: 'write_disposition', position: 2, modes: dispositions },
      silent: 'create',
    },
  ],
  run_extract: [{ of: hook, direction: 'read', table: { name: 'source_project_dataset_table', position: 0 } }],
  insert_job: [jobTarget('load', 'append'), jobTarget('query', 'create'), jobTarget('copy', 'create')],
};

/** A job by its REST description. */
function jobTarget(kind: string, silent: 'append' | 'create'): CallAccess {
  const table = { name: 'configuration', path: [kind, 'destinationTable'] };
  return {
    direction: 'write',
    table,
    needs: [table],
    mode: { name: 'configuration', path: [kind, 'writeDisposition'], modes: dispositions },
    silent,
  };
}
