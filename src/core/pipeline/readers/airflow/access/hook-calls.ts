import type { CallAccess } from './call-access.ts';

const upsert = [
  [/^true$/, 'merge'],
  [/^false$/, 'append'],
] as const;

/** Of a client of `clickhouse_connect`, which takes rows without SQL; other calls of these names are of lists and frames. */
const clickhouseInsert: readonly CallAccess[] = [
  {
    of: /clickhouse_connect/,
    direction: 'write',
    table: { name: 'table', position: 0 },
    within: [{ name: 'database' }],
    silent: 'append',
  },
];

/**
 * Hooks of Airflow's providers and cursors of drivers. `insert_rows(…, replace=False)` of `DbApiHook`; with
 * `replace=True` rows of the same key are replaced (`ON CONFLICT`, `REPLACE INTO`).
 */
export const hookCalls: Readonly<Record<string, readonly CallAccess[]>> = {
  insert_rows: [
    {
      direction: 'write',
      table: { name: 'table', position: 0 },
      mode: { name: 'replace', position: 4, modes: upsert },
      silent: 'append',
      key: { name: 'replace_index' },
    },
  ],
  bulk_insert_rows: [{ direction: 'write', table: { name: 'table', position: 0 }, silent: 'append' }],
  bulk_load: [{ direction: 'write', table: { name: 'table', position: 0 }, silent: 'append' }],
  bulk_load_custom: [
    {
      direction: 'write',
      table: { name: 'table', position: 0 },
      mode: { name: 'duplicate_key_handling', position: 2, modes: [[/^REPLACE$/i, 'merge']] },
      // `IGNORE` keeps the rows that are there.
      silent: 'unknown',
    },
  ],
  bulk_dump: [{ direction: 'read', table: { name: 'table', position: 0 } }],
  // Of a driver's cursor: the file comes first. Other `copy_from` are of files.
  copy_from: [
    {
      of: /psycopg|Connection$|Hook$|cur/i,
      direction: 'write',
      table: { name: 'table', position: 1 },
      silent: 'append',
    },
  ],
  copy_to: [{ of: /psycopg|Connection$|Hook$|cur/i, direction: 'read', table: { name: 'table', position: 1 } }],
  copy_records_to_table: [
    {
      direction: 'write',
      table: { name: 'table_name', position: 0 },
      within: [{ name: 'schema_name' }],
      silent: 'append',
    },
  ],
  insert: clickhouseInsert,
  insert_df: clickhouseInsert,
  insert_arrow: clickhouseInsert,
  insert_df_arrow: clickhouseInsert,
};
