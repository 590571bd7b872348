import { windowRange } from '../../lineage/facts/window-range.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { InstantRange } from '../../time/intervals/interval-set.ts';
import type { CalendarOffset } from '../../time/zones/calendar.ts';
import { beginningOfTime, endOfTime, type Instant, instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import { shift } from '../../time/zones/shift.ts';
import type { PlanFinding, PlanUnit } from '../model/plan.ts';
import type { PlannableTask, PlanRequest, SourceRead } from '../model/plan-request.ts';
import type { Planned } from './planned.ts';

/** What the sources of a plan no longer hold as it was when its intervals were due: kept too short, or overwritten. */
export function sourceFindings({ request, graph, units }: Pick<Planned, 'request' | 'graph' | 'units'>): PlanFinding[] {
  const byTask = new Map<TaskId, PlanUnit[]>();
  for (const unit of units) {
    if ((graph.tasks.get(unit.task)?.sources ?? []).length === 0) continue;
    const known = byTask.get(unit.task);
    if (known === undefined) byTask.set(unit.task, [unit]);
    else known.push(unit);
  }
  return [...byTask].flatMap(([id, own]): PlanFinding[] => {
    const task = graph.tasks.get(id);
    if (task === undefined) return [];
    const sources = new Map((task.sources ?? []).map((read) => [read.source.table, read]));
    return [...sources.values()].flatMap((read) => {
      const { makes, source } = read;
      const windows = (task.sources ?? []).filter((one) => one.source === source);
      const overwritten = source.mutable && makes !== 'source' ? mutable(task, read, own, request) : [];
      return [...expired(task, read, windows, own, request), ...overwritten];
    });
  });
}

type Loss = 'all' | 'part' | 'less';

/** Rows that a unit reads of a source and that are gone: `less` where its run on schedule did not find all either. */
function expired(
  task: PlannableTask,
  { source: { table, retention }, writers }: SourceRead,
  reads: readonly SourceRead[],
  units: readonly PlanUnit[],
  request: PlanRequest,
): PlanFinding[] {
  if (retention === undefined) return [];
  const back = negated(retention.offset);
  const kept = shift(request.now, back, 'UTC');
  const lost = new Map<Loss, PlanUnit[]>();
  for (const unit of units) {
    const losses = new Set(reads.flatMap((read) => lossOf(read, unit, kept, back, writers, request) ?? []));
    const worst = (['all', 'part', 'less'] as const).find((loss) => losses.has(loss));
    if (worst !== undefined) lost.set(worst, [...(lost.get(worst) ?? []), unit]);
  }
  const finding = (severity: PlanFinding['severity'], message: string): PlanFinding => ({
    code: 'retention',
    severity,
    message,
    task: task.id,
  });
  const gone = `${table} keeps ${retention.words}, so that its rows from before ${toIso(kept)} are gone at the source`;
  const findings: PlanFinding[] = [];
  const [all, part, less] = [lost.get('all') ?? [], lost.get('part') ?? [], lost.get('less') ?? []];
  if (all.length + part.length > 0) {
    const hit = units.filter((unit) => all.includes(unit) || part.includes(unit));
    findings.push(
      finding(blocking(task, request), `${task.id} reads what is gone: ${gone}. ${wouldFind(hit, all, part)}.`),
    );
  }
  if (less.length > 0) {
    const message = `${task.id} reads all that there is: ${gone}. ${capital(spanOf(less))} would find less than on schedule.`;
    findings.push(finding('warning', message));
  }
  return findings;
}

/** What becomes of units that find none of their rows, or only some. */
function wouldFind(hit: readonly PlanUnit[], all: readonly PlanUnit[], part: readonly PlanUnit[]): string {
  const their = hit.length === 1 ? 'its' : 'their';
  const none = `would find none of ${their} rows and come out empty`;
  const some = `would find only some of ${their} rows and come out too small`;
  if (all.length > 0 && part.length > 0) return `Of ${spanOf(hit)}, ${all.length} ${none}, ${part.length} ${some}`;
  return `${capital(spanOf(hit))} ${all.length > 0 ? none : some}`;
}

function lossOf(
  { window }: SourceRead,
  unit: PlanUnit,
  kept: Instant,
  back: CalendarOffset,
  writers: readonly TaskId[],
  request: PlanRequest,
): Loss | undefined {
  const reading: InstantRange =
    window.kind === 'range' ? windowRange(window, unit.data) : { from: beginningOfTime, to: endOfTime };
  if (reading.from >= kept) return undefined;
  const until = Math.min(reading.to, kept);
  const isMadeAnew = unit.reasons.some(
    (reason) =>
      reason.kind === 'reads-parent' &&
      writers.includes(reason.parent) &&
      reason.from <= reading.from &&
      reason.to >= until,
  );
  if (isMadeAnew) return undefined;
  if (reading.from < shift(unit.data.end, back, 'UTC')) return isPast(unit, request) ? 'less' : undefined;
  return reading.to <= kept ? 'all' : 'part';
}

/** A source that is overwritten in place, and no snapshot of it to read instead. */
function mutable(
  task: PlannableTask,
  { source: { table, snapshots }, makes }: SourceRead,
  units: readonly PlanUnit[],
  request: PlanRequest,
): PlanFinding[] {
  const past = units.filter((unit) => isPast(unit, request));
  if (past.length === 0) return [];
  const finding = (severity: PlanFinding['severity'], message: string): PlanFinding[] => [
    { code: 'mutable-source', severity, message, task: task.id },
  ];
  if (makes === 'snapshots') {
    const message = `${task.id} makes the snapshots of ${table}, which is overwritten in place: ${spanOf(past)} would replace what was kept of then by its rows of now.`;
    return finding(blocking(task, request), message);
  }
  const there = `${task.id} reads ${table}, which is overwritten in place: ${spanOf(past)} would be made from its rows of now, not of then, so that a rerun changes history.`;
  const remedy =
    snapshots === undefined
      ? `Where its state in each interval is kept, say so under snapshots of ${table} in backfill.yaml.`
      : 'Its snapshots cannot be read instead, because the task is not run from here.';
  return finding('warning', `${there} ${remedy}`);
}

/** What is left to Airflow is not run by the plan, so it need not be kept from starting. */
const blocking = ({ executor }: PlannableTask, { allowExpired }: PlanRequest): PlanFinding['severity'] =>
  allowExpired === true || executor.kind !== 'warehouse' ? 'warning' : 'error';

/** The newest finished interval finds its sources as its run on schedule does. */
const isPast = ({ start, next }: PlanUnit, { now }: PlanRequest): boolean => next + (next - start) <= now;

const negated = ({ months, days, ms }: CalendarOffset): CalendarOffset => ({
  months: -months,
  days: -days,
  ms: -ms,
});

/** `30 intervals from 2026-08-01T00:00:00Z on, the last from 2026-08-30T00:00:00Z`. */
function spanOf(units: readonly PlanUnit[]): string {
  const starts = units.map(({ start }) => start as number);
  const [first, last] = [Math.min(...starts), Math.max(...starts)].map((start) => toIso(instant(start)));
  if (units.length === 1) return `the interval from ${first}`;
  return `the ${units.length} intervals from ${first}, the last from ${last}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
