import type { TaskId } from '../../pipeline/model/model.ts';
import { planSummary, reasonInWords } from '../../plan/explain.ts';
import type { Plan, PlanFinding } from '../../plan/model/plan.ts';
import { plural } from '../../text/plural.ts';
import { formatInterval, formatWall } from '../../time/intervals/format-interval.ts';
import { toIso } from '../../time/zones/iso.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';

/** What a plan is for: a proof runs each unit twice and keeps nothing, an undo puts the rows of a run's units back. */
export type PlanPurpose =
  | { readonly kind: 'run' }
  | { readonly kind: 'proof' }
  | { readonly kind: 'undo'; readonly run: string };

/** A plan as a grid of tasks × intervals. Units are in the plan's own order. */
export interface PlanGrid {
  readonly title: string;
  readonly purpose: PlanPurpose;
  readonly units: readonly PlanGridUnit[];
  /** One line a task, in the order in which each first runs; indexes of `units`, oldest first. */
  readonly rows: readonly { readonly task: TaskId; readonly units: readonly number[] }[];
  readonly notes: readonly string[];
  readonly findings: readonly PlanFinding[];
  /** False when a finding blocks the start, or nothing is there to run. */
  readonly startable: boolean;
}

export interface PlanGridUnit {
  readonly id: string;
  readonly task: TaskId;
  readonly label: string;
  /** ISO instants in UTC; the end is not included. */
  readonly start: string;
  readonly end: string;
  /** Outside the range that was selected, because a window reaches there. */
  readonly widened: boolean;
  readonly reason: string;
}

/** `sessionOf`: what the operator of a task says of its session beside the connection. */
export function planGrid(
  plan: Plan,
  zoneOf: (task: TaskId) => ZoneName,
  purpose: PlanPurpose,
  sessionOf: (task: TaskId) => readonly string[] = () => [],
): PlanGrid {
  const selected = plan.units.filter(({ reasons }) => reasons.some(({ kind }) => kind === 'selected'));
  const from = Math.min(...selected.map(({ start }) => start));
  const to = Math.max(...selected.map(({ next }) => next));
  const summaries = planSummary(plan);
  const tasks = summaries.length;
  return {
    title: `${plural(plan.units.length, 'unit')} of ${plural(tasks, 'task')}${aims(purpose)}`,
    purpose,
    units: plan.units.map((unit) => ({
      id: unit.id,
      task: unit.task,
      label: formatInterval(unit.data, zoneOf(unit.task)),
      start: toIso(unit.start),
      end: toIso(unit.data.end),
      widened: unit.start >= to || unit.next <= from,
      reason: purpose.kind === 'undo' ? `run ${purpose.run} changed it` : unit.reasons.map(reasonInWords).join('; '),
    })),
    rows: summaries.map(({ task }) => ({ task, units: plan.byTask.get(task) ?? [] })),
    notes: [
      ...plan.widened.map(({ task, from: first, to: last, because }) => {
        const zone = zoneOf(task);
        return `${task} runs ${formatWall(first, zone)} to ${formatWall(last, zone)} because ${because}`;
      }),
      ...summaries.flatMap(({ task }) => {
        const session = purpose.kind === 'undo' ? [] : sessionOf(task);
        return session.length === 0 ? [] : [`${task} is sent with ${session.join(', ')}`];
      }),
    ],
    findings: plan.findings,
    startable: plan.units.length > 0 && plan.findings.every(({ severity }) => severity !== 'error'),
  };
}

function aims(purpose: PlanPurpose): string {
  switch (purpose.kind) {
    case 'run':
      return '';
    case 'proof':
      return ', each run twice; nothing is kept';
    case 'undo':
      return `, put back to their rows of before run ${purpose.run}`;
  }
}
