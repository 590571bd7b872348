/** The SQL dialects that are told apart when reading. `ansi` is used when nothing says which one it is. */
export const dialectNames = [
  'postgres',
  'redshift',
  'snowflake',
  'bigquery',
  'spark',
  'mysql',
  'duckdb',
  'trino',
  'ansi',
] as const;

export type DialectName = (typeof dialectNames)[number];
