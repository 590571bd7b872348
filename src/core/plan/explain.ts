import { windowInWords } from '../lineage/facts/window-words.ts';
import type { TaskId } from '../pipeline/model/model.ts';
import { daysInWords } from '../time/intervals/days-in-words.ts';
import type { InstantRange } from '../time/intervals/interval-set.ts';
import { beginningOfTime, endOfTime, type Instant, instant } from '../time/zones/instant.ts';
import { toIso } from '../time/zones/iso.ts';
import type { ZoneName } from '../time/zones/zone-name.ts';
import { namesPeriod } from './intervals/names-period.ts';
import type { Plan, PlanUnit, Reason } from './model/plan.ts';
import type { PlannableTask } from './model/plan-request.ts';

/** One task of a plan: how many of its intervals run, from where to where, and in which state they are. */
export interface TaskSummary {
  readonly task: TaskId;
  readonly units: number;
  /** Where the data interval of the first unit starts and that of the last ends; units in between may be missing. */
  readonly from: Instant;
  readonly to: Instant;
  /** The data that its slices hold, where that is not from `from` to `to`; `undefined` where they are not known. */
  readonly data: InstantRange | undefined;
  /** True when the units leave gaps. */
  readonly gaps: boolean;
  readonly executor: PlanUnit['executor']['kind'];
  readonly blocked: number;
  /** Reasons of its units in words, each once. */
  readonly reasons: readonly string[];
}

/** The tasks of a plan in the order in which each first runs. */
export function planSummary(plan: Plan): readonly TaskSummary[] {
  const tasks = [...new Set(plan.units.map((unit) => unit.task))];
  return tasks.flatMap((task) => {
    const units = (plan.byTask.get(task) ?? []).flatMap((position) => plan.units[position] ?? []);
    const first = units[0];
    const last = units.at(-1);
    if (first === undefined || last === undefined) return [];
    return [
      {
        task,
        units: units.length,
        from: first.start,
        to: last.data.end,
        data: dataOf(units),
        gaps: units.some((unit, index) => index > 0 && units[index - 1]?.next !== unit.start),
        executor: first.executor.kind,
        blocked: units.filter((unit) => unit.blockedBy !== undefined).length,
        reasons: [...new Set(units.flatMap((unit) => unit.reasons.map(shortReason)))],
      },
    ];
  });
}

/** From the first slice of the units to the end of the last, where that is not what their intervals say. */
function dataOf(units: readonly PlanUnit[]): InstantRange | undefined {
  let from: number = endOfTime;
  let to: number = beginningOfTime;
  let differs = false;
  for (const unit of units) {
    const { data, slices } = unit;
    for (const slice of slices) {
      if (slice.from === undefined || slice.to === undefined || slice.stage === true) continue;
      if (namesPeriod({ from: slice.from, to: slice.to }, unit)) continue;
      if (slice.from !== data.start || slice.to !== data.end) differs = true;
      from = Math.min(from, slice.from);
      to = Math.max(to, slice.to);
    }
  }
  return differs ? { from: instant(from), to: instant(to) } : undefined;
}

/** `3 selected + 8 downstream`: what a button or a prompt says before it starts a plan. */
export function planCounts(plan: Plan): { readonly selected: number; readonly downstream: number } {
  const selected = plan.units.filter((unit) => unit.reasons.some((reason) => reason.kind === 'selected')).length;
  return { selected, downstream: plan.units.length - selected };
}

/** Why one unit runs, with the range that it reads: as days of a zone, or as instants. */
export function reasonInWords(reason: Reason, zone?: ZoneName): string {
  if (reason.kind !== 'reads-parent') return shortReason(reason);
  const range = zone === undefined ? `${toIso(reason.from)} to ${toIso(reason.to)}` : daysInWords(reason, zone);
  return `${shortReason(reason)}, ${range}`;
}

function shortReason(reason: Reason): string {
  switch (reason.kind) {
    case 'selected':
      return 'selected';
    case 'reads-parent':
      return `reads ${reason.table}, which ${reason.parent} rewrites`;
    case 'own-tail':
      return 'comes after an interval of its own that is redone';
    case 'by-order':
      return `follows ${reason.parent} by order, not by data`;
  }
}

/** What a task reads of each parent for one interval, e.g. `shop.orders: [start - 6 days, end)`. */
export const readsInWords = (task: PlannableTask): readonly string[] =>
  task.reads.map((read) => `${read.table}: ${windowInWords(read.window)}`);
