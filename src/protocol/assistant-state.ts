import type { SliceDiff } from '../core/diff/slice-diff.ts';
import type { UnitState } from '../core/ledger/ledger-store.ts';
import type { DetailLine } from '../core/view/page/detail-line.ts';
import type { ChartPoint, ChartView } from '../core/view/page/outcome/chart-view.ts';
import type { TotalsRow } from '../core/view/page/outcome/totals-view.ts';
import type { UnitRows } from '../core/view/page/outcome/unit-rows.ts';
import type { PageRequest, RunMode } from '../core/view/page/page-request.ts';
import type { PlanGrid, PlanGridRow, PlanGridUnit } from '../core/view/page/plan-view.ts';
import type { CalendarCell, CalendarLayout } from '../core/view/page/range/calendar-view.ts';
import type { RangePreset } from '../core/view/page/range/presets.ts';
import type { DownstreamEntry } from '../core/view/page/range/range-view.ts';
import type { ActionView, StatusView } from '../core/view/page/status/status-view.ts';

/**
 * What the assistant page shows. The host owns it and replays it whole whenever the page wakes; the page keeps
 * nothing but scroll, focus and zoom. Times are ISO instants in UTC beside the text in the pipeline's zone.
 */
export interface AssistantState {
  readonly task: string;
  /** Its pipeline, and its name there. */
  readonly dag: string;
  readonly name: string;
  /** URI of the workspace folder, so that a reloaded page finds its session. */
  readonly folder: string;
  readonly zone: string;
  readonly connection: ConnectionView;
  readonly status: StatusView;
  /** What can be done whatever the page is at, below what is beside the one action. */
  readonly standing: readonly ActionView[];
  readonly choose: ChooseView;
  /** Of the selected task. */
  readonly calendar: CalendarView | undefined;
  readonly plan: PlanView | undefined;
  readonly run: RunView | undefined;
  /** Parallel to the plan's units; `undefined` before a run. */
  readonly marks: MarksView | undefined;
  /** Of the selected task; `undefined` where nothing of it can be counted. */
  readonly chart: ChartView | undefined;
  readonly totals: readonly TotalsRow[];
  /** Units that changed, newest first, while a run goes on. */
  readonly changes: readonly ChangeEntry[];
  /** Units that "next" and "previous" stop at, in the order of the grid. */
  readonly stops: readonly number[];
  readonly details: readonly DetailLine[];
  /** The unit whose details are open. */
  readonly selected: UnitDetail | undefined;
}

export interface ConnectionView {
  /** `undefined`: none chosen yet. */
  readonly name: string | undefined;
  readonly target: string | undefined;
  readonly protected: boolean;
  readonly names: readonly string[];
}

export interface ChooseView {
  /** Bare dates or local date-times as typed; the end is the first moment not included. */
  readonly from: string;
  readonly to: string;
  /** Only these units of it; `undefined`: all of it. */
  readonly only?: readonly string[] | undefined;
  /** `31 intervals`; empty where the range means nothing. */
  readonly count: string;
  /** Which ones, and the first moment that is not included; or why nothing can be started. */
  readonly summary: string;
  readonly valid: boolean;
  readonly presets: readonly RangePreset[];
  readonly downstream: readonly DownstreamView[];
  readonly options: OptionsView;
  /** Schedulers of `backfill.yaml`, by name. */
  readonly schedulers: readonly string[];
}

/**
 * `unknown`: no ledger was asked yet. `there`, `odd` and `missing` are of what the table holds where no run from here made it:
 * rows, far fewer or more than around it, or none where others have some.
 */
export type IntervalState =
  | 'never'
  | 'there'
  | 'odd'
  | 'missing'
  | 'fresh'
  | 'stale'
  | 'changed'
  | 'held'
  | 'failed'
  | 'running'
  | 'unknown';

export interface CalendarView {
  readonly task: string;
  readonly name: string;
  readonly layout: CalendarLayout;
  /** Oldest first. */
  readonly cells: readonly CalendarCellView[];
  readonly more: boolean;
}

export interface CalendarCellView extends CalendarCell {
  readonly state: IntervalState;
  /** What its state means, where a word alone does not say it. */
  readonly said: string | undefined;
  /** A unit of the plan. */
  readonly inRange: boolean;
}

export type DownstreamView = DownstreamEntry;

export interface OptionsView {
  readonly concurrency: number;
  readonly maxConcurrency: number;
  readonly compare: 'rows' | 'checksums' | 'none';
  readonly shrinkPercent: number | undefined;
  readonly stopAtFirstFailure: boolean;
  /** Leave out units behind others whose inputs are as their last run saw them. */
  readonly earlyCutoff: boolean;
  /** The scheduler that is given what is not run from here; `undefined`: there is none. */
  readonly scheduler?: string | undefined;
  /** It is given SQL tasks too. */
  readonly allToScheduler?: boolean | undefined;
}

export type Mode = RunMode;
export type Request = PageRequest;
export type Action = ActionView;
export type UnitFigures = UnitRows;
export type Chart = ChartView;
export type Point = ChartPoint;
export type Totals = TotalsRow;
export type PlanView = PlanGrid;
export type PlanRow = PlanGridRow;
export type UnitView = PlanGridUnit;

/** What was done, or is being done, with the plan. */
export interface RunView {
  readonly run: string;
  readonly mode: RunMode;
  readonly status: 'running' | 'cancelling' | 'finished' | 'cancelled' | 'interrupted';
}

export interface MarksView {
  readonly states: readonly UnitState[];
  readonly rows: readonly (UnitRows | undefined)[];
}

export interface ChangeEntry {
  readonly index: number;
  readonly rows: UnitRows | undefined;
}

/** How a slice changed, with the causes in words; empty where it did not change. */
export interface SliceView extends SliceDiff {
  readonly why: string;
}

export interface UnitDetail {
  readonly index: number;
  readonly state: UnitState | 'planned';
  readonly message: string | undefined;
  readonly remedy: string | undefined;
  readonly notes: readonly string[];
  readonly durationMs: number | undefined;
  readonly slices: readonly SliceView[];
  /** Rendered SQL of the unit, statement by statement. */
  readonly statements: readonly string[];
  readonly refusal: string | undefined;
  /** What its scheduler does with it, as it was last said. */
  readonly doing: string | undefined;
  /** What the two versions of a slice are called. */
  readonly sides: readonly [string, string];
  /** What can be done with it. */
  readonly actions: readonly UnitAction[];
}

/** `accent`: the decision that is waited for. */
export interface UnitAction extends ActionView {
  readonly accent: boolean;
}
