import { matchedColumns } from '../../../lineage/writes/merge-slice.ts';
import { quoteIdentifier } from '../../../warehouse/dialects/postgres/quote.ts';
import { unitSavepoint } from '../../../warehouse/port/transaction-control.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import { StatementFailure } from '../../session/statement-failure.ts';
import { constraintColumns } from '../../tables/constraint-columns.ts';
import { type UpsertKey, upsertKeys } from '../../tables/upsert-keys.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { runStatements } from '../task/run-statements.ts';
import { onceAKey, repeatedKeys } from './repeated-keys.ts';

/** SQLSTATE of an upsert that would change one row twice. */
const changedTwice = '21000';

/** Where the rows that a statement would bring in are looked at. */
const incoming = 'pg_temp.backfill_incoming';

/**
 * What a failed unit throws, with the keys that its rows bring in more than once where that is why the server refused
 * them; it names none. The transaction is taken back to where the unit began, and done again up to that statement.
 */
export async function withRepeatedKeys(unit: OpenUnit, thrown: unknown): Promise<unknown> {
  // What it does that stays is not done again to look.
  if (unit.job.outside !== undefined) return thrown;
  if (!(thrown instanceof StatementFailure) || thrown.error.detail.sqlState !== changedTwice) return thrown;
  const { session, plan } = unit;
  const { statement, error } = thrown;
  const written = upsertKeys([statement])[0];
  const looking = written && lookSql(written);
  if (written === undefined || looking === undefined) return thrown;
  try {
    await session.query(`rollback to savepoint ${unitSavepoint}`);
    const before = plan.statements.slice(0, plan.statements.indexOf(statement));
    await runStatements({ ...unit, plan: { statements: before } }, {});
    const { start = 0, end = 0 } = written.read.target ?? {};
    const key = await constraintColumns(session, written, statement.text.slice(start, end));
    for (const sql of looking) await session.query(sql);
    const keys = await repeatedKeys(session, incoming, undefined, key.columns);
    if (keys === undefined) return thrown;
    const message = `${error.message}. Keys (${key.columns.join(', ')}) that come in more than once: ${keys}.`;
    const hint = `In the rows that come in, ${onceAKey(key.columns)}.`;
    return new StatementFailure(
      statement,
      new WarehouseError(error.kind, message, false, { ...error.detail, hint }),
      false,
    );
  } catch (second) {
    // Not what was asked about, and the unit has failed already.
    if (second instanceof WarehouseError || second instanceof StatementFailure) return thrown;
    throw second;
  }
}

/** Statements that put the keys of the rows which come in beside the target; `undefined` where they cannot be told. */
function lookSql({ statement: { text }, read }: UpsertKey): readonly string[] | undefined {
  if (read.target === undefined) return undefined;
  if (read.kind === 'merge') {
    const from = read.from[0];
    if (from === undefined) return undefined;
    const columns = matchedColumns(read, read.on).map(
      ({ own, other }) => `${text.slice(other.start, other.end)} as ${quoteIdentifier(own.name)}`,
    );
    const before = text.slice(0, read.head.start);
    const source = text.slice(from.start, from.end);
    return [
      `create temporary table ${incoming} on commit drop as ${before} select ${columns.join(', ')} from ${source}`,
    ];
  }
  if (read.kind !== 'insert' || read.conflict === undefined) return undefined;
  const clause = [...text.slice(0, read.conflict.start).matchAll(/\bon\s+conflict\b/gi)].at(-1);
  if (clause === undefined) return undefined;
  const { start, end } = read.target;
  return [
    `create temporary table ${incoming} on commit drop as select * from ${text.slice(start, end)} with no data`,
    text.slice(0, start) + incoming + text.slice(end, clause.index),
  ];
}
