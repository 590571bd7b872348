import { missingTargets } from '../core/run/relational/missing-targets.ts';
import type { UnitJob } from '../core/run/unit-job.ts';
import { WarehouseError } from '../core/warehouse/warehouse-error.ts';
import { resolveConnection } from '../node/config/resolve-connection.ts';
import type { Workspace } from '../node/load-workspace.ts';
import { targetOf } from '../warehouses/open.ts';
import { targetText } from './describe-target.ts';
import type { Shell } from './shell.ts';
import type { Target } from './target.ts';

/**
 * Looks at the connection that a preview goes to instead of the run's own: it must be another database, and have the
 * tables. Throws {@link WarehouseError}: nothing was previewed, least of all on the run's own database.
 */
export async function checkPreviewPlace(
  { warehouse, connection }: Target,
  runsOn: string | undefined,
  jobs: readonly UnitJob[],
  { workspace, shell }: { readonly workspace: Workspace; readonly shell: Shell },
): Promise<void> {
  const { target } = warehouse.description;
  const real = resolveConnection(workspace.config, runsOn, workspace.root, shell.env);
  // Where the real one cannot be looked up, it is not what was opened either.
  const realTarget = 'problem' in real ? undefined : await targetOf(real.connection).catch(() => undefined);
  if (realTarget === target) {
    throw new WarehouseError('other', `${connection.name} is the same database as ${runsOn}: ${target}.`, false, {
      hint: `Nothing was previewed. Name another database, or preview on ${runsOn} itself.`,
    });
  }
  const missing = await missingTargets(warehouse, jobs);
  if (missing.length > 0) {
    const where = targetText(connection.name, target);
    throw new WarehouseError('missing', `There is no ${missing.join(', ')} in ${where}.`, false, {
      sqlState: '42P01',
      hint: `Nothing was previewed. Make ${connection.name} a clone of ${runsOn} again, or name another with --preview-on.`,
    });
  }
}
