import type { UnitState } from '../../../ledger/ledger-store.ts';
import type { TaskId } from '../../../pipeline/model/model.ts';
import type { RunMode } from '../page-request.ts';
import type { PlanGrid } from '../plan-view.ts';
import type { UnitRows } from './unit-rows.ts';

/** One slice of the chart: rows of before as a pale bar, rows of after in front of it. */
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
  readonly measure: string;
  readonly sides: { readonly before: string; readonly after: string | undefined };
  readonly points: readonly ChartPoint[];
  /** Over all slices whose rows are known; held ones count as before. `undefined`: of none they are. */
  readonly totals: { readonly before: number; readonly after: number | undefined } | undefined;
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
  /** Whether the ledger has told what it knows: before that nothing can be said of what it does not. */
  readonly isAsked: boolean;
}

/** The chart of a task; `undefined` where it has no slice in the plan. */
export function chartView({ plan, task, mode, states, rows, now, isAsked }: ChartInput): ChartView | undefined {
  const row = plan.rows.find((one) => one.task === task);
  if (row === undefined || row.units.length === 0) return undefined;
  const points = row.units.map((index): ChartPoint => {
    const known = rows[index];
    const held = now.get(plan.units[index]?.id ?? '');
    const before = known?.before ?? held;
    if (mode === undefined) return { index, before, after: undefined, look: 'open' };
    return { index, before, ...afterOf(states[index] ?? 'waiting', known, before) };
  });
  const isKnown = points.some(({ before, after }) => before !== undefined || after !== undefined);
  const before = points.reduce((sum, point) => sum + (point.before ?? 0), 0);
  const after = points.reduce(
    (sum, point) => sum + ((point.look === 'held' ? point.before : (point.after ?? point.before)) ?? 0),
    0,
  );
  const isUndo = plan.purpose.kind === 'undo';
  return {
    task,
    title: `${titles(mode, isUndo)} in ${row.name}`,
    measure: 'row count',
    sides: sidesOf(mode, isUndo),
    points,
    totals: isKnown ? { before, after: mode === undefined ? undefined : after } : undefined,
    note: isKnown
      ? mode === undefined
        ? 'as last counted'
        : undefined
      : row.engine === undefined
        ? isAsked
          ? unmade
          : untold
        : row.engine.note,
  };
}

const unmade = 'Not known: no run from here has made these slices yet.';
const untold = 'Not known: the database has not told yet what is there.';

function afterOf(
  state: UnitState,
  known: UnitRows | undefined,
  before: number | undefined,
): Pick<ChartPoint, 'after' | 'look'> {
  switch (state) {
    case 'changed':
      return { after: known?.after, look: 'changed' };
    case 'held':
      return { after: known?.after, look: 'held' };
    case 'unchanged':
    case 'skipped':
      return { after: known?.after ?? before, look: 'same' };
    default:
      return { after: undefined, look: 'open' };
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
