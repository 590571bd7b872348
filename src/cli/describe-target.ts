import { relative } from 'node:path';
import type { Plan } from '../core/plan/plan.ts';
import type { ConnectionConfig } from '../core/warehouse/connection-config.ts';
import { resolveConnection } from '../node/config/resolve-connection.ts';
import type { Workspace } from '../node/load-workspace.ts';
import type { Shell } from './shell.ts';
import { connectionName } from './target.ts';

/** Where a plan would run, in words and without secrets, as far as it is known without connecting. */
export function describeTarget(
  workspace: Workspace,
  named: string | undefined,
  plan: Plan,
  shell: Shell,
): string | undefined {
  const resolved = resolveConnection(
    workspace.config,
    connectionName(workspace, named, airflowIdsOf(plan)),
    workspace.root,
    shell.env,
  );
  if ('connection' in resolved) return connectionText(resolved.connection, workspace.root);
  return named === undefined && workspace.config.connections.size === 0
    ? undefined
    : `unknown: ${resolved.problem.message}`;
}

export const airflowIdsOf = (plan: Plan): readonly (string | undefined)[] =>
  plan.units.flatMap(({ executor }) => (executor.kind === 'warehouse' ? [executor.connection] : []));

function connectionText(connection: ConnectionConfig, root: string): string {
  if (connection.engine === 'pglite')
    return `${connection.name} (pglite in ${relative(root, connection.directory) || '.'})`;
  const { host, port, database, user, service } = connection;
  if (service !== undefined) return `${connection.name} (postgres, service ${service})`;
  const place = `${host ?? 'PGHOST'}${port === undefined ? '' : `:${port}`}/${database ?? 'PGDATABASE'}`;
  return `${connection.name} (postgres ${user === undefined ? '' : `${user}@`}${place})`;
}
