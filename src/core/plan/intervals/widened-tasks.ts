import type { ReadWindow } from '../../lineage/facts/facts.ts';
import { windowRange } from '../../lineage/facts/window-range.ts';
import { windowInWords } from '../../lineage/facts/window-words.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import { daysInWords } from '../../time/intervals/days-in-words.ts';
import { formatInterval } from '../../time/intervals/format-interval.ts';
import type { InstantRange } from '../../time/intervals/interval-set.ts';
import { beginningOfTime, endOfTime, instant } from '../../time/zones/instant.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { Plan, Reason } from '../model/plan.ts';
import type { PlannableTask, PlanRequest } from '../model/plan-request.ts';
import type { TaskGraph } from '../tasks/task-graph.ts';
import type { KeptInterval } from './expand-tasks.ts';
import { daysWritten, writesWithin } from './picked-runs.ts';

/** Tasks of the plan of which a run writes data outside of what was selected, and why; `from` and `to` of all their runs. */
export function widenedTasks(
  graph: TaskGraph,
  kept: ReadonlyMap<TaskId, readonly KeptInterval[]>,
  request: PlanRequest,
): Plan['widened'] {
  const range = selectedDays(graph, kept, request);
  const without = new Set(request.without);
  const widened: Plan['widened'][number][] = [];
  for (const task of graph.tasks.values()) {
    const intervals = kept.get(task.id) ?? [];
    if (intervals.length === 0 || without.has(task.id)) continue;
    const isWithin = writesWithin(task, range);
    const outside = intervals.filter(({ interval }) => !isWithin(interval));
    if (outside.length === 0) continue;
    // The newest shows a window best: it is the one that reaches farthest.
    const newest = outside.reduce((last, one) => (one.interval.start > last.interval.start ? one : last));
    const because = [
      ...new Set(outside.flatMap(({ reasons }) => reasons.map((reason) => cause(task, reason, newest.interval.data)))),
    ];
    widened.push({ task: task.id, ...spanOfRuns(task, intervals), because: because.join('; ') });
  }
  return widened;
}

function selectedDays(
  graph: TaskGraph,
  kept: ReadonlyMap<TaskId, readonly KeptInterval[]>,
  { selection }: PlanRequest,
): InstantRange {
  if (selection.kind === 'data-range') return selection;
  let from: number = endOfTime;
  let to: number = beginningOfTime;
  for (const task of graph.tasks.values()) {
    const selected = (kept.get(task.id) ?? []).filter(({ reasons }) => reasons.some(({ kind }) => kind === 'selected'));
    if (selected.length === 0 || task.fullRefresh === true) continue;
    const days = hull(task, selected);
    from = Math.min(from, days.from);
    to = Math.max(to, days.to);
  }
  return { from: instant(from), to: instant(to) };
}

function hull(task: PlannableTask, intervals: readonly KeptInterval[]): InstantRange {
  const days = intervals.map(({ interval }) => daysWritten(task, interval));
  return {
    from: instant(days.reduce((least, { from }) => Math.min(least, from), endOfTime as number)),
    to: instant(days.reduce((most, { to }) => Math.max(most, to), beginningOfTime as number)),
  };
}

/** From the start of the first data interval to the end of the last; where all are empty, the days that they write. */
function spanOfRuns(task: PlannableTask, intervals: readonly KeptInterval[]): InstantRange {
  const from = intervals.reduce((least, { interval }) => Math.min(least, interval.data.start), endOfTime as number);
  const to = intervals.reduce((most, { interval }) => Math.max(most, interval.data.end), beginningOfTime as number);
  return from < to ? { from: instant(from), to: instant(to) } : hull(task, intervals);
}

const refreshed = 'every run of it gives the same whole table, so one is enough, the newest';

/** `example`: an interval by whose dates a window is told. */
function cause(task: PlannableTask, reason: Reason, example: DataInterval): string {
  switch (reason.kind) {
    case 'selected':
      return task.fullRefresh === true ? refreshed : 'what its runs write reaches beyond the range that was given';
    case 'own-tail':
      return task.lastRunWins !== undefined
        ? task.writes.every(({ slice }) => slice.kind === 'range')
          ? 'each run rewrites rows that it shares with later ones, so the newest finished interval of those has to come last'
          : 'each run rewrites its whole table, so the newest finished interval of the table has to come last'
        : `${ownReadInWords(task)}, so everything up to the last finished interval is redone`;
    case 'by-order':
      return task.fullRefresh === true ? refreshed : `it follows ${reason.parent} by order`;
    case 'reads-parent': {
      if (task.fullRefresh === true) return refreshed;
      const windows = task.reads
        .filter((read) => read.parent === reason.parent && read.table === reason.table)
        .map((read) => readFor(example, read.window, task.zone));
      return `it reads ${[...new Set(windows)].join(' and ')} of ${reason.table}`;
    }
  }
}

/** It may be that no interval reads what another one wrote: of some tables that is not known. */
function ownReadInWords(task: PlannableTask): string {
  const own = task.reads.filter(({ parent }) => parent === task.id).map(({ table }) => table);
  const unknown = task.writes.filter(({ table, slice }) => own.includes(table) && slice.kind === 'unknown');
  const open = [...new Set(unknown.map(({ table }) => table))];
  return own.every((table) => open.includes(table))
    ? `it reads ${open.join(', ')}, of which it is not known what rows an interval writes`
    : 'it reads its own earlier output';
}

/** What an interval reads, by its dates where both ends of the window are known. */
function readFor(example: DataInterval, window: ReadWindow, zone: ZoneName): string {
  if (window.kind !== 'range' || window.lo.length === 0 || window.hi.length === 0) return windowInWords(window);
  return `${daysInWords(windowRange(window, example), zone)} (for ${formatInterval(example, zone)})`;
}
