import type { UnitState } from '../../../core/ledger/ledger-store.ts';
import type { SliceState } from '../../../core/ledger/slice-states.ts';
import type { Gap } from '../../../core/run/survey/find-gaps.ts';
import type { DeclarationDraft } from '../../../core/view/document/draft-declaration.ts';
import type { UnitRows } from '../../../core/view/page/outcome/unit-rows.ts';
import type { CalendarGrid } from '../../../core/view/page/range/calendar-view.ts';
import type { ObservedFacts, PageFacts, RunFacts } from '../../../core/view/page/status/page-facts.ts';
import type { AssistantState, ChangeEntry, ChooseView } from '../../../protocol/assistant-state.ts';

/** What a session knows; the page is drawn from what follows from it. */
export interface SessionFacts
  extends Pick<AssistantState, 'task' | 'dag' | 'name' | 'folder' | 'zone' | 'connection' | 'plan' | 'selected'>,
    Pick<PageFacts, 'silent' | 'busy' | 'starting' | 'error' | 'outdated' | 'keepBeforeDays'> {
  readonly choose: Omit<ChooseView, 'presets'>;
  /** The task that calendar and chart are of. */
  readonly shownTask: string;
  readonly calendars: ReadonlyMap<string, CalendarGrid>;
  /** By unit; `undefined`: no ledger was asked yet, or it did not answer. */
  readonly ledger: ReadonlyMap<string, SliceState> | undefined;
  /** What its tables hold, by task, whoever wrote it. */
  readonly surveys: ReadonlyMap<string, SurveyFacts>;
  /** What slices of the plan hold whose tasks have no survey, and what of them could not be counted. */
  readonly counted: { readonly rows: ReadonlyMap<string, number>; readonly untold: readonly string[] };
  /** What the chart of a task was chosen to show, by task; the others choose by themselves. */
  readonly measures: ReadonlyMap<string, string>;
  /** What runs of this session made of units since the ledger was asked. */
  readonly outcomes: ReadonlyMap<string, UnitOutcomeFacts>;
  readonly run: RunState | undefined;
  readonly observed: ObservedState | undefined;
}

/** What the page's task was seen to write, and the entry of `backfill.yaml` that says what is clear of it. */
export interface ObservedState extends ObservedFacts {
  readonly draft: DeclarationDraft;
}

/** What the tables of a task hold. */
export interface SurveyFacts {
  readonly rows: ReadonlyMap<string, number>;
  readonly gaps: ReadonlyMap<string, Gap>;
  /** Columns that can be added up. */
  readonly columns: readonly string[];
  /** What one of them adds up to, as decimals, by unit; none where that could not be told. */
  readonly sum: { readonly of: string; readonly by: ReadonlyMap<string, string> } | undefined;
  /** Tables that could not be counted, and why. */
  readonly untold: readonly string[];
}

/** What became of a unit, and the rows that its slices hold since. */
export interface UnitOutcomeFacts {
  readonly state: UnitState;
  readonly rows: number | undefined;
}

/** A run, preview or proof of the plan that is shown. */
export interface RunState extends RunFacts {
  /** Parallel to the plan's units. */
  readonly states: readonly UnitState[];
  readonly rows: readonly (UnitRows | undefined)[];
  readonly counts: Readonly<Partial<Record<UnitState, number>>>;
  readonly startedAt: number;
  /** Newest first. */
  readonly changes: readonly ChangeEntry[];
  /** How it goes or went, in one sentence. */
  readonly summary: string;
  /** What is to be known beside the outcome, e.g. what it reads and locks. */
  readonly notes: readonly string[];
}
