import type { Plan } from '../../core/plan/model/plan.ts';
import type { UnitJob } from '../../core/run/unit/unit-job.ts';
import type { ConnectionConfig, LakeConnection } from '../../core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../../core/warehouse/port/ports.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { resolveConnection, type TaskPlace } from '../../node/config/resolve-connection.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { sparkAddress, targetOf } from '../../warehouses/open.ts';
import type { Shell } from '../terminal/shell.ts';
import { connectionName, type Target } from './target.ts';

/** Where a plan would run, in the words of a run and without connecting; `undefined` when no connection is set up. */
export async function describeTarget(
  workspace: Workspace,
  named: string | undefined,
  plan: Plan,
  jobs: Iterable<UnitJob>,
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
    const { connection } = resolved;
    return targetText(connection.name, withLakes(await targetOf(connection), lakesOf(connection, jobs)));
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

/** Where units are carried out, for the eye and for whoever confirms it. */
export interface RunPlace {
  /** The connection whose name is typed where the place is protected. */
  readonly name: string;
  readonly description: Pick<Warehouse['description'], 'target' | 'protected'>;
}

/** A database with the lakes beside it that jobs are on: protected where one of them is. */
export function describedFor({ warehouse, connection }: Target, jobs: Iterable<UnitJob>): RunPlace {
  const { description } = warehouse;
  const lakes = lakesOf(connection, jobs);
  const guarded = description.protected ? connection.name : lakes.find((lake) => lake.protected)?.name;
  return {
    name: guarded ?? connection.name,
    description: { target: withLakes(description.target, lakes), protected: guarded !== undefined },
  };
}

/** The lakes beside a database that jobs are on. */
function lakesOf(connection: ConnectionConfig, jobs: Iterable<UnitJob>): readonly LakeConnection[] {
  if (connection.engine === 'spark') return [];
  const names = new Set([...jobs].flatMap(({ place }) => (place?.kind === 'lake' ? [place.connection] : [])));
  return (connection.lakes ?? []).filter(({ name }) => names.has(name));
}

const withLakes = (target: string, lakes: readonly LakeConnection[]): string =>
  lakes.length === 0
    ? target
    : `${target} with ${lakes.map(({ name, url }) => `${name} at ${sparkAddress(url)}`).join(' and ')}`;
