import type { Problem } from '../../core/text/span.ts';
import type { ConnectionConfig } from '../../core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../../core/warehouse/port/ports.ts';
import { connectionFor, ledgerOf, resolveConnection, type TaskPlace } from '../../node/config/resolve-connection.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { openWarehouse } from '../../warehouses/open.ts';
import { type Shell, UsageError } from '../terminal/shell.ts';

export interface Target {
  readonly warehouse: Warehouse;
  readonly connection: ConnectionConfig;
}

/**
 * The connection of a run: the one that was named, else what the tasks name, else the default one. Where tasks of a plan name a lake and
 * the database that has its ledger, it is that database, whichever of them was named.
 */
export function connectionName(
  workspace: Workspace,
  named: string | undefined,
  places: readonly TaskPlace[],
  env: Shell['env'],
): string | undefined {
  const { config } = workspace;
  const meant = new Set(places.map((place) => connectionFor(config, place, env) ?? config.defaultConnection));
  const home = (name: string | undefined) => name && ledgerOf(config, name);
  if (named !== undefined) {
    const isBeside = (name: string | undefined): boolean => name !== named && home(name) === home(named);
    return [...meant].some(isBeside) ? home(named) : named;
  }
  const [only] = meant;
  if (meant.size === 1) return only;
  const homes = new Set([...meant].map(home));
  return homes.size === 1 ? home(only) : config.defaultConnection;
}

/** The name of a connection where a command that names none would not take it. */
export const toName = ({ config }: Workspace, { name }: ConnectionConfig): string | undefined =>
  name === config.defaultConnection ? undefined : name;

/** Opens the database of a run; what is missing in the configuration is a problem, what the server says is thrown. `makes`: as for {@link openWarehouse}. */
export async function openTarget(
  workspace: Workspace,
  name: string | undefined,
  shell: Shell,
  makes: boolean,
): Promise<Target | { readonly problem: Problem }> {
  const resolved = resolveConnection(workspace.config, name, workspace.root, shell.env);
  if ('problem' in resolved) return resolved;
  return { connection: resolved.connection, warehouse: await openWarehouse(resolved.connection, makes) };
}

/** Throws a usage error where the tables of a connection are files: `what` is not there for them. */
export function refuseLake({ lake, description }: Warehouse, what: string, instead: string): void {
  if (lake === undefined) return;
  throw new UsageError(`${what} is not there for ${description.target}`, instead);
}
