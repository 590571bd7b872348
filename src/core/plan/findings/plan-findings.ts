import type { TaskId } from '../../pipeline/model/model.ts';
import { plural } from '../../text/plural.ts';
import { lastFinished } from '../../time/intervals/last-finished.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import { builtOn, type Expansion, hasOwnTail, type SkippedRead } from '../intervals/expand-tasks.ts';
import type { Plan, PlanFinding, PlanUnit, UnitSlice } from '../model/plan.ts';
import type { PlannableTask } from '../model/plan-request.ts';
import { unitSlices } from '../units/unit-slices.ts';
import { addsAgain } from './adds-again.ts';
import { emptySelections } from './empty-selections.ts';
import { oldestFirst } from './oldest-first.ts';
import { overNewer } from './over-newer.ts';
import type { Planned } from './planned.ts';
import { startsOf, tasksOf } from './planned-tasks.ts';
import { sourceFindings } from './source-findings.ts';
import { unmadeTables } from './unmade-tables.ts';

/** A plan with what was found out about it after it was made, gravest first. */
export const withFindings = (plan: Plan, found: readonly PlanFinding[]): Plan =>
  found.length === 0 ? plan : { ...plan, findings: bySeverity([...plan.findings, ...found]) };

/** Everything that a person should know before the first unit starts, gravest first. */
export function planFindings(planned: Planned): readonly PlanFinding[] {
  return bySeverity([
    ...emptySelections(planned),
    ...unloadable(planned),
    ...cycles(planned),
    ...addsAgain(planned),
    ...sourceFindings(planned),
    ...notRunnable(planned),
    ...skippedReads(planned),
    ...ownReads(planned),
    ...withoutTheirRun(planned),
    ...notRefilled(planned),
    ...leftOut(planned),
    ...notFinished(planned),
    ...unfinishedDays(planned),
    ...zeroWidths(planned),
    ...unmadeTables(planned),
    ...oldestFirst(planned),
    ...overNewer(planned),
  ]);
}

function bySeverity(findings: readonly PlanFinding[]): readonly PlanFinding[] {
  const order = { error: 0, warning: 1, info: 2 };
  return [...findings].sort((a, b) => order[a.severity] - order[b.severity]);
}

/** What a plan would run the scheduler itself never has: a date that it means may be another one, or none. */
function unloadable({ graph, units }: Planned): PlanFinding[] {
  return tasksOf(units).flatMap((id): PlanFinding[] => {
    const reason = graph.tasks.get(id)?.unloadable;
    if (reason === undefined) return [];
    const message = `The scheduler does not load the file of ${id}: ${reason}. Mend the file, or say under airflow in backfill.yaml which version runs it.`;
    return [{ code: 'not-loadable', severity: 'error', message, task: id }];
  });
}

function cycles({ cycle }: Planned): PlanFinding[] {
  if (cycle.length === 0) return [];
  const path = cycle.map((node) => `${node.task.id}@${toIso(node.kept.interval.start)}`).join(' → ');
  const message = `These intervals wait for each other, so none can be first: ${path}.`;
  return [{ code: 'cycle', severity: 'error', message, task: cycle[0]?.task.id }];
}

function notRunnable({ units }: Planned): PlanFinding[] {
  const behind = new Map<TaskId, number>();
  for (const { blockedBy } of units) {
    if (blockedBy !== undefined) behind.set(blockedBy, (behind.get(blockedBy) ?? 0) + 1);
  }
  // What only waits for others can run once those were run elsewhere.
  const canRun = units.some((unit) => unit.executor.kind !== 'none');
  const reasons = new Map<TaskId, string>();
  for (const { task, executor } of units) if (executor.kind === 'none') reasons.set(task, executor.reason);
  return [...reasons].map(([task, reason]) => {
    const blocked = behind.get(task) ?? 0;
    const rest =
      blocked === 0
        ? ''
        : ` ${plural(blocked, 'unit')} behind it ${blocked === 1 ? 'waits' : 'wait'} until a run is told that it was done elsewhere.`;
    const message = `${task} cannot be run from here: ${reason}.${rest}`;
    return { code: 'not-runnable', severity: canRun ? 'warning' : 'error', message, task };
  });
}

