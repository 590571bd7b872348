import type { TaskId } from '../../pipeline/model/model.ts';
import type { Instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import type { UnitId } from './plan.ts';

/** `dag.task@2026-11-28T00:00:00Z`. */
export const unitId = (task: TaskId, start: Instant): UnitId => `${task}@${toIso(start)}`;

/** The task that a unit is of. */
export const taskOfUnit = (unit: UnitId): TaskId => unit.slice(0, unit.lastIndexOf('@'));
