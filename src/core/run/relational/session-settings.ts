import { quoteLiteral } from '../../warehouse/dialects/postgres/quote.ts';
import type { Session } from '../../warehouse/ports.ts';
import type { UnitOptions } from '../unit-job.ts';

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
};

/** What figures are taken under: row security must not hide rows, or must say so. */
export const figureSettings: Settings = { row_security: 'off', client_encoding: 'UTF8' };

/** Settings as they were, so that they can be put back. */
export interface StartSettings {
  readonly role: string;
  readonly rowSecurity: string;
}

/** Sets all of them for the rest of the transaction, in one statement, and tells which transaction that is. */
export async function applySettings(session: Session, ...groups: readonly Settings[]): Promise<string | undefined> {
  const settings = Object.entries(Object.assign({}, ...groups) as Settings);
  const calls = settings.map(
    ([name, value]) => `pg_catalog.set_config(${quoteLiteral(name)}, ${quoteLiteral(value)}, true)`,
  );
  const result = await session.query(`select ${['pg_catalog.txid_current_if_assigned()', ...calls].join(', ')}`);
  return result.rows[0]?.[0] ?? undefined;
}

export async function readStartSettings(session: Session): Promise<StartSettings> {
  const result = await session.query(
    "select pg_catalog.current_setting('role'), pg_catalog.current_setting('row_security')",
  );
  const [role, rowSecurity] = result.rows[0] ?? [];
  return { role: role ?? 'none', rowSecurity: rowSecurity ?? 'on' };
}
