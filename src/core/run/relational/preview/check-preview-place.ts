import type { Warehouse } from '../../../warehouse/port/ports.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { UnitJob } from '../../unit/unit-job.ts';
import { missingTargets } from './missing-targets.ts';

/** A connection that previews go to instead of the one that a run would use. */
export interface PreviewPlace {
  readonly connection: string;
  readonly insteadOf: string;
  /** The database behind `insteadOf`; `undefined` where that cannot be looked up: then it is not what was opened. */
  readonly realTarget: string | undefined;
}

/**
 * Looks at the database that a preview goes to instead: it must be another one, and have the tables. Throws
 * {@link WarehouseError}: nothing is previewed then, least of all on the real one.
 */
export async function checkPreviewPlace(
  warehouse: Warehouse,
  { connection, insteadOf, realTarget }: PreviewPlace,
  jobs: readonly UnitJob[],
): Promise<void> {
  const { target } = warehouse.description;
  if (realTarget === target) {
    throw new WarehouseError('other', `${connection} is the same database as ${insteadOf}: ${target}.`, false, {
      hint: `Nothing was previewed. Name another database, or preview on ${insteadOf} itself.`,
    });
  }
  const missing = await missingTargets(warehouse, jobs);
  if (missing.length > 0) {
    throw new WarehouseError(
      'missing',
      `There is no ${missing.join(', ')} in ${target} (connection ${connection}).`,
      false,
      {
        sqlState: '42P01',
        hint: `Nothing was previewed. Make ${connection} a clone of ${insteadOf} again, or let previews go to another one.`,
      },
    );
  }
}
