import type { SliceDiff } from '../../../core/diff/slice-diff.ts';
import type { UnitState } from '../../../core/ledger/ledger-store.ts';
import { detailLine } from '../../../core/view/page/detail-line.ts';
import { chartView } from '../../../core/view/page/outcome/chart-view.ts';
import { stopsOf } from '../../../core/view/page/outcome/stops.ts';
import { totalsView } from '../../../core/view/page/outcome/totals-view.ts';
import type { CalendarGrid } from '../../../core/view/page/range/calendar-view.ts';
import { rangePresets } from '../../../core/view/page/range/presets.ts';
import { standingActions } from '../../../core/view/page/status/more-actions.ts';
import { pageStatus } from '../../../core/view/page/status/page-status.ts';
import { counted, countInWords } from '../../../core/view/words/counted.ts';
import type {
  AssistantState,
  CalendarCellView,
  CalendarView,
  IntervalState,
} from '../../../protocol/assistant-state.ts';
import { rowsNow } from './rows-now.ts';
import type { SessionFacts } from './session-facts.ts';

/** Where what a unit did to its slices is looked up. */
export type SlicesOf = (unit: string) => readonly SliceDiff[];

/** What the page shows of what a session knows. A function of both arguments. */
export function assistantView(facts: SessionFacts, slicesOf: SlicesOf): AssistantState {
  const { task, dag, name, folder, zone, connection, choose, plan, run, selected, shownTask, calendars } = facts;
  const states = run?.states ?? [];
  const now = rowsNow(facts);
  const own = cellsOf(calendars.get(task), facts);
  const stops = plan === undefined ? [] : stopsOf(plan.rows, undoable(facts) ?? states);
  return {
    task,
    dag,
    name,
    folder,
    zone,
    connection,
    status: pageStatus({
      ...facts,
      range: choose,
      connection: connection.name,
      states,
      firstStop: stops[0],
    }),
    standing: standingActions,
    choose: { ...choose, presets: rangePresets(own, calendars.get(task)?.layout === 'days') },
    calendar: calendarView(facts),
    plan,
    run: run && { run: run.run, mode: run.mode, status: run.status },
    marks: run && { states, rows: run.rows },
    chart:
      plan &&
      chartView({
        plan,
        task: shownTask,
        mode: run?.mode,
        states,
        rows: run?.rows ?? [],
        now,
        isConnected: connection.name !== undefined,
        isAsked: facts.ledger !== undefined,
        slicesOf,
        survey: facts.surveys.get(shownTask),
        chosen: facts.measures.get(shownTask),
      }),
    totals: plan === undefined ? [] : totalsView({ plan, states, slicesOf, now, untold: untold(facts) }),
    changes: run?.status === 'running' || run?.status === 'cancelling' ? run.changes : [],
    stops,
    details: [
      ...(run === undefined ? [] : [detailLine('outcome', run.summary)]),
      ...(run?.notes ?? []).map(noteLine),
      ...(facts.observed?.said ?? []).map((text) => detailLine('observed', text)),
      ...(plan?.details ?? []),
      ...untold(facts).map((text) => detailLine('not counted', text)),
    ],
    selected,
  };
}

/** What could not be counted, of the task that is shown and of the others of the plan. */
const untold = ({ surveys, shownTask, counted: { untold: ofPlan } }: SessionFacts): readonly string[] => [
  ...new Set([...(surveys.get(shownTask)?.untold ?? []), ...ofPlan]),
];

/** Of an undo that is planned every unit is looked at: as if it had changed. */
function undoable({ plan, run }: SessionFacts): readonly UnitState[] | undefined {
  return plan?.purpose.kind === 'undo' && run === undefined ? plan.units.map(() => 'changed' as const) : undefined;
}

/** `reads: about 28,000 rows of mart.orders`: what stands before the colon is what it is about. */
function noteLine(note: string) {
  const found = /^([a-z][a-z ]{2,12}): ([\s\S]+)$/.exec(note);
  if (found !== null) return detailLine(found[1] ?? '', found[2] ?? '');
  return detailLine(/\bVACUUM\b/.test(note) ? 'vacuum' : 'note', note);
}

function calendarView(facts: SessionFacts): CalendarView | undefined {
  const grid = facts.calendars.get(facts.shownTask);
  return grid && { ...grid, cells: cellsOf(grid, facts) };
}

function cellsOf(grid: CalendarGrid | undefined, facts: SessionFacts): readonly CalendarCellView[] {
  if (grid === undefined) return [];
  const planned = new Set(facts.plan?.units.map(({ id }) => id));
  return grid.cells.map((cell) => ({
    ...cell,
    ...shownAs(cell.unit, facts, grid.task),
    inRange: planned.has(cell.unit),
  }));
}

/** What the table holds is said where no run from here made it, or where it has lost what one made. */
function shownAs(unit: string, facts: SessionFacts, task: string): Pick<CalendarCellView, 'state' | 'said'> {
  const state = stateOf(unit, facts);
  const survey = facts.surveys.get(task);
  const gap = survey?.gaps.get(unit);
  const isUnmade = state === 'never' || state === 'unknown';
  const usual = gap?.usual === undefined ? '' : `, where about ${countInWords(gap.usual)} are usual`;
  if (gap?.kind === 'missing' && (isUnmade || (state === 'fresh' && (facts.ledger?.get(unit)?.rows ?? 0) > 0)))
    return { state: 'missing', said: `no row${usual}` };
  if (!isUnmade || survey === undefined) return { state, said: undefined };
  const rows = survey.rows.get(unit);
  if (rows === undefined || rows === 0) return { state, said: undefined };
  return gap === undefined
    ? { state: 'there', said: `${counted(rows, 'row')}, not made from here` }
    : { state: 'odd', said: `${counted(rows, 'row')}${usual}` };
}

/** What a run of this session did is newer than what the ledger said before. */
function stateOf(unit: string, { ledger, outcomes }: SessionFacts): IntervalState {
  switch (outcomes.get(unit)?.state) {
    case 'changed':
      return 'changed';
    case 'unchanged':
    case 'skipped':
    case 'done':
      return 'fresh';
    case 'held':
      return 'held';
    case 'failed':
    case 'unknown':
      return 'failed';
    case 'running':
      return 'running';
    default: {
      const state = ledger?.get(unit)?.state;
      return state === 'halfway' ? 'failed' : (state ?? (ledger === undefined ? 'unknown' : 'never'));
    }
  }
}
