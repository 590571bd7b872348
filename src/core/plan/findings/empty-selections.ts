import type { GridInterval } from '../../time/intervals/grid.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import { daysWritten, pickedRuns } from '../intervals/picked-runs.ts';
import type { PlanFinding } from '../model/plan.ts';
import type { PlannableTask, PlanRequest } from '../model/plan-request.ts';
import { taskOfUnit } from '../model/unit-id.ts';
import type { Planned } from './planned.ts';

/** What was asked for and is not there: tasks, their runs in a range, runs that were picked one by one. */
export function emptySelections({
  request,
  graph,
  expansion,
  units,
}: Pick<Planned, 'request' | 'graph' | 'expansion' | 'units'>): PlanFinding[] {
  const findings: PlanFinding[] = [];
  const severity = units.length === 0 ? 'error' : 'warning';
  if (request.tasks.length === 0) {
    findings.push({ code: 'empty-selection', severity, message: 'No task was selected.', task: undefined });
  }
  for (const id of new Set(request.tasks)) {
    const task = graph.tasks.get(id);
    if (task === undefined) {
      const message = `No task of the workspace is called ${id}.`;
      findings.push({ code: 'empty-selection', severity, message, task: id });
      continue;
    }
    const intervals = expansion.kept.get(id) ?? [];
    if (intervals.some(({ reasons }) => reasons.some((reason) => reason.kind === 'selected'))) continue;
    const message = `Nothing of ${id} is selected: ${whyEmpty(task, request)}.`;
    findings.push({ code: 'empty-selection', severity, message, task: id });
  }
  const planned = new Set(units.map(({ id }) => id));
  const gone = (request.only ?? []).filter((unit) => {
    const task = taskOfUnit(unit);
    const isRefreshed = graph.tasks.get(task)?.fullRefresh === true;
    return !planned.has(unit) && !request.without.includes(task) && !isRefreshed;
  });
  if (gone.length > 0 && units.length > 0) {
    const message = `No finished run of the range is ${few(gone)}.`;
    findings.push({ code: 'empty-selection', severity: 'error', message, task: undefined });
  }
  return findings;
}

/** The first three by name. */
const few = (units: readonly string[]): string =>
  [...units.slice(0, 3), ...(units.length > 3 ? [`${units.length - 3} more`] : [])].join(', ');

function whyEmpty(task: PlannableTask, { selection, only, now }: PlanRequest): string {
  const { grid, noGrid, zone } = task;
  if (grid === undefined) {
    const cure = task.id.endsWith('.sql') ? '' : '; say under dags in backfill.yaml at which dates it runs';
    return `${noGrid ?? 'its schedule gives no data intervals'}${cure}`;
  }
  const [from, to] =
    selection.kind === 'data-range' ? [selection.from, selection.to] : [selection.first, selection.last];
  if (selection.kind === 'data-range' && from >= to) {
    return `the range ends (${toIso(to)}) no later than it starts (${toIso(from)}); its end is the first moment not included`;
  }
  if (selection.kind === 'logical-dates' && from > to) return 'the last logical date lies before the first';
  const chosen =
    selection.kind === 'data-range'
      ? pickedRuns(task, selection)
      : grid.startingWithin(selection.first, selection.last);
  const first = chosen[0];
  if (first !== undefined && only !== undefined && first.next <= now) {
    return 'none of its runs in the range is among those that were picked';
  }
  if (first !== undefined) {
    return `the interval from ${toIso(first.start)} ends at ${toIso(first.data.end)} and is not finished at ${toIso(now)}`;
  }
  const what =
    selection.kind === 'data-range' ? 'no run of its schedule writes data of' : 'its schedule has no tick in';
  return `${what} ${toIso(from)} to ${toIso(to)} (schedule in ${zone})${nearestRuns(task, from, to)}`;
}

/** The last run before a range without one and the first behind it, each with the days that it writes. */
function nearestRuns(task: PlannableTask, from: Instant, to: Instant): string {
  const { grid } = task;
  let before = grid?.containing(instant(from - 1));
  while (before !== undefined && daysWritten(task, before).from >= from) {
    before = grid?.containing(instant(before.start - 1));
  }
  const inside = before === undefined ? grid?.overlapping(from, instant(to + farAhead))[0] : undefined;
  let after = before === undefined ? inside : grid?.containing(before.next);
  while (after !== undefined && daysWritten(task, after).to <= to && after.start < to + farAhead) {
    before = after;
    after = grid?.containing(after.next);
  }
  const told = [before, after].flatMap((run) => (run === undefined ? [] : [runInWords(task, run)]));
  return told.length === 0 ? '' : `; nearest: ${told.join(', then ')}`;
}

const farAhead = 400 * 86_400_000;

function runInWords(task: PlannableTask, run: GridInterval): string {
  const { start, data } = run;
  const { from, to } = daysWritten(task, run);
  const same = from === data.start && to === data.end;
  return `the run of ${toIso(start)}${same || !(from < to) ? '' : `, which writes ${toIso(from)} to ${toIso(to)}`}`;
}
