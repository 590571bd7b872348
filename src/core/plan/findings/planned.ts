import type { TaskId } from '../../pipeline/model/model.ts';
import type { Expansion } from '../intervals/expand-tasks.ts';
import type { PlanUnit } from '../model/plan.ts';
import type { PlannableTask, PlanRequest } from '../model/plan-request.ts';
import type { TaskGraph } from '../tasks/task-graph.ts';
import type { OldestFirst } from '../units/newest-first.ts';
import type { UnitNode } from '../units/unit-graph.ts';

/** A plan that is made, with all that it was made of: what its findings are found in. */
export interface Planned {
  readonly tasks: readonly PlannableTask[];
  readonly request: PlanRequest;
  readonly graph: TaskGraph;
  readonly expansion: Expansion;
  readonly units: readonly PlanUnit[];
  readonly cycle: readonly UnitNode[];
  /** Tasks that stay oldest first where the newest intervals were asked for first; `undefined`: they were not. */
  readonly stay: ReadonlyMap<TaskId, OldestFirst> | undefined;
}
