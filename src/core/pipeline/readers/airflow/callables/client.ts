import { externalBase } from '../../../python/calls/class-member.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, Value } from '../../../python/values/value.ts';

/** What a value reaches a database through: a hook, a driver's connection, a client of a cloud service. */
export interface Client {
  /** Fully qualified name from outside the workspace, e.g. `airflow.providers.postgres.hooks.postgres.PostgresHook`. */
  readonly type: string;
  /** The call that made it. */
  readonly opened: Call;
}

/** The client that a value is or is built on; a class of the workspace counts as the class that it extends. */
export function clientOf(value: Value | undefined): Client | undefined {
  switch (value?.kind) {
    case 'instance':
      return { type: value.type, opened: value.call };
    case 'object': {
      const type = externalBase(value.class);
      return type === undefined ? undefined : { type, opened: value.base ?? value.made };
    }
    case 'super':
      return clientOf(value.object);
    case 'bound-method':
      // `client.dataset(…).table(…)`, `frame.write.mode(…)`: a chain belongs to what it begins with.
      return clientOf(value.self);
    default:
      return undefined;
  }
}

/** The connection id that a client was opened with, when it is a constant. */
export function connectionIdOf(client: Client): string | undefined {
  const { positional, keywords } = client.opened;
  return plainText(positional[0] ?? [...keywords.values()].find((keyword) => /conn_id$/.test(keyword.name))?.value);
}

const databaseType =
  /Hook$|Connection$|psycopg|pg8000|asyncpg|sqlalchemy|sqlmodel|pymysql|MySQLdb|mysql\.connector|mariadb|cx_Oracle|oracledb|pyodbc|pymssql|sqlite3|snowflake|snowpark|bigquery|redshift_connector|clickhouse|vertica_python|duckdb|trino|prestodb|pyhive|impala|teradatasql|databricks\.sql|awswrangler|pandas_gbq|hdbcli|ibm_db|cassandra/i;

const otherHook =
  /(?:Http|S3|GCS|Gcs|Ssh|SSH|Sftp|SFTP|Ftp|FTP|Slack|Discord|Telegram|Email|Imap|Smtp|Docker|Kubernetes|Wasb|Azure\w*Storage|DataLake|Fs|FS|Hdfs|WebHDFS|Glacier|Sqs|Sns|Lambda|Secret\w*|Base|Aws|AwsBase|GoogleBase|Gdrive|Drive|Jenkins|Jira|Pagerduty|Opsgenie|Airbyte|Fivetran|Dbt\w*|Livy|Emr|Batch|Ecs|Subprocess|Samba|PubSub)Hook$/;

/** True for what can read and write tables; hooks of file stores, messages and services cannot. */
export const isDatabase = (client: Client | undefined): boolean =>
  client !== undefined && databaseType.test(client.type) && !otherHook.test(client.type);

/** Receivers that are a database by their name, where nothing else is known of them. */
export const namedLikeDatabase = (callee: string): boolean =>
  /(?:^|[._])(?:cur|curs|cursor|conn|con|cnx|connection|engine|session|db|database|pg|dwh|warehouse|hook|bq|bq_client)\w*(?:\(\))?\.\w+$/i.test(
    callee,
  );
