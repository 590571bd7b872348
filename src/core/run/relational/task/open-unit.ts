import type { KnownFigures } from '../../../diff/take-figures.ts';
import type { TypeCache } from '../../../warehouse/catalog/describe-tables.ts';
import type { Session, WarehouseDescription } from '../../../warehouse/port/ports.ts';
import type { StartSettings } from '../../session/session-settings.ts';
import type { Target } from '../../tables/target.ts';
import type { UnitJob } from '../../unit/unit-job.ts';
import type { Position } from './position.ts';
import type { TaskPlan } from './task-plan.ts';

/** A unit's transaction, open, fenced and locked, with the savepoint of the unit set. */
export interface OpenUnit {
  readonly session: Session;
  readonly job: UnitJob;
  readonly plan: TaskPlan & { readonly kind: 'ready' };
  readonly targets: readonly Target[];
  readonly position: Position;
  readonly start: StartSettings;
  readonly server: WarehouseDescription;
  readonly types: TypeCache;
  /** By target: what its slice was when its last version was made. */
  readonly known?: readonly (KnownFigures | undefined)[];
}
