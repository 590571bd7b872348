import { addDecimals, subtractDecimals } from '../../../diff/decimal.ts';
import type { SliceDiff } from '../../../diff/slice-diff.ts';
import type { UnitState } from '../../../ledger/ledger-store.ts';
import type { TaskId } from '../../../pipeline/model/model.ts';
import type { RunMode } from '../page-request.ts';
import type { PlanGrid } from '../plan-view.ts';
import {
  columnOfMeasure,
  measuresOf,
  type Sides,
  type SurveyedSums,
  summedSides,
  tellingMeasure,
} from './chart-measures.ts';
import type { UnitRows } from './unit-rows.ts';

/** One slice of the chart: what it held before as a pale bar, what it holds after in front of it. */
export interface ChartPoint {
  /** Index of the unit in its plan. */
  readonly index: number;
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly look: 'changed' | 'held' | 'same' | 'open';
}

/** What one task's slices hold, before and after. */
export interface ChartView {
  readonly task: TaskId;
  readonly title: string;
  /** What is shown, and all that can be. */
  readonly measure: string;
  readonly measures: readonly string[];
  readonly sides: { readonly before: string; readonly after: string | undefined };
  readonly points: readonly ChartPoint[];
  /** Over all slices of which it is known; held ones count as before. `undefined`: of none it is. */
  readonly totals:
    | {
        readonly before: number;
        readonly after: number | undefined;
        /** `after - before`, worked out before anything is rounded. */
        readonly difference: number | undefined;
      }
    | undefined;
  /** Said beside the totals, e.g. where the figures of now come from. */
  readonly note: string | undefined;
}

export interface ChartInput {
  readonly plan: PlanGrid;
  readonly task: TaskId;
  /** What the plan was last done with; `undefined`: nothing yet. */
  readonly mode: RunMode | undefined;
  readonly states: readonly UnitState[];
  readonly rows: readonly (UnitRows | undefined)[];
  /** Rows that a unit's slices held after their last known run, by unit. */
  readonly now: ReadonlyMap<string, number>;
  readonly isConnected: boolean;
  /** Whether the ledger has told what it knows: before that nothing can be said of what it does not. */
  readonly isAsked: boolean;
  /** What is known of a unit's slices, by unit. */
  readonly slicesOf: (unit: string) => readonly SliceDiff[];
  readonly survey: SurveyedSums | undefined;
  /** The measure that somebody chose. */
  readonly chosen: string | undefined;
}

/** The chart of a task; `undefined` where it has no slice in the plan. */
export function chartView(input: ChartInput): ChartView | undefined {
  const { plan, task, mode, states, slicesOf, survey, chosen } = input;
  const row = plan.rows.find((one) => one.task === task);
  if (row === undefined || row.units.length === 0) return undefined;
  const diffs = row.units.map((index) => slicesOf(plan.units[index]?.id ?? ''));
  const measures = measuresOf(diffs, survey);
  const changed = diffs.filter((_, at) => states[row.units[at] ?? -1] === 'changed');
  const measure = chosen !== undefined && measures.includes(chosen) ? chosen : tellingMeasure(changed);
  const column = columnOfMeasure(measure);
  const points = row.units.map((index): Pointed => {
    const state = mode === undefined ? undefined : (states[index] ?? 'waiting');
    const sides = column === undefined ? rowsOf(input, index) : sumsOf(input, index, column, state);
    const before = sides.before;
    return { index, ...(state === undefined ? { before, after: undefined, look: 'open' } : seen(state, sides)) };
  });
  const isKnown = points.some(({ before, after }) => before !== undefined || after !== undefined);
  const isUndo = plan.purpose.kind === 'undo';
  return {
    task,
    title: `${titles(mode, isUndo)} in ${row.name}`,
    measure,
    measures,
    sides: sidesOf(mode, isUndo),
    points: points.map((point) => ({ ...point, before: number(point.before), after: number(point.after) })),
    totals: isKnown ? totalsOf(points) : undefined,
    note: isKnown ? noteOf(points, mode) : (row.engine?.note ?? unknown(input, column)),
  };
}