function skippedReads({ graph, expansion, request }: Planned): PlanFinding[] {
  const without = new Set(request.without);
  return expansion.skipped.flatMap((skipped): PlanFinding[] => {
    const task = graph.tasks.get(skipped.task);
    if (task === undefined || without.has(task.id)) return [];
    if (skipped.why === 'unknown-before') return earlierReads(skipped, task, expansion);
    const more = moreIntervals(task, skipped.from, expansion, request.now);
    const certain = skipped.why === 'no-grid' || skipped.why === 'no-beginning' || skipped.why === 'open-end';
    if (more === 0 && !certain) return [];
    return [skippedRead({ ...skipped, why: skipped.why }, task, more)];
  });
}

/** An unknown window that was expanded to later intervals on request, where there are earlier ones that are not planned. */
function earlierReads({ read }: SkippedRead, task: PlannableTask, { kept }: Expansion): PlanFinding[] {
  const first = kept.get(task.id)?.[0]?.interval.start;
  const before = first === undefined ? undefined : task.grid?.containing(instant(first - 1));
  if (before === undefined) return [];
  const reason = read.window.kind === 'unknown' ? ` (${read.window.reason})` : '';
  const message = `What ${task.id} reads of ${read.table} for one interval is not known${reason}: its later intervals are planned, and whether those before ${toIso(before.next)} read what changes is not known. Declare the window, or plan them as well.`;
  return [{ code: 'unknown-window', severity: 'warning', message, task: task.id }];
}

function skippedRead(
  { read, why, from }: SkippedRead & { readonly why: Exclude<SkippedRead['why'], 'unknown-before'> },
  task: PlannableTask,
  more: number,
): PlanFinding {
  const offer = `${plural(more, 'interval')} from ${toIso(from)} on can be added by expanding it`;
  const { table, parent } = read;
  switch (why) {
    case 'unknown': {
      const reason = read.window.kind === 'unknown' ? read.window.reason : '';
      const message = `What ${task.id} reads of ${table} for one interval is not known (${reason}), so it was not expanded; ${offer}, and whether earlier ones read what changes is not known either. Declare the window.`;
      return { code: 'unknown-window', severity: 'warning', message, task: task.id };
    }
    case 'no-grid': {
      const reason = task.noGrid ?? 'its schedule gives no data intervals';
      const message = `${task.id} reads ${table}, which ${parent} rewrites, but cannot be planned: ${reason}. What it and the tasks after it write stays as it is.`;
      return { code: 'not-runnable', severity: 'warning', message, task: task.id };
    }
    case 'whole-table': {
      const message = `${parent} rewrites the whole of ${table}; ${task.id} is planned only where it reads the planned intervals; ${offer}.`;
      return { code: 'unbounded-read', severity: 'info', message, task: task.id };
    }
    case 'open-end': {
      const message = `${task.id} reads ${table} without an upper end, so all its earlier intervals may read what changes too; only those up to their own end are planned; expanding it adds the others.`;
      return { code: 'unbounded-read', severity: 'warning', message, task: task.id };
    }
    case 'no-beginning': {
      const message = `${task.id} reads ${table} in a way that touches every earlier interval, and its schedule has no start date; the plan does not go back without end. Give the DAG a start date.`;
      return { code: 'unbounded-read', severity: 'warning', message, task: task.id };
    }
    case 'unbounded': {
      const message = `${task.id} has no time predicate on ${table}, so every interval may read what changes; it was not expanded; ${offer}.`;
      return { code: 'unbounded-read', severity: 'warning', message, task: task.id };
    }
  }
}

