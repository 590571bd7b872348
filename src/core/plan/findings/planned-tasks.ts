import type { TaskId } from '../../pipeline/model/model.ts';
import type { Instant } from '../../time/zones/instant.ts';
import type { PlanUnit } from '../model/plan.ts';

/** Tasks with a unit in the plan, in the order in which they first come. */
export const tasksOf = (units: readonly PlanUnit[]): readonly TaskId[] => [...new Set(units.map((unit) => unit.task))];

/** The intervals of a task that are planned, by their starts. */
export const startsOf = (units: readonly PlanUnit[], id: TaskId): ReadonlySet<Instant> =>
  new Set(units.filter((unit) => unit.task === id).map((unit) => unit.start));
