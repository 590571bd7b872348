import type { UnitState } from '../../../core/ledger/ledger-store.ts';
import { countStates } from '../../../core/run/unit/run-result.ts';
import type { AssistantEvent } from '../../../protocol/assistant-messages.ts';
import type { AssistantState, ChooseView, RunView, UnitDetail } from '../../../protocol/assistant-state.ts';

/** Changes of units reach the page at most this often. */
const flushMs = 100;

/** The state of one session and the way it reaches the page: whole, or as the units that changed. */
export interface SessionStore {
  readonly state: AssistantState;
  set(patch: Partial<AssistantState>): void;
  choose(patch: Partial<ChooseView>): void;
  /** Changes the run without sending the whole plan again. */
  patchRun(patch: Partial<Omit<RunView, 'states' | 'counts'>>): void;
  mark(index: number, state: UnitState): void;
  /** Sends what has been marked now; `detail` refreshes the unit that is looked at. */
  flush(): void;
  /** Does something that takes a moment, said in words meanwhile; what goes wrong is shown and thrown on. */
  during<T>(busy: string, work: () => Promise<T>): Promise<T>;
  onEvent(listener: (event: AssistantEvent) => void): { dispose(): void };
  dispose(): void;
}

export function sessionStore(
  first: AssistantState,
  detailOf: (selected: UnitDetail, states: readonly UnitState[]) => UnitDetail,
): SessionStore {
  const listeners = new Set<(event: AssistantEvent) => void>();
  let state = first;
  let changes = new Map<number, UnitState>();
  let timer: NodeJS.Timeout | undefined;

  const emit = (event: AssistantEvent): void => {
    for (const listener of listeners) listener(event);
  };
  const set = (patch: Partial<AssistantState>): void => {
    state = { ...state, ...patch };
    emit({ type: 'state', state });
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (state.run === undefined) return;
    const states = [...state.run.states];
    for (const [index, to] of changes) states[index] = to;
    const sent = [...changes].map(([index, to]) => ({ index, state: to }));
    changes = new Map();
    const run = { ...state.run, states, counts: countStates(states.map((one) => ({ state: one }))) };
    const selected = state.selected === undefined ? undefined : detailOf(state.selected, states);
    state = { ...state, run, selected };
    const { states: _, ...rest } = run;
    emit({ type: 'units', changes: sent, run: rest, selected });
  };
  const scheduleFlush = (): void => {
    timer ??= setTimeout(flush, flushMs);
  };

  return {
    get state() {
      return state;
    },
    set,
    choose: (patch) => set({ choose: { ...state.choose, ...patch } }),
    patchRun(patch) {
      if (state.run !== undefined) state = { ...state, run: { ...state.run, ...patch } };
      scheduleFlush();
    },
    mark(index, to) {
      changes.set(index, to);
      scheduleFlush();
    },
    flush,
    async during(busy, work) {
      set({ busy, error: undefined });
      try {
        return await work();
      } catch (error) {
        set({ error: { message: error instanceof Error ? error.message : String(error), remedy: undefined } });
        throw error;
      } finally {
        set({ busy: undefined });
      }
    },
    onEvent(listener) {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
    dispose() {
      clearTimeout(timer);
      listeners.clear();
    },
  };
}
