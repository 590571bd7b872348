import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { StatementView } from './statement-view.ts';

/** Whether a failure between two statements of one text can leave the first one's work behind. */
export type Atomicity =
  | { readonly kind: 'one-transaction' }
  /** Separable for sure; `cause` names what separates them. */
  | { readonly kind: 'separable'; readonly cause: 'autocommit' | 'commit-between' | 'engine' | 'sessions' }
  /** Depends on who sends the text: a stand-alone file. */
  | { readonly kind: 'unknown' };

/** Operators whose engine commits each statement of a script by itself, whatever the arguments say. */
const engineCommitsEach = /bigquery|hive|spark|databricks|presto|trino|athena|clickhouse|impala|drill/i;

/**
 * Reads the transaction around two statements of one task, first before second. One string that is sent whole to
 * Postgres is one implicit transaction even under autocommit; hooks of the DB-API kind open one transaction around all
 * statements unless autocommit is on. https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-MULTI-STATEMENT
 */
export function atomicity(all: readonly StatementView[], first: StatementView, second: StatementView): Atomicity {
  let open = false;
  let openAtFirst = false;
  for (const view of all) {
    const { kind } = view.statement;
    if (kind === 'begin') open = true;
    if (view === first) openAtFirst = open;
    if ((kind === 'commit' || kind === 'rollback') && isTransactionEnd(view)) {
      if (view.order > first.order && view.order < second.order) return { kind: 'separable', cause: 'commit-between' };
      open = false;
    }
    if (view === second) break;
  }
  if (first.sql.session !== second.sql.session) return { kind: 'separable', cause: 'sessions' };
  if (openAtFirst || isOneCall(first, second)) return { kind: 'one-transaction' };
  const { task, sql } = first;
  if (sql.dialect === 'bigquery' || sql.dialect === 'spark' || sql.dialect === 'trino')
    return { kind: 'separable', cause: 'engine' };
  if (engineCommitsEach.test(task.operator)) return { kind: 'separable', cause: 'engine' };
  if (first.pipeline.format === 'sql-file') return { kind: 'unknown' };
  if (task.autocommit?.value !== true) return { kind: 'one-transaction' };
  // Snowflake's hook splits a text by itself unless it is told not to.
  const split = task.splitStatements?.value ?? sql.dialect === 'snowflake';
  const sentApart = first.sql !== second.sql || split;
  return sentApart ? { kind: 'separable', cause: 'autocommit' } : { kind: 'one-transaction' };
}

/** Whether Python commits between two statements that it sends over one connection. */
export const isCommittedBetween = (first: StatementView, second: StatementView): boolean =>
  first.sql.session !== undefined &&
  first.sql.session === second.sql.session &&
  (first.sql.commits ?? 0) < (second.sql.commits ?? 0);

const transactional: ReadonlySet<DialectName> = new Set(['postgres', 'redshift', 'ansi']);

/** A CALL is one statement, and what its body does stands or falls with it. */
const isOneCall = (first: StatementView, second: StatementView): boolean =>
  first.routine !== undefined &&
  second.routine?.sqlIndex === first.routine.sqlIndex &&
  second.routine.at === first.routine.at &&
  transactional.has(first.sql.dialect);

/** END also closes a block of a procedure; only a plain COMMIT, ROLLBACK or END ends a transaction. */
const isTransactionEnd = (view: StatementView): boolean =>
  /^(commit|rollback|abort|end)\b(?!\s*(to|if|loop|case|while)\b)/i.test(
    view.sql.masked.text.slice(view.statement.start, view.statement.end).trim(),
  );
