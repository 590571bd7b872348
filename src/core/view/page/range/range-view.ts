import type { TaskId } from '../../../pipeline/model/model.ts';
import { planSummary } from '../../../plan/explain.ts';
import { makePlan } from '../../../plan/make-plan.ts';
import type { Plan, UnitId } from '../../../plan/model/plan.ts';
import type { PlannableTask, PlanRequest } from '../../../plan/model/plan-request.ts';
import { taskOfUnit } from '../../../plan/model/unit-id.ts';
import { daysInWords } from '../../../time/intervals/days-in-words.ts';
import { formatInterval, formatWall } from '../../../time/intervals/format-interval.ts';
import type { Instant } from '../../../time/zones/instant.ts';
import { parseInstant } from '../../../time/zones/iso.ts';
import type { ZoneName } from '../../../time/zones/zone-name.ts';
import { counted } from '../../words/counted.ts';

/** A typed range of one task. Bare dates are midnights in the zone of its pipeline; the end is not included. */
export interface TypedRange {
  readonly task: TaskId;
  readonly from: string;
  readonly to: string;
  readonly without: readonly TaskId[];
  /** Only these intervals of it, also of other tasks; `undefined`: all of this task. */
  readonly only?: readonly UnitId[] | undefined;
  readonly now: Instant;
}

/** What a typed range means, said back before anything is planned. */
export interface RangeView {
  readonly zone: ZoneName;
  readonly valid: boolean;
  /** `31 intervals`; empty where the range means nothing. */
  readonly count: string;
  /** Which ones, and the first moment that is not included; or why nothing can be started. */
  readonly summary: string;
  readonly downstream: readonly DownstreamEntry[];
}

export interface DownstreamEntry {
  readonly task: TaskId;
  readonly depth: number;
  readonly included: boolean;
  readonly count: string;
  /** Why it cannot be run from here, if so. */
  readonly note: string | undefined;
}

/**
 * The plan of a typed range with everything downstream, or why the range means nothing. A proof is of the task alone:
 * whether one that appends doubles its rows is what is asked.
 */
export function planTypedRange(
  tasks: readonly PlannableTask[],
  { task, from, to, without, only, now }: TypedRange,
  purpose: 'run' | 'proof' = 'run',
): { readonly plan: Plan; readonly zone: ZoneName } | { readonly wrong: string; readonly zone: ZoneName } {
  const found = tasks.find(({ id }) => id === task);
  if (found === undefined) return { wrong: `There is no task ${task} any more.`, zone: 'UTC' };
  const { zone } = found;
  const range = { from: parseInstant(from.trim(), zone), to: parseInstant(to.trim(), zone) };
  for (const [name, text] of [['from', from] as const, ['to', to] as const]) {
    if (range[name] === undefined) {
      return { wrong: `“${text}” is not a date or time; write it like 2026-11-01 or 2026-11-01T05:00.`, zone };
    }
  }
  const selection = { kind: 'data-range' as const, from: range.from as Instant, to: range.to as Instant };
  if (selection.from >= selection.to) {
    return { wrong: 'The end is not after the start. The end is not included: for one day give the next day.', zone };
  }
  const request: PlanRequest = {
    tasks:
      only === undefined ? [task] : [...new Set([task, ...only.map(taskOfUnit)])].filter((id) => isPicked(id, only)),
    selection,
    ...(only !== undefined && { only }),
    downstream: purpose === 'run',
    without,
    expandUnbounded: false,
    allowAppend: purpose === 'proof',
    now,
  };
  return { plan: makePlan(tasks, request), zone };
}

const isPicked = (task: TaskId, only: readonly UnitId[]): boolean => only.some((unit) => taskOfUnit(unit) === task);

/** What the range selects, and how much each task behind it has to redo. */
export function rangeView(
  tasks: readonly PlannableTask[],
  children: ReadonlyMap<TaskId, readonly TaskId[]>,
  range: TypedRange,
  shownIn: ZoneName | undefined,
): RangeView {
  const made = planTypedRange(tasks, range);
  const label = shownIn ?? made.zone;
  const all = range.without.length === 0 ? made : planTypedRange(tasks, { ...range, without: [] });
  const counts = new Map(
    ('plan' in all ? planSummary(all.plan) : []).map((summary) => [
      summary.task,
      { summary, plan: 'plan' in all ? all.plan : undefined },
    ]),
  );
  return {
    zone: made.zone,
    ...summaryOf(made, range, label),
    downstream: depths([range.task, ...(range.only ?? []).map(taskOfUnit)], children).map(([task, depth]) => ({
      task,
      depth,
      included: !range.without.includes(task),
      count: countOf(task, counts.get(task)?.summary.units, tasks),
      note: noteOf(tasks.find(({ id }) => id === task)),
    })),
  };
}

