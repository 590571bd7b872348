import { catalogWritesSql } from '../../warehouse/dialects/postgres/effects/lasting-sql.ts';
import { quoteLiteral } from '../../warehouse/dialects/postgres/quote.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { UnitOptions } from '../unit/unit-job.ts';

type Settings = Readonly<Record<string, string>>;

/** Nobody waits or runs for ever, whatever the task sets. */
export const protectiveSettings = (options: UnitOptions): Settings => ({
  lock_timeout: `${options.lockTimeoutMs}ms`,
  statement_timeout: `${options.statementTimeoutMs}ms`,
  idle_in_transaction_session_timeout: `${options.leaseMs}ms`,
  jit: 'off',
});

/** Text forms that do not depend on the session, for types that have no binary form. */
export const pinnedTextSettings: Settings = {
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  extra_float_digits: '3',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  array_nulls: 'on',
  xmloption: 'content',
};

/** Where a target has row security: it must not hide rows from the figures, or must say so. */
export const unhidden: Settings = { row_security: 'off' };

/** Settings as they were, so that they can be put back. */
export interface StartSettings {
  readonly role: string;
  readonly rowSecurity: string;
}

/** Sets all of them for the rest of the transaction, in one statement, and tells which transaction that is. */
export async function applySettings(session: Session, ...groups: readonly Settings[]): Promise<string | undefined> {
  return (await set(session, ['pg_catalog.txid_current_if_assigned()'], groups))[0] ?? undefined;
}

/** The same after a statement of a task: tells which transaction that is, and how much the catalogs were written to. */
export async function settleStatement(
  session: Session,
  ...groups: readonly Settings[]
): Promise<{ readonly transaction: string | undefined; readonly catalogWrites: string }> {
  const read = ['pg_catalog.txid_current_if_assigned()', catalogWritesSql];
  const [transaction, catalogWrites] = await set(session, read, groups);
  return { transaction: transaction ?? undefined, catalogWrites: catalogWrites ?? '' };
}

/** Sets all of them for the session, outside of any transaction. */
export async function keepSettings(session: Session, ...groups: readonly Settings[]): Promise<void> {
  await set(session, ['null::text'], [readable, ...groups], false);
}

/** The first settings of a unit's transaction; tells what the session had before. */
export async function enterTransaction(session: Session, ...groups: readonly Settings[]): Promise<StartSettings> {
  const before = ["pg_catalog.current_setting('role')", "pg_catalog.current_setting('row_security')"];
  const [role, rowSecurity] = await set(session, before, [readable, ...groups]);
  return { role: role ?? 'none', rowSecurity: rowSecurity ?? 'on' };
}

/** Pins the text forms, runs the work, and puts the settings back as they were. */
export async function withPinnedText<T>(session: Session, work: () => Promise<T>): Promise<T> {
  const names = Object.keys(pinnedTextSettings);
  const current = names.map((name) => `pg_catalog.current_setting(${quoteLiteral(name)})`);
  const before = await set(session, current, [pinnedTextSettings]);
  const done = await work();
  await applySettings(session, Object.fromEntries(names.map((name, index) => [name, before[index] ?? ''])));
  return done;
}

/** Rows of several slices are put side by side in memory; the server's own measure is for one statement of many. */
const comparingMemory = 64 * 2 ** 20;

/** Does work of our own that compares this many rows: of many, with as much memory as that takes, whatever the server gives by default. */
export async function withMemoryFor<T>(session: Session, rows: number, work: () => Promise<T>): Promise<T> {
  if (rows < 20_000) return work();
  const asked = `select pg_catalog.current_setting('work_mem'), pg_catalog.pg_size_bytes(pg_catalog.current_setting('work_mem'))`;
  const [before, bytes] = (await session.query(asked)).rows[0] ?? [];
  if (before === null || before === undefined || Number(bytes) >= comparingMemory) return work();
  await applySettings(session, { work_mem: `${comparingMemory / 1024}kB` });
  const done = await work();
  await applySettings(session, { work_mem: before });
  return done;
}

/** Rows can be sent as they are, also for their checksums. */
const readable: Settings = { client_encoding: 'UTF8' };

/** A database that does not look at its bytes may hold some that are no UTF-8, which the server would refuse to send as such. */
const utf8 = `case pg_catalog.current_setting('server_encoding') when 'SQL_ASCII' then 'SQL_ASCII' else 'UTF8' end`;

async function set(
  session: Session,
  first: readonly string[],
  groups: readonly Settings[],
  local = true,
): Promise<readonly (string | null)[]> {
  const settings = Object.entries(Object.assign({}, ...groups) as Settings);
  const calls = settings.map(
    ([name, value]) =>
      `pg_catalog.set_config(${quoteLiteral(name)}, ${name === 'client_encoding' && value === 'UTF8' ? utf8 : quoteLiteral(value)}, ${local})`,
  );
  // A select list is evaluated from the left, so what comes first is still as it was.
  return (await session.query(`select ${[...first, ...calls].join(', ')}`)).rows[0] ?? [];
}
