import type { UnitState } from '../core/ledger/ledger-store.ts';
import type { UnitRows } from '../core/view/page/outcome/unit-rows.ts';
import type { PageRequest } from '../core/view/page/page-request.ts';
import type { AssistantState } from './assistant-state.ts';

/** A request with the number that its answer carries. */
export interface NumberedRequest {
  readonly id: number;
  readonly request: PageRequest;
}

/** A unit whose state or figures changed. */
export interface UnitChange {
  readonly index: number;
  readonly state: UnitState;
  readonly rows: UnitRows | undefined;
}

/**
 * What the host tells the page: the parts of the state that changed (`cleared`: those that are not there any more, which a
 * message cannot carry), and units that changed since.
 */
export type AssistantEvent =
  | {
      readonly type: 'state';
      readonly state: Partial<AssistantState>;
      readonly cleared: readonly (keyof AssistantState)[];
    }
  | { readonly type: 'units'; readonly changes: readonly UnitChange[] }
  | { readonly type: 'answer'; readonly id: number; readonly error: string | undefined };
