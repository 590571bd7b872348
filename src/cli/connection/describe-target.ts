import type { Plan } from '../../core/plan/model/plan.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { resolveConnection, type TaskPlace } from '../../node/config/resolve-connection.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { targetOf } from '../../warehouses/open.ts';
import type { Shell } from '../terminal/shell.ts';
import { connectionName } from './target.ts';

/** Where a plan would run, in the words of a run and without connecting; `undefined` when no connection is set up. */
export async function describeTarget(
  workspace: Workspace,
  named: string | undefined,
  plan: Plan,
  shell: Shell,
): Promise<string | undefined> {
  const { config, root } = workspace;
  const resolved = resolveConnection(
    config,
    connectionName(workspace, named, taskPlaces(plan), shell.env),
    root,
    shell.env,
  );
  if ('problem' in resolved) {
    return named === undefined && config.connections.size === 0 ? undefined : `unknown: ${resolved.problem.message}`;
  }
  try {
    return targetText(resolved.connection.name, await targetOf(resolved.connection));
  } catch (error) {
    if (error instanceof WarehouseError) return `unknown: ${error.message}`;
    throw error;
  }
}

/** The database of a connection without connecting to it; `undefined` where that cannot be told. */
export async function realTargetOf(
  { config, root }: Workspace,
  name: string,
  shell: Shell,
): Promise<string | undefined> {
  const resolved = resolveConnection(config, name, root, shell.env);
  return 'problem' in resolved ? undefined : targetOf(resolved.connection).catch(() => undefined);
}

/** A target with the name of its connection. */
export const targetText = (connection: string, target: string): string => `${target} (connection ${connection})`;

/** Where the operators of a plan's tasks say that they run. */
export const taskPlaces = (plan: Plan): readonly TaskPlace[] =>
  plan.units.flatMap(({ executor }) =>
    executor.kind === 'warehouse' ? [{ airflowId: executor.connection, database: executor.database }] : [],
  );
