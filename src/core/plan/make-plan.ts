import type { TaskId } from '../pipeline/model/model.ts';
import type { Instant } from '../time/zones/instant.ts';
import { planFindings } from './findings/plan-findings.ts';
import { type Expansion, expandTasks } from './intervals/expand-tasks.ts';
import { widenedTasks } from './intervals/widened-tasks.ts';
import type { Plan, PlanUnit } from './model/plan.ts';
import type { PlannableTask, PlanRequest } from './model/plan-request.ts';
import { unitId } from './model/unit-id.ts';
import { taskGraph } from './tasks/task-graph.ts';
import { blockers } from './units/blockers.ts';
import { leaveOut } from './units/leave-out.ts';
import { newestFirst } from './units/newest-first.ts';
import { orderUnits } from './units/order-units.ts';
import { type UnitNode, unitGraph } from './units/unit-graph.ts';
import { unitSlices } from './units/unit-slices.ts';

/**
 * Which units have to run for a request, why, and in which order. Pure: the clock is `request.now`, the ledger and
 * the warehouse are not asked. Parents of a selected task are never added. A plan is always returned; what stands
 * against it is in `findings`.
 */
export function makePlan(tasks: readonly PlannableTask[], request: PlanRequest): Plan {
  const graph = taskGraph(tasks, request.tasks, request.downstream);
  const expansion = expandTasks(graph, request);
  const oldest = unitGraph(graph, expansion.kept);
  const { ordered, cycle } = orderUnits(oldest, graph.rank);
  const newest = request.order === 'newest' && cycle.length === 0 ? newestFirst(oldest, ordered) : undefined;
  const nodes = newest?.nodes ?? oldest;
  const inOrder = newest === undefined ? ordered : orderUnits(nodes, graph.rank, newest).ordered;
  const remaining = leaveOut(inOrder, nodes, new Set(request.without));

  const byTask = new Map<TaskId, number[]>();
  for (const { task, index } of remaining) {
    const positions = byTask.get(task.id) ?? [];
    positions[index] = -1;
    byTask.set(task.id, positions);
  }
  for (const [position, { task, index }] of remaining.entries()) {
    const positions = byTask.get(task.id);
    if (positions !== undefined) positions[index] = position;
  }

  const units: PlanUnit[] = [];
  const blockerOf = blockers();
  const isPlanned = (id: TaskId, start: Instant): boolean => !request.without.includes(id) && startsOf(id).has(start);
  const startsOf = startsByTask(expansion);
  const fillersOf = fillersByTask();
  for (const node of remaining) {
    const { start } = node.kept.interval;
    const filledBy = fillersOf(node.task).filter((parent) => isPlanned(parent, start));
    units.push(planUnit(node, blockerOf(node), filledBy));
  }
  return {
    version: 1,
    now: request.now,
    units,
    byTask,
    findings: planFindings({ tasks, request, graph, expansion, units, cycle, stay: newest?.stay }),
    codeHashes: new Map([...byTask.keys()].map((id) => [id, graph.tasks.get(id)?.codeHash ?? ''])),
    widened: widenedTasks(graph, expansion.kept, request),
  };
}

/** For each task the starts of its units, gathered when first asked for. */
function startsByTask({ kept }: Expansion): (id: TaskId) => ReadonlySet<Instant> {
  const known = new Map<TaskId, ReadonlySet<Instant>>();
  return (id) => {
    const starts = known.get(id) ?? new Set((kept.get(id) ?? []).map(({ interval }) => interval.start));
    known.set(id, starts);
    return starts;
  };
}

/** For each task those that fill a stage for its runs, gathered when first asked for. */
function fillersByTask(): (task: PlannableTask) => readonly TaskId[] {
  const known = new Map<PlannableTask, readonly TaskId[]>();
  return (task) => {
    const fillers = known.get(task) ?? [
      ...new Set(task.reads.flatMap((read) => (read.sameRun === undefined ? [] : [read.parent]))),
    ];
    known.set(task, fillers);
    return fillers;
  };
}

function planUnit(node: UnitNode, blocker: TaskId | undefined, filledBy: readonly TaskId[]): PlanUnit {
  const { task, kept, waitsFor } = node;
  const { interval, reasons } = kept;
  return {
    id: unitId(task.id, interval.start),
    task: task.id,
    start: interval.start,
    next: interval.next,
    data: interval.data,
    reasons,
    waitsFor,
    executor: task.executor,
    slices: unitSlices(task, interval.data),
    ...(task.fullRefresh === true ? { standsForAll: true } : {}),
    ...(filledBy.length === 0 ? {} : { filledBy: filledBy.map((parent) => unitId(parent, interval.start)) }),
    ...(blocker === undefined ? {} : { blockedBy: blocker }),
  };
}
