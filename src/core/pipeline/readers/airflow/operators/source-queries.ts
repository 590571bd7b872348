import type { SqlOperator } from './sql-operator.ts';

const betweenDatabases = 'copies rows between two connections';
const toFiles = 'writes the rows of a query to files';
const toPeople = 'sends the rows of a query to people';

const google = { sql: 'sql', schedulerOnly: toFiles } as const;

const intoHive = { sql: 'sql', schedulerOnly: betweenDatabases, extensions: ['.sql'] } as const;

const slack = { connection: 'sql_conn_id', schedulerOnly: toPeople, extensions: ['.sql', '.jinja', '.j2'] } as const;

/** A statement that runs on the target before (`mysql_preoperator`) or after the rows are inserted. */
const onMySql = (argument: string) =>
  ({ sql: argument, connection: 'mysql_conn_id', defaultConnection: 'mysql_default', dialect: 'mysql' }) as const;

const intoMySql = { sql: 'sql', schedulerOnly: betweenDatabases, sides: [onMySql('mysql_preoperator')] } as const;
const aroundMySql = {
  ...intoMySql,
  sides: [onMySql('mysql_preoperator'), onMySql('mysql_postoperator')],
} as const;

const hiveToMySql: SqlOperator = {
  ...aroundMySql,
  connection: 'hiveserver2_conn_id',
  defaultConnection: 'hiveserver2_default',
  dialect: 'spark',
  extensions: ['.sql'],
};

/** Queries of transfer operators: what they read by SQL, and the SQL that they send to the target. */
export const sourceQueries: Readonly<Record<string, SqlOperator>> = {
  GenericTransfer: {
    sql: 'sql',
    connection: 'source_conn_id',
    schedulerOnly: betweenDatabases,
    extensions: ['.sql', '.hql'],
    sides: [{ sql: 'preoperator', connection: 'destination_conn_id' }],
  },
  HiveToMySqlOperator: hiveToMySql,
  HiveToMySqlTransfer: hiveToMySql,
  TrinoToMySqlOperator: { ...intoMySql, connection: 'trino_conn_id', dialect: 'trino' },
  PrestoToMySqlOperator: { ...intoMySql, connection: 'presto_conn_id', dialect: 'trino' },
  VerticaToMySqlOperator: { ...aroundMySql, connection: 'vertica_conn_id', dialect: 'ansi' },
  MySqlToHiveOperator: {
    ...intoHive,
    connection: 'mysql_conn_id',
    defaultConnection: 'mysql_default',
    dialect: 'mysql',
  },
  MySqlToHiveTransfer: { ...intoHive, connection: 'mysql_conn_id', dialect: 'mysql' },
  MsSqlToHiveOperator: { ...intoHive, connection: 'mssql_conn_id', dialect: 'ansi' },
  VerticaToHiveOperator: { ...intoHive, connection: 'vertica_conn_id', dialect: 'ansi' },
  HiveToDruidOperator: { ...intoHive, connection: 'hive_cli_conn_id', dialect: 'spark' },
  HiveToSambaOperator: { sql: 'hql', connection: 'hiveserver2_conn_id', dialect: 'spark', schedulerOnly: toFiles },
  HiveToDynamoDBOperator: { ...intoHive, connection: 'hiveserver2_conn_id', dialect: 'spark' },
  OracleToOracleOperator: {
    sql: 'source_sql',
    connection: 'oracle_source_conn_id',
    dialect: 'ansi',
    schedulerOnly: betweenDatabases,
  },
  OracleToAzureDataLakeOperator: { sql: 'sql', connection: 'oracle_conn_id', dialect: 'ansi', schedulerOnly: toFiles },
  TeradataToTeradataOperator: {
    sql: 'sql',
    connection: 'source_teradata_conn_id',
    dialect: 'ansi',
    schedulerOnly: betweenDatabases,
  },
  RedshiftToS3Operator: {
    sql: 'select_query',
    connection: 'redshift_conn_id',
    defaultConnection: 'redshift_default',
    dialect: 'redshift',
    schedulerOnly: toFiles,
  },
  RedshiftToS3Transfer: {
    sql: 'select_query',
    connection: 'redshift_conn_id',
    dialect: 'redshift',
    schedulerOnly: toFiles,
  },
  SqlToS3Operator: { sql: 'query', connection: 'sql_conn_id', schedulerOnly: toFiles },
  MySQLToS3Operator: { sql: 'query', connection: 'mysql_conn_id', dialect: 'mysql', schedulerOnly: toFiles },
  MySQLToGCSOperator: { ...google, connection: 'mysql_conn_id', dialect: 'mysql' },
  MySqlToGoogleCloudStorageOperator: { ...google, connection: 'mysql_conn_id', dialect: 'mysql' },
  PostgresToGCSOperator: { ...google, connection: 'postgres_conn_id', dialect: 'postgres' },
  PostgresToGoogleCloudStorageOperator: { ...google, connection: 'postgres_conn_id', dialect: 'postgres' },
  MSSQLToGCSOperator: { ...google, connection: 'mssql_conn_id', dialect: 'ansi' },
  OracleToGCSOperator: { ...google, connection: 'oracle_conn_id', dialect: 'ansi' },
  PrestoToGCSOperator: { ...google, connection: 'presto_conn_id', dialect: 'trino' },
  TrinoToGCSOperator: { ...google, connection: 'trino_conn_id', dialect: 'trino' },
  SQLToGoogleSheetsOperator: { sql: 'sql', connection: 'sql_conn_id', schedulerOnly: toPeople },
  SqlToSlackOperator: { ...slack, sql: 'sql' },
  SqlToSlackApiFileOperator: { ...slack, sql: 'sql' },
  SqlToSlackWebhookOperator: { ...slack, sql: 'sql' },
  SnowflakeToSlackOperator: { ...slack, sql: 'sql', connection: 'snowflake_conn_id', dialect: 'snowflake' },
  PrestoToSlackOperator: { ...slack, sql: 'sql', connection: 'presto_conn_id', dialect: 'trino' },
};