/** Finished intervals from `from` on that are not in the plan. */
function moreIntervals(task: PlannableTask, from: Instant, { kept }: Expansion, now: Instant): number {
  const horizon = task.grid === undefined ? undefined : lastFinished(task.grid, now)?.next;
  if (task.grid === undefined || horizon === undefined || from >= horizon) return 0;
  const planned = (kept.get(task.id) ?? []).filter(({ interval }) => interval.next > from).length;
  return task.grid.overlapping(instant(Math.max(from, -8.64e15)), horizon).length - planned;
}

function ownReads({ graph, expansion, request, units }: Planned): PlanFinding[] {
  const findings: PlanFinding[] = [];
  for (const id of tasksOf(units)) {
    const task = graph.tasks.get(id);
    const first = expansion.kept.get(id)?.[0]?.interval;
    if (task?.grid === undefined || first === undefined) continue;
    for (const read of builtOn(task)) {
      if (hasOwnTail(task, request.expandUnbounded)) {
        const before = task.grid.containing(instant(first.start - 1));
        if (before === undefined) continue;
        const message = `${id} builds on its own earlier output: the interval before the first planned one, from ${toIso(before.start)}, is not in the plan and must be right already.`;
        // A column that holds the year alone is not bounded by days.
        const inParts = task.writes.some(
          ({ table, slice }) => table === read.table && slice.kind === 'range' && slice.inParts === true,
        );
        const needs = unitSlices(task, before.data).find(
          ({ table, column }) => table === read.table && column !== undefined && !inParts,
        );
        findings.push({ code: 'missing-previous', severity: 'info', message, task: id, ...(needs && { needs }) });
        break;
      }
      const more = moreIntervals(task, first.start, expansion, request.now);
      if (more === 0 || read.window.kind === 'range') continue;
      const [code, how] =
        read.window.kind === 'unknown'
          ? ([
              'unknown-window',
              `reads a part of its own table ${read.table} that is not known (${read.window.reason})`,
            ] as const)
          : (['unbounded-read', `reads its own table ${read.table} without a time predicate`] as const);
      const message = `${id} ${how}; its later intervals were not expanded: ${plural(more, 'interval')} can be added.`;
      findings.push({ code, severity: 'warning', message, task: id });
    }
  }
  return findings;
}

/** A staging table holds the rows of one run: an interval that is planned without them would take another's. */
function withoutTheirRun({ tasks, units }: Planned): PlanFinding[] {
  const starts = new Map(tasksOf(units).map((id) => [id, startsOf(units, id)]));
  return tasks.flatMap(({ id, reads }): PlanFinding[] => {
    const own = [...(starts.get(id) ?? [])];
    if (own.length === 0) return [];
    return reads.flatMap(({ parent, table, sameRun }): PlanFinding[] => {
      if (sameRun === undefined) return [];
      const missing = own.filter((start) => starts.get(parent)?.has(start) !== true).length;
      if (missing === 0) return [];
      const which = `${plural(missing, 'interval')} of ${id}`;
      const message = `${parent} fills ${table} anew in each run, and ${which} would read whatever it holds now instead of the rows of ${missing === 1 ? 'its' : 'their'} own run. Select ${parent} as well.`;
      return [{ code: 'missing-previous', severity: 'error', message, task: id }];
    });
  });
}

/** What a cascade empties would stay empty: who fills it has to run behind it. */
function notRefilled({ tasks, units }: Planned): PlanFinding[] {
  const planned = new Set(tasksOf(units));
  const lost = new Map<string, { parent: TaskId; table: string; by: TaskId[] }>();
  for (const { id, reads } of tasks) {
    for (const { parent, table, refills } of reads) {
      if (refills !== true || !planned.has(parent)) continue;
      const key = JSON.stringify([parent, table]);
      const known = lost.get(key) ?? { parent, table, by: [] };
      lost.set(key, { ...known, by: [...known.by, id] });
    }
  }
  return [...lost.values()].flatMap(({ parent, table, by }): PlanFinding[] => {
    if (by.some((id) => planned.has(id))) return [];
    const message = `${parent} empties ${table} by TRUNCATE … CASCADE, and ${by[0]}, which fills it again, is not in the plan: the table would stay empty. Select ${by[0]} as well.`;
    return [{ code: 'missing-previous', severity: 'error', message, task: parent }];
  });
}

