import type { Session } from '../../warehouse/port/ports.ts';

/** What a session keeps of its work beside settings of the transaction: cursors, temporary tables, settings, prepared statements. */
const forgetting = ['close all', 'discard temp', 'reset all', 'deallocate all'];

/** Of all schemas: what can wait for the end of a transaction and does not begin so. */
const beginsAtOnce = `select pg_catalog.string_agg(distinct pg_catalog.format('%I.%I', n.nspname, c.conname), ', ')
from pg_catalog.pg_constraint c join pg_catalog.pg_namespace n on n.oid = c.connamespace
where c.condeferrable and not c.condeferred`;

/**
 * Makes the session what a transaction of its own would find, so that another run within this one meets no traces of the
 * one before. Constraints that were checked at once at its end wait again where they are declared to.
 */
export async function renewSession(session: Session): Promise<void> {
  for (const statement of forgetting) await session.query(statement);
  await session.query('set constraints all deferred');
  const names = (await session.query(beginsAtOnce)).rows[0]?.[0];
  if (names !== null && names !== undefined) await session.query(`set constraints ${names} immediate`);
}
