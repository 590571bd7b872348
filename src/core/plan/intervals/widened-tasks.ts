import { windowInWords } from '../../lineage/facts/window-words.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { Plan, Reason } from '../model/plan.ts';
import type { PlannableTask, PlanRequest } from '../model/plan-request.ts';
import type { TaskGraph } from '../tasks/task-graph.ts';
import type { KeptInterval } from './expand-tasks.ts';

/** Tasks of the plan that run outside the range that was selected, and why. */
export function widenedTasks(
  graph: TaskGraph,
  kept: ReadonlyMap<TaskId, readonly KeptInterval[]>,
  request: PlanRequest,
): Plan['widened'] {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  if (request.selection.kind === 'data-range') {
    from = request.selection.from;
    to = request.selection.to;
  } else {
    for (const intervals of kept.values()) {
      for (const { interval, reasons } of intervals) {
        if (!reasons.some((reason) => reason.kind === 'selected')) continue;
        from = Math.min(from, interval.start);
        to = Math.max(to, interval.next);
      }
    }
  }
  const without = new Set(request.without);
  const widened: Plan['widened'][number][] = [];
  for (const task of graph.tasks.values()) {
    const intervals = kept.get(task.id) ?? [];
    const first = intervals[0];
    const last = intervals.at(-1);
    if (first === undefined || last === undefined || without.has(task.id)) continue;
    const outside = intervals.filter(({ interval }) => interval.start < from || interval.next > to);
    if (outside.length === 0) continue;
    const because = [...new Set(outside.flatMap(({ reasons }) => reasons.map((reason) => cause(task, reason))))];
    widened.push({
      task: task.id,
      from: first.interval.start,
      to: last.interval.next,
      because: because.join('; '),
    });
  }
  return widened;
}

function cause(task: PlannableTask, reason: Reason): string {
  switch (reason.kind) {
    case 'selected':
      return 'its intervals reach beyond the range that was given';
    case 'own-tail':
      return task.lastRunWins
        ? 'each run rewrites its whole table, so the newest finished interval has to come last'
        : 'it reads its own earlier output, so everything up to the last finished interval is redone';
    case 'by-order':
      return `it follows ${reason.parent} by order`;
    case 'reads-parent': {
      const windows = task.reads
        .filter((read) => read.parent === reason.parent && read.table === reason.table)
        .map((read) => windowInWords(read.window));
      return `it reads ${[...new Set(windows)].join(' and ')} of ${reason.table}`;
    }
  }
}
