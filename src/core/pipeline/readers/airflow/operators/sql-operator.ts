import type { DialectName } from '../../../../sql/model/dialect-name.ts';

/** SQL in an argument, and who runs it. */
export interface SqlArgument {
  /** Argument that holds the SQL; `a.b` for a key inside a dict argument. */
  readonly sql: string;
  /** What the argument was called in earlier releases. */
  readonly formerly?: string;
  readonly connection: string;
  /** Airflow's default connection id of the class, where it has one. */
  readonly defaultConnection?: string;
  /** `undefined`: decided by the connection. */
  readonly dialect?: DialectName;
}

/** What is known of an operator class that sends SQL. */
export interface SqlOperator extends SqlArgument {
  /** Its hook splits the text into statements by default. */
  readonly split?: boolean;
  /** Endings that make the text a template file. */
  readonly extensions?: readonly string[];
  /** Only reads: a check, a sensor, a branch. */
  readonly checks?: boolean;
  /** Does more than send the text, so only the scheduler can run it. */
  readonly schedulerOnly?: string;
  /** Texts that may be given as well, each sent over a connection of its own. */
  readonly sides?: readonly SqlArgument[];
}
