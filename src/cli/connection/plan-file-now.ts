import { relative } from 'node:path';
import type { Plan } from '../../core/plan/model/plan.ts';
import type { PlanRequest } from '../../core/plan/model/plan-request.ts';
import { prepareJobs } from '../../core/run/jobs/prepare-jobs.ts';
import { makePlanFile } from '../../core/run/reviewed/make-plan-file.ts';
import type { PlanFile } from '../../core/run/reviewed/plan-file.ts';
import { targetState } from '../../core/run/reviewed/target-state.ts';
import type { UnitJob } from '../../core/run/unit/unit-job.ts';
import type { Warehouse } from '../../core/warehouse/port/ports.ts';
import { digest } from '../../node/digest.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { placesOf, unitOptions } from '../../node/run-setup.ts';
import { type Shell, UsageError } from '../terminal/shell.ts';

export interface PlanNow {
  readonly workspace: Workspace;
  readonly request: PlanRequest;
  readonly plan: Plan;
  readonly title: string;
  readonly connection: string;
  /** As its warehouse says it. */
  readonly target: string;
  /** `undefined`: the database is not looked at. */
  readonly warehouse: Warehouse | undefined;
}

/** A plan as its file would be written now, by the settings of `backfill.yaml` alone. Throws {@link WarehouseError}. */
export async function planFileNow(
  { workspace, request, plan, title, connection, target, warehouse }: PlanNow,
  { env }: Shell,
): Promise<PlanFile> {
  const { config, facts, root } = workspace;
  const options = unitOptions(config, config.connections.get(connection)?.settings ?? {}, connection);
  const prepared = prepareJobs(
    plan,
    facts,
    config.declared,
    { run: 'plan', variables: config.variables, params: config.params, options },
    placesOf(config, connection, env),
  );
  refuseOnLakes(prepared.jobs.values());
  return makePlanFile(
    {
      title,
      request,
      plan,
      prepared,
      connection,
      target: withinWorkspace(target, root),
      options,
      state: warehouse && (await targetState(warehouse, [...prepared.jobs.values()], digest)),
      filesOf: (task) => filesOf(workspace, task),
      text: workspace.text,
      configFile: config.file,
    },
    digest,
  );
}

/** What is in the tables of a lake is not looked at, so that nobody could tell later whether the plan still stands. */
function refuseOnLakes(jobs: Iterable<UnitJob>): void {
  for (const { task, place } of jobs)
    if (place?.kind === 'lake')
      throw new UsageError(
        `a plan file is not there for tasks on a lake, and ${task} writes files of ${place.connection}`,
        'plan without --out, and run the same selection',
      );
}

/** An embedded database is the same one wherever its workspace was checked out. */
const withinWorkspace = (target: string, root: string): string =>
  target.startsWith('pglite:') ? `pglite:${relative(root, target.slice('pglite:'.length))}` : target;

/** The file of a task's pipeline and those of its SQL. */
export function filesOf({ facts }: Workspace, task: string): readonly string[] {
  const known = facts.tasks.get(task);
  if (known === undefined) return [];
  const sql = known.task.sql.flatMap(({ source }) => source.pieces.map((piece) => piece.source.file));
  return [...new Set([known.pipeline.file, ...sql])];
}