function summaryOf(
  made: ReturnType<typeof planTypedRange>,
  { task, only }: TypedRange,
  zone: ZoneName,
): Pick<RangeView, 'valid' | 'count' | 'summary'> {
  if ('wrong' in made) return { valid: false, count: '', summary: made.wrong };
  const { plan } = made;
  if (only !== undefined) return summaryOfPicked(plan, only, zone);
  const mine = (plan.byTask.get(task) ?? []).flatMap((position) => plan.units[position] ?? []);
  const first = mine[0];
  const last = mine.at(-1);
  if (first === undefined || last === undefined) {
    const why = plan.findings.find(({ code }) => code === 'empty-selection');
    return { valid: false, count: '', summary: why?.message ?? 'No interval of this task lies in the range.' };
  }
  const name = (unit: typeof first): string => formatInterval(unit.data, zone);
  const which = first === last ? name(first) : `${name(first)} to ${name(last)}`;
  const days = planSummary(plan).find((summary) => summary.task === task)?.data;
  const data = days === undefined ? '' : ` They write the data of ${daysInWords(days, zone)}.`;
  const end = wholeDay(formatWall(last.data.end, zone));
  // Who asks for days to come is told that they are not planned, and not only where the plan ends.
  const isCut = plan.findings.some(({ code }) => code === 'not-finished');
  const rest = isCut ? `${end} and later are left out: they have not ended yet.` : `${end} is not included.`;
  return {
    valid: true,
    count: counted(mine.length, 'interval'),
    summary: `${which}; ${rest}${data}`,
  };
}

/** Days that do not follow each other: how many, and between which. */
function summaryOfPicked(
  plan: Plan,
  only: readonly UnitId[],
  zone: ZoneName,
): Pick<RangeView, 'valid' | 'count' | 'summary'> {
  const picked = new Set(only);
  const units = plan.units.filter(({ id }) => picked.has(id)).sort((a, b) => a.start - b.start);
  const [first, last] = [units[0], units.at(-1)];
  if (first === undefined || last === undefined) {
    const why = plan.findings.find(({ code }) => code === 'empty-selection');
    return { valid: false, count: '', summary: why?.message ?? 'None of the picked intervals is there any more.' };
  }
  const tasks = new Set(units.map(({ task }) => task)).size;
  const [from, to] = [formatInterval(first.data, zone), formatInterval(last.data, zone)];
  return {
    valid: true,
    count: counted(units.length, 'interval'),
    summary: `picked one by one${tasks === 1 ? '' : ` of ${tasks} tasks`}: ${from === to ? `${from}.` : `the first is ${from}, the last ${to}. What lies between them is left as it is.`}`,
  };
}

/** `2026-11-01` instead of its midnight. */
const wholeDay = (wall: string): string => wall.replace(/ 00:00$/, '');

/** Breadth first, so that each task stands at its shortest distance. */
function depths(
  tasks: readonly TaskId[],
  children: ReadonlyMap<TaskId, readonly TaskId[]>,
): readonly (readonly [TaskId, number])[] {
  const depth = new Map<TaskId, number>(tasks.map((task) => [task, 0]));
  for (const [parent, at] of depth) {
    for (const child of children.get(parent) ?? []) if (!depth.has(child)) depth.set(child, at + 1);
  }
  return [...depth];
}

function countOf(task: TaskId, units: number | undefined, tasks: readonly PlannableTask[]): string {
  const found = tasks.find(({ id }) => id === task);
  if (found?.executor.kind === 'airflow') return 'Airflow';
  return units === undefined ? 'none' : `${units} interval${units === 1 ? '' : 's'}`;
}

const noteOf = (task: PlannableTask | undefined): string | undefined =>
  task === undefined || task.executor.kind === 'warehouse' ? undefined : task.executor.reason;
