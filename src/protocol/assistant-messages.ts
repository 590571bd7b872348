import type { UnitState } from '../core/ledger/ledger-store.ts';
import type { AssistantState, RunMode, RunView, UnitDetail } from './assistant-state.ts';

/** What a report of a run is written as. */
export type ReportFormat = 'markdown' | 'json' | 'html';

/** What the page asks of the host. Every request is answered, also with a failure. */
export type AssistantRequest =
  /** The page woke up: send the whole state. */
  | { readonly type: 'ready' }
  /** A side that is left out stays as it is: the page may not have seen yet what the other was set to. */
  | { readonly type: 'set-range'; readonly from?: string; readonly to?: string }
  | { readonly type: 'include-task'; readonly task: string; readonly included: boolean }
  | { readonly type: 'set-connection'; readonly name: string }
  | { readonly type: 'use-embedded' }
  | { readonly type: 'connect' }
  | { readonly type: 'set-concurrency'; readonly value: number }
  | { readonly type: 'set-compare'; readonly value: 'rows' | 'checksums' | 'none' }
  | { readonly type: 'set-shrink-percent'; readonly value: number | undefined }
  | { readonly type: 'set-stop-at-first-failure'; readonly value: boolean }
  | { readonly type: 'set-early-cutoff'; readonly value: boolean }
  | { readonly type: 'make-plan' }
  | { readonly type: 'back-to-choose' }
  | { readonly type: 'start'; readonly mode: Exclude<RunMode, 'prove'> }
  /** Plans the intervals of the task alone and runs each twice. */
  | { readonly type: 'prove' }
  | { readonly type: 'cancel' }
  | { readonly type: 'resume' }
  /** Lets held units through, one of them or all, and goes on. */
  | { readonly type: 'approve-held'; readonly index?: number }
  /** Plans to take back what the run changed, one unit of it or all. Nothing is written before that is started. */
  | { readonly type: 'undo'; readonly index?: number }
  | { readonly type: 'select-unit'; readonly index: number }
  | { readonly type: 'close-unit' }
  | { readonly type: 'open-source'; readonly task: string }
  | { readonly type: 'open-diff'; readonly index: number }
  | { readonly type: 'copy-command' }
  /** The host asks which format. */
  | { readonly type: 'export' };

/** A request with the number that its answer carries. */
export interface NumberedRequest {
  readonly id: number;
  readonly request: AssistantRequest;
}

/** What the host tells the page. `units` carries only what changed since the last state or `units` message. */
export type AssistantEvent =
  | { readonly type: 'state'; readonly state: AssistantState }
  | {
      readonly type: 'units';
      readonly changes: readonly { readonly index: number; readonly state: UnitState }[];
      readonly run: Omit<RunView, 'states'>;
      readonly selected: UnitDetail | undefined;
    }
  | { readonly type: 'answer'; readonly id: number; readonly error: string | undefined };
