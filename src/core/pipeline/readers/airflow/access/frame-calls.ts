import type { CallAccess } from './call-access.ts';

const ifExists = [
  [/^append$/, 'append'],
  [/^(?:replace|delete_rows)$/, 'full_replace'],
  [/^fail$/, 'create'],
] as const;

const overwrite = [
  [/^true$/, 'full_replace'],
  [/^false$/, 'append'],
] as const;

/**
 * Data frames of pandas, polars, geopandas and Snowflake. `to_sql` of pandas 2 and `to_gbq` of pandas-gbq have
 * `if_exists='fail'`, `write_pandas` of snowflake-connector-python has `overwrite=False`.
 */
export const frameCalls: Readonly<Record<string, readonly CallAccess[]>> = {
  to_sql: [
    {
      direction: 'write',
      table: { name: 'name', position: 0 },
      within: [{ name: 'schema', position: 2 }],
      mode: { name: 'if_exists', position: 3, modes: ifExists },
      quotes: true,
      silent: 'create',
    },
  ],
  to_postgis: [
    {
      direction: 'write',
      table: { name: 'name', position: 0 },
      within: [{ name: 'schema', position: 2 }],
      mode: { name: 'if_exists', position: 3, modes: ifExists },
      quotes: true,
      silent: 'create',
    },
  ],
  to_gbq: [
    {
      // `pandas_gbq.to_gbq(frame, table)`; a frame's own method has the table first.
      of: /(?:^|\.)pandas_gbq(?:\.|$)/,
      direction: 'write',
      table: { name: 'destination_table', position: 1 },
      mode: { name: 'if_exists', position: 5, modes: ifExists },
      silent: 'create',
    },
    {
      direction: 'write',
      table: { name: 'destination_table', position: 0 },
      mode: { name: 'if_exists', position: 4, modes: ifExists },
      silent: 'create',
    },
  ],
  // `pandahouse.to_clickhouse(frame, table)` sends INSERT.
  to_clickhouse: [
    { of: /(?:^|\.)(?:pandahouse|ph)\b/, direction: 'write', table: { name: 'table', position: 1 }, silent: 'append' },
  ],
  write_database: [
    {
      direction: 'write',
      table: { name: 'table_name', position: 0 },
      mode: { name: 'if_table_exists', modes: ifExists },
      quotes: true,
      silent: 'create',
    },
  ],
  write_pandas: [
    {
      of: /snowpark|[Ss]ession/,
      direction: 'write',
      table: { name: 'table_name', position: 1 },
      within: [{ name: 'database' }, { name: 'schema' }],
      mode: { name: 'overwrite', modes: overwrite },
      silent: 'append',
    },
    {
      direction: 'write',
      table: { name: 'table_name', position: 2 },
      within: [
        { name: 'database', position: 3 },
        { name: 'schema', position: 4 },
      ],
      mode: { name: 'overwrite', modes: overwrite },
      silent: 'append',
    },
  ],
  read_sql_table: [
    {
      direction: 'read',
      table: { name: 'table_name', position: 0 },
      quotes: true,
      within: [{ name: 'schema', position: 2 }],
    },
  ],
};
