import type { SliceDiff } from '../core/diff/slice-diff.ts';
import type { UnitState } from '../core/ledger/ledger-store.ts';
import type { PlanGrid, PlanGridUnit } from '../core/view/page/plan-view.ts';
import type { DownstreamEntry } from '../core/view/page/range-view.ts';

/**
 * What the assistant page shows. The host owns it and replays it whole whenever the page wakes; the page keeps
 * nothing but scroll and focus. Times are ISO instants in UTC beside the text in the pipeline's zone.
 */
export interface AssistantState {
  readonly task: string;
  /** URI of the workspace folder, so that a reloaded page finds its session. */
  readonly folder: string;
  readonly zone: string;
  readonly connection: ConnectionView;
  readonly step: 'choose' | 'plan' | 'run';
  readonly choose: ChooseView;
  readonly plan: PlanView | undefined;
  readonly run: RunView | undefined;
  /** The unit whose details are open, in plan and run. */
  readonly selected: UnitDetail | undefined;
  /** What is going on right now, said in words, e.g. "Planning…"; `undefined` when idle. */
  readonly busy: string | undefined;
  /** The last thing that went wrong, with what to do. */
  readonly error: { readonly message: string; readonly remedy: string | undefined } | undefined;
}

export interface ConnectionView {
  /** `undefined`: none chosen yet; the page then offers the embedded database and "Connect Warehouse…". */
  readonly name: string | undefined;
  readonly target: string | undefined;
  readonly protected: boolean;
  readonly names: readonly string[];
}

export interface ChooseView {
  /** Bare dates or local date-times as typed; the end is the first moment not included. */
  readonly from: string;
  readonly to: string;
  /** "30 daily intervals, 1 Nov to 30 Nov; 1 Dec not included", or why nothing can be started. */
  readonly summary: string;
  readonly valid: boolean;
  /** The selected task's recent intervals for the calendar strip, oldest first. */
  readonly strip: readonly {
    /** As they would be typed into the range; `to` is not included. */
    readonly from: string;
    readonly to: string;
    readonly label: string;
    readonly inRange: boolean;
    readonly state: StripState;
  }[];
  readonly downstream: readonly DownstreamView[];
  readonly options: OptionsView;
}

export type StripState = 'never-run' | 'current' | 'failed' | 'held' | 'unknown';

export type DownstreamView = DownstreamEntry;

export interface OptionsView {
  readonly concurrency: number;
  readonly maxConcurrency: number;
  readonly compare: 'rows' | 'checksums' | 'none';
  readonly shrinkPercent: number | undefined;
  readonly stopAtFirstFailure: boolean;
  /** Leave out units behind others whose inputs are as their last run saw them. */
  readonly earlyCutoff: boolean;
}

export type PlanView = PlanGrid;
export type UnitView = PlanGridUnit;

/** What is done with a plan. Only a run writes. */
export type RunMode = 'run' | 'preview' | 'prove';

export interface RunView {
  readonly run: string;
  readonly mode: RunMode;
  readonly status: 'running' | 'cancelling' | 'finished' | 'cancelled' | 'interrupted';
  /** Parallel to {@link PlanView.units}. */
  readonly states: readonly UnitState[];
  readonly counts: Readonly<Partial<Record<UnitState, number>>>;
  readonly unitsPerMinute: number | undefined;
  readonly secondsLeft: number | undefined;
  readonly summary: string;
  /** What is to be known beside the outcome, e.g. what a proof varied. */
  readonly notes: readonly string[];
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
}
