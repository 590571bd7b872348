import type { CallAccess, CallArgument } from './call-access.ts';

const wrangler = /^awswrangler\./;

const modes = [
  [/^append$/, 'append'],
  [/^overwrite$/, 'full_replace'],
  [/^overwrite_partitions$/, 'insert_overwrite'],
  [/^upsert/, 'merge'],
] as const;

const schema: CallArgument = { name: 'schema', position: 3 };
const glueTable: CallArgument = { name: 'table' };
const glueDatabase: CallArgument = { name: 'database' };

const copied = (first: number): CallAccess => ({
  of: wrangler,
  direction: 'write',
  table: { name: 'table', position: first },
  within: [{ name: 'schema', position: first + 1 }],
  mode: { name: 'mode', modes },
  silent: 'append',
});

/** Files with a Glue table over them; without one only files are written. */
const dataset: CallAccess = {
  of: wrangler,
  direction: 'write',
  table: glueTable,
  within: [glueDatabase],
  needs: [glueTable, glueDatabase],
  mode: { name: 'mode', modes },
  silent: 'append',
};

/** `awswrangler` 3: every writer has `mode="append"`. */
export const wranglerCalls: Readonly<Record<string, readonly CallAccess[]>> = {
  to_sql: [
    {
      of: wrangler,
      direction: 'write',
      table: { name: 'table', position: 2 },
      within: [schema],
      mode: { name: 'mode', position: 4, modes },
      silent: 'append',
      key: { name: 'upsert_conflict_columns' },
    },
  ],
  copy: [copied(3)],
  copy_from_files: [copied(2)],
  to_parquet: [dataset],
  to_csv: [dataset],
  to_json: [dataset],
  to_iceberg: [
    {
      of: wrangler,
      direction: 'write',
      table: { name: 'table', position: 2 },
      within: [{ name: 'database', position: 1 }],
      mode: { name: 'mode', modes },
      silent: 'append',
      key: { name: 'merge_cols' },
    },
  ],
  read_sql_table: [
    {
      of: wrangler,
      direction: 'read',
      table: { name: 'table', position: 0 },
      within: [{ name: 'schema', position: 2 }],
    },
  ],
  read_parquet_table: [
    {
      of: wrangler,
      direction: 'read',
      table: { name: 'table', position: 0 },
      within: [{ name: 'database', position: 1 }],
    },
  ],
};
