/** A connection of `backfill.yaml`, environment references resolved. Secrets live here only in memory. */
export type ConnectionConfig = DatabaseConnection | SparkConnection;

/** A database, which can have a ledger. */
export type DatabaseConnection = PostgresConnection | PgliteConnection;

interface CommonConnection {
  readonly name: string;
  /** A run on it asks for the target's name to be typed. */
  readonly protected: boolean;
  /** Session settings that the scheduler's connection has, applied to the task's statements. */
  readonly settings: Readonly<Record<string, string>>;
  /** Airflow connection ids that mean this connection. */
  readonly airflowIds: readonly string[];
}

interface LedgerConnection extends CommonConnection {
  /** Lakes whose units have their claims and records in this database; absent: none. */
  readonly lakes?: readonly LakeConnection[] | undefined;
}

/** Missing parts come from PGSERVICE, the PG* environment and `.pgpass`, as libpq has them. */
export interface PostgresConnection extends LedgerConnection {
  readonly engine: 'postgres';
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly database: string | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly service: string | undefined;
  readonly sslmode: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full' | undefined;
  /** File of the certificates that the server's must come from, absolute; `system`: those of the machine. */
  readonly sslrootcert?: string | undefined;
}

export interface PgliteConnection extends LedgerConnection {
  readonly engine: 'pglite';
  /** Data directory, absolute. */
  readonly directory: string;
}

/** Tables of files behind a Spark Connect server. */
export interface LakeConnection extends CommonConnection {
  readonly engine: 'spark';
  /** `sc://host:port/;use_ssl=true`, without a token. */
  readonly url: string;
  readonly token: string | undefined;
  /** Environment variables that it needs and that are not set; absent: none. */
  readonly missing?: readonly string[] | undefined;
}

/** A lake with the database that has the claims and records of its units. */
export interface SparkConnection extends LakeConnection {
  readonly ledger: DatabaseConnection;
}

/** By which sessions of ours are told from those of others. */
export const applicationName = 'backfill-assistant';
