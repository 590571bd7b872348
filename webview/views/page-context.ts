import type { AssistantRequest } from '../../src/protocol/assistant-messages.ts';
import type { AssistantState } from '../../src/protocol/assistant-state.ts';

/** What every view gets: the host's state and the way to ask for a change. */
export interface PageContext {
  readonly state: AssistantState;
  ask(request: AssistantRequest): void;
}
