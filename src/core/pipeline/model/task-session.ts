import type { SourceSpan } from '../../text/span.ts';
import type { Sourced } from './sourced.ts';

/** A setting of the server that a task's session starts with. */
export interface SessionSetting {
  /** In lower case, as PostgreSQL compares it. */
  readonly name: string;
  /** A template. */
  readonly value: string;
  readonly at: SourceSpan;
}

/** Where and how a task's SQL runs, as its operator says it over what its connection says. */
export interface TaskSession {
  /** The database in place of the connection's own; a template. */
  readonly database: Sourced<string> | undefined;
  /** In order; a later one of a name replaces the earlier. */
  readonly settings: readonly SessionSetting[];
}