/** A range that reaches beyond the last finished interval is cut there: said, so that nobody takes it for done. */
function notFinished({ request, graph, expansion, units }: Planned): PlanFinding[] {
  const { selection, now } = request;
  const open = new Map<Instant, TaskId[]>();
  const planned = new Set(tasksOf(units));
  for (const id of new Set(request.tasks)) {
    const task = graph.tasks.get(id);
    const grid = task?.grid;
    const last = grid === undefined ? undefined : lastFinished(grid, now);
    const first = last === undefined ? undefined : grid?.containing(last.next);
    if (task === undefined || first === undefined || !planned.has(id) || task.fullRefresh === true) continue;
    // Whoever picks days has seen which are there.
    if (request.only !== undefined) continue;
    const asked =
      selection.kind === 'data-range'
        ? expansion.picked.get(id)?.find(({ start }) => start >= first.start)?.start
        : first.start <= selection.last
          ? first.start
          : undefined;
    if (asked !== undefined) open.set(asked, [...(open.get(asked) ?? []), id]);
  }
  return [...open].map(([start, ids]): PlanFinding => {
    const message = `The range reaches beyond the last finished interval: what begins at ${toIso(start)} or later is not in the plan.`;
    return { code: 'not-finished', severity: 'info', message, task: ids.length === 1 ? ids[0] : undefined };
  });
}

/** A run that writes the whole of a day which is not over: the same run, later, writes more. */
function unfinishedDays({ request: { now }, units }: Planned): PlanFinding[] {
  const open = new Map<TaskId, { count: number; first: PlanUnit; slice: UnitSlice }>();
  for (const unit of units) {
    // What its own data interval does not reach past has been over since the run was due.
    const slice = unit.slices.find(({ to, stage }) => to !== undefined && to > now && to > unit.data.end && !stage);
    if (slice === undefined) continue;
    const known = open.get(unit.task);
    open.set(unit.task, { count: (known?.count ?? 0) + 1, first: known?.first ?? unit, slice: known?.slice ?? slice });
  }
  return [...open].map(
    ([
      task,
      {
        count,
        first,
        slice: { table, from, to },
      },
    ]): PlanFinding => {
      const more = count === 1 ? '' : ` (and ${plural(count - 1, 'later run')} likewise)`;
      const message = `${first.id} writes the data of ${from === undefined ? '' : toIso(from)} to ${to === undefined ? '' : toIso(to)} in ${table}, which is not over at ${toIso(now)}: run again later it will have more rows${more}.`;
      return { code: 'unfinished-day', severity: 'warning', message, task };
    },
  );
}

function leftOut({ graph, expansion, request, units }: Planned): PlanFinding[] {
  const planned = new Set(tasksOf(units));
  return [...new Set(request.without)].flatMap((id): PlanFinding[] => {
    const count = expansion.kept.get(id)?.length ?? 0;
    if (count === 0) return [];
    const readers = (graph.children.get(id) ?? []).filter((child) => planned.has(child));
    const read = readers.length === 0 ? '' : ` ${readers.join(', ')} will read them as they are.`;
    const message = `${id} was left out: ${plural(count, 'interval')} of it ${count === 1 ? 'stays' : 'stay'} stale.${read}`;
    return [{ code: 'stale', severity: 'warning', message, task: id }];
  });
}

function zeroWidths({ graph, units }: Planned): PlanFinding[] {
  return tasksOf(units).flatMap((id): PlanFinding[] => {
    if (graph.tasks.get(id)?.zeroWidth !== true) return [];
    const message = `${id} uses data_interval_start and data_interval_end, which are the same instant under this scheduler's default for cron schedules: its range is empty.`;
    return [{ code: 'zero-width-interval', severity: 'warning', message, task: id }];
  });
}
