import type { DialectName } from '../../../../sql/model/dialect-name.ts';
import { sourceQueries } from './source-queries.ts';
import type { SqlOperator } from './sql-operator.ts';

const sqlFile = ['.sql'];

/**
 * SQL operators by class name, with the defaults of their providers. A hook's `run` sends one text as one message
 * unless `split_statements` is set; Snowflake's, Databricks' and Trino's hooks split by themselves.
 */
export const sqlOperators: Readonly<Record<string, SqlOperator>> = {
  SQLExecuteQueryOperator: { sql: 'sql', connection: 'conn_id', extensions: ['.sql', '.json'] },
  PostgresOperator: {
    sql: 'sql',
    connection: 'postgres_conn_id',
    defaultConnection: 'postgres_default',
    dialect: 'postgres',
  },
  RedshiftSQLOperator: {
    sql: 'sql',
    connection: 'redshift_conn_id',
    defaultConnection: 'redshift_default',
    dialect: 'redshift',
  },
  RedshiftDataOperator: {
    sql: 'sql',
    connection: 'aws_conn_id',
    defaultConnection: 'aws_default',
    dialect: 'redshift',
  },
  SnowflakeOperator: {
    sql: 'sql',
    connection: 'snowflake_conn_id',
    defaultConnection: 'snowflake_default',
    dialect: 'snowflake',
    split: true,
  },
  SnowflakeSqlApiOperator: {
    sql: 'sql',
    connection: 'snowflake_conn_id',
    defaultConnection: 'snowflake_default',
    dialect: 'snowflake',
    split: true,
  },
  MySqlOperator: { sql: 'sql', connection: 'mysql_conn_id', defaultConnection: 'mysql_default', dialect: 'mysql' },
  BigQueryInsertJobOperator: {
    sql: 'configuration.query.query',
    connection: 'gcp_conn_id',
    defaultConnection: 'google_cloud_default',
    dialect: 'bigquery',
    extensions: ['.json', '.sql'],
  },
  BigQueryExecuteQueryOperator: {
    sql: 'sql',
    connection: 'gcp_conn_id',
    defaultConnection: 'google_cloud_default',
    dialect: 'bigquery',
  },
  BigQueryOperator: { sql: 'sql', formerly: 'bql', connection: 'gcp_conn_id', dialect: 'bigquery' },
  TrinoOperator: {
    sql: 'sql',
    connection: 'trino_conn_id',
    defaultConnection: 'trino_default',
    dialect: 'trino',
    split: true,
  },
  PrestoOperator: { sql: 'sql', connection: 'presto_conn_id', dialect: 'trino' },
  AthenaOperator: { sql: 'query', connection: 'aws_conn_id', defaultConnection: 'aws_default', dialect: 'trino' },
  AWSAthenaOperator: { sql: 'query', connection: 'aws_conn_id', dialect: 'trino' },
  SparkSqlOperator: {
    sql: 'sql',
    connection: 'conn_id',
    defaultConnection: 'spark_sql_default',
    dialect: 'spark',
    extensions: ['.sql', '.hql'],
  },
  HiveOperator: {
    sql: 'hql',
    connection: 'hive_cli_conn_id',
    defaultConnection: 'hive_cli_default',
    dialect: 'spark',
    extensions: ['.hql', '.sql'],
  },
  DatabricksSqlOperator: {
    sql: 'sql',
    connection: 'databricks_conn_id',
    defaultConnection: 'databricks_default',
    dialect: 'spark',
    split: true,
  },
  ImpalaOperator: { sql: 'sql', connection: 'impala_conn_id', dialect: 'spark' },
  DuckDBOperator: { sql: 'sql', connection: 'duckdb_conn_id', dialect: 'duckdb' },
  SqliteOperator: { sql: 'sql', connection: 'sqlite_conn_id', defaultConnection: 'sqlite_default', dialect: 'ansi' },
  OracleOperator: { sql: 'sql', connection: 'oracle_conn_id', dialect: 'ansi' },
  MsSqlOperator: { sql: 'sql', connection: 'mssql_conn_id', dialect: 'ansi' },
  JdbcOperator: { sql: 'sql', connection: 'jdbc_conn_id', dialect: 'ansi' },
  VerticaOperator: { sql: 'sql', connection: 'vertica_conn_id', dialect: 'ansi' },
  TeradataOperator: { sql: 'sql', connection: 'teradata_conn_id', dialect: 'ansi' },
  ExasolOperator: { sql: 'sql', connection: 'exasol_conn_id', dialect: 'ansi' },
  ClickHouseOperator: { sql: 'sql', connection: 'clickhouse_conn_id', dialect: 'ansi' },
  DruidOperator: { sql: 'sql', connection: 'conn_id', dialect: 'ansi' },
  SQLCheckOperator: { sql: 'sql', connection: 'conn_id', checks: true },
  SQLValueCheckOperator: { sql: 'sql', connection: 'conn_id', checks: true },
  SQLThresholdCheckOperator: { sql: 'sql', connection: 'conn_id', checks: true },
  SQLColumnCheckOperator: { sql: 'sql', connection: 'conn_id', checks: true },
  SQLTableCheckOperator: { sql: 'sql', connection: 'conn_id', checks: true },
  SQLIntervalCheckOperator: { sql: 'sql', connection: 'conn_id', checks: true },
  BranchSQLOperator: { sql: 'sql', connection: 'conn_id', checks: true },
  SqlSensor: { sql: 'sql', connection: 'conn_id', checks: true, extensions: ['.sql', '.hql'] },
  CheckOperator: { sql: 'sql', connection: 'conn_id', checks: true },
  ValueCheckOperator: { sql: 'sql', connection: 'conn_id', checks: true },
  BigQueryCheckOperator: { sql: 'sql', connection: 'gcp_conn_id', dialect: 'bigquery', checks: true },
  BigQueryValueCheckOperator: { sql: 'sql', connection: 'gcp_conn_id', dialect: 'bigquery', checks: true },
  SnowflakeCheckOperator: { sql: 'sql', connection: 'snowflake_conn_id', dialect: 'snowflake', checks: true },
  DatabricksSqlSensor: {
    sql: 'sql',
    connection: 'databricks_conn_id',
    defaultConnection: 'databricks_default',
    dialect: 'spark',
    checks: true,
  },
  ...sourceQueries,
};

export const templateExtensions = (operator: SqlOperator): readonly string[] => operator.extensions ?? sqlFile;

/** Operators that do nothing by themselves. */
export const emptyOperators: ReadonlySet<string> = new Set([
  'EmptyOperator',
  'DummyOperator',
  'LatestOnlyOperator',
  'ExternalTaskMarker',
]);

const hookDialects: readonly (readonly [RegExp, DialectName])[] = [
  [/Redshift/i, 'redshift'],
  [/Postgres|psycopg|asyncpg|pg8000/i, 'postgres'],
  [/Snowflake/i, 'snowflake'],
  [/BigQuery/i, 'bigquery'],
  [/MySql|MySQLdb|pymysql|mariadb/i, 'mysql'],
  [/DuckDB/i, 'duckdb'],
  [/Trino|Presto|Athena/i, 'trino'],
  [/Hive|Spark|Databricks/i, 'spark'],
  [/Sqlite|Oracle|MsSql|Jdbc|Odbc|Vertica|Teradata|ClickHouse/i, 'ansi'],
];

/** The dialect that the name of a hook, driver or client tells. */
export const dialectOfName = (name: string): DialectName | undefined =>
  hookDialects.find(([pattern]) => pattern.test(name))?.[1];
