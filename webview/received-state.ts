import type { AssistantState } from '../src/protocol/assistant-state.ts';
import type { AssistantNews } from './host-channel.ts';

/** The state of the page after an event of the host. `undefined`: the whole of it has not arrived yet. */
export function received(state: AssistantState | undefined, event: AssistantNews): AssistantState | undefined {
  if (event.type === 'state') {
    const cleared = Object.fromEntries(event.cleared.map((key) => [key, undefined]));
    const next = { ...state, ...event.state, ...cleared };
    return isWhole(next) ? next : state;
  }
  if (state?.marks === undefined || event.changes.length === 0) return state;
  const states = [...state.marks.states];
  const rows = [...state.marks.rows];
  for (const change of event.changes) {
    states[change.index] = change.state;
    rows[change.index] = change.rows;
  }
  return { ...state, marks: { states, rows } };
}

const isWhole = (state: Partial<AssistantState>): state is AssistantState =>
  state.status !== undefined && state.choose !== undefined && state.connection !== undefined;