interface Pointed extends Sides {
  readonly index: number;
  readonly look: ChartPoint['look'];
}

/** How many rows a unit had and has. */
function rowsOf({ plan, rows, now }: ChartInput, index: number): Sides {
  const known = rows[index];
  return { before: text(known?.before ?? now.get(plan.units[index]?.id ?? '')), after: text(known?.after) };
}

/** What its slices added up to: as they were compared, else as they were counted, which is the same for one that did not change. */
function sumsOf(
  { plan, slicesOf, survey }: ChartInput,
  index: number,
  column: string,
  state: UnitState | undefined,
): Sides {
  const id = plan.units[index]?.id ?? '';
  const compared = summedSides(slicesOf(id), column);
  if (compared !== undefined) return compared;
  const isElse = state === 'changed' || survey?.sum?.of !== column;
  return { before: isElse ? undefined : survey?.sum?.by.get(id), after: undefined };
}

function totalsOf(points: readonly Pointed[]): ChartView['totals'] {
  const known = points.filter(({ before, after }) => number(before) !== undefined || number(after) !== undefined);
  const before = addDecimals(...known.map((point) => point.before ?? '0')) ?? '0';
  const isDone = points.some(({ look }) => look !== 'open');
  const left = known.map((point) => (point.look === 'held' ? point.before : (point.after ?? point.before)) ?? '0');
  const after = isDone ? (addDecimals(...left) ?? '0') : undefined;
  return {
    before: Number(before),
    after: number(after),
    difference: after === undefined ? undefined : number(subtractDecimals(after, before)),
  };
}

const noteOf = (points: readonly Pointed[], mode: RunMode | undefined): string | undefined => {
  if (mode === undefined) return 'as last counted';
  const isPart = points.some(
    ({ before, after, look }) => look === 'same' && before === undefined && after === undefined,
  );
  return isPart ? 'of those that changed' : undefined;
};

function unknown({ isConnected, isAsked, survey }: ChartInput, column: string | undefined): string {
  if (!isConnected) return 'Not known before a warehouse is connected.';
  if (!isAsked) return 'Not known: the database has not told yet what is there.';
  if (column === undefined) return 'Not known: no run from here has made these slices yet.';
  return survey?.sum?.of === column
    ? 'Not known: the database could not add this up.'
    : 'The database is asked what this adds up to.';
}

const text = (count: number | undefined): string | undefined => (count === undefined ? undefined : String(count));

/** A sum may be NaN or infinite, which no bar shows. */
function number(decimal: string | undefined): number | undefined {
  const value = decimal === undefined ? Number.NaN : Number(decimal);
  return Number.isFinite(value) ? value : undefined;
}

function seen(state: UnitState, { before, after }: Sides): Pick<Pointed, 'before' | 'after' | 'look'> {
  switch (state) {
    case 'changed':
      return { before, after, look: 'changed' };
    case 'held':
      return { before, after, look: 'held' };
    case 'unchanged':
    case 'skipped':
      return { before, after: after ?? before, look: 'same' };
    default:
      return { before, after: undefined, look: 'open' };
  }
}

/** What the two versions of a slice are called. */
export function sidesOf(mode: RunMode | undefined, isUndo: boolean): ChartView['sides'] {
  if (mode === 'prove') return { before: 'first run', after: 'second run' };
  if (isUndo) return { before: 'now', after: mode === undefined ? undefined : 'put back' };
  if (mode === undefined) return { before: 'now', after: undefined };
  return { before: 'before', after: mode === 'preview' ? 'would be' : 'after' };
}

function titles(mode: RunMode | undefined, isUndo: boolean): string {
  if (mode === undefined) return isUndo ? 'What would be put back' : 'What is there now';
  if (mode === 'prove') return 'What a second run changed';
  if (mode === 'preview') return isUndo ? 'What would be put back' : 'What would change';
  return isUndo ? 'What was put back' : 'What changed';
}
