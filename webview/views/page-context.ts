import type { AssistantState, Request } from '../../src/protocol/assistant-state.ts';
import type { PageMemory } from '../page-memory.ts';

/** What every view gets: the host's state, what the page itself remembers, and the ways to change either. */
export interface PageContext {
  readonly state: AssistantState;
  readonly memory: PageMemory;
  ask(request: Request): void;
  remember(patch: Partial<PageMemory>): void;
}

/** Whether range, tasks and options can be changed now. */
export const isFixed = ({ status, plan }: AssistantState): boolean =>
  status.live || plan?.purpose.kind === 'undo' || plan?.purpose.kind === 'proof';
