import type { UnitState } from '../../../core/ledger/ledger-store.ts';
import { countStates } from '../../../core/run/unit/run-result.ts';
import { type UnitRows, unitRows } from '../../../core/view/page/outcome/unit-rows.ts';
import type { AssistantEvent } from '../../../protocol/assistant-messages.ts';
import type { AssistantState, ChangeEntry, UnitDetail } from '../../../protocol/assistant-state.ts';
import { assistantView, type SlicesOf } from './assistant-view.ts';
import type { RunState, SessionFacts } from './session-facts.ts';

/** Changes of units reach the page at most this often. */
const flushMs = 100;

/** Changes that are listed while a run goes on. */
const listedChanges = 20;

/** What one session knows, and the way it reaches the page: the parts that changed, and the units that did. */
export interface SessionStore {
  readonly state: SessionFacts;
  /** What the page shows of it. */
  readonly view: AssistantState;
  set(patch: Partial<SessionFacts>): void;
  choose(patch: Partial<SessionFacts['choose']>): void;
  /** Changes the run without anything else. */
  patchRun(patch: Partial<Omit<RunState, 'states' | 'rows' | 'counts' | 'changes'>>): void;
  mark(index: number, state: UnitState): void;
  /** Sends what has been marked now, and the unit that is looked at as it is now. */
  flush(): void;
  /** Sends everything: the page has just woken. */
  replay(): void;
  /** Does something that takes a moment, said in words meanwhile; what goes wrong is shown and thrown on. */
  during<T>(busy: string, work: () => Promise<T>): Promise<T>;
  onEvent(listener: (event: AssistantEvent) => void): { dispose(): void };
  dispose(): void;
}

/** What is known of the units of a run. */
export interface UnitKnowledge {
  readonly slicesOf: SlicesOf;
  /** Its scheduler skipped it: what the ledger said of it still holds. */
  isLeftOut(unit: string): boolean;
  detail(selected: UnitDetail, states: readonly UnitState[]): UnitDetail;
}

export function sessionStore(first: SessionFacts, known: UnitKnowledge): SessionStore {
  const listeners = new Set<(event: AssistantEvent) => void>();
  let facts = first;
  let view = assistantView(facts, known.slicesOf);
  let changes = new Map<number, UnitState>();
  let timer: NodeJS.Timeout | undefined;

  const emit = (event: AssistantEvent): void => {
    for (const listener of listeners) listener(event);
  };
  /** `sent`: parts that the page has heard of in another way. */
  const show = (sent: readonly (keyof AssistantState)[] = []): void => {
    const [before, next] = [view, assistantView(facts, known.slicesOf)];
    const keys = (Object.keys(next) as (keyof AssistantState)[]).filter((key) => !same(before[key], next[key]));
    view = { ...before, ...Object.fromEntries(keys.map((key) => [key, next[key]])) };
    const told = keys.filter((key) => !sent.includes(key));
    if (told.length > 0) emit(partOf(view, told));
    else emit({ type: 'units', changes: [] });
  };
  const set = (patch: Partial<SessionFacts>): void => {
    facts = { ...facts, ...patch };
    show();
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const { run, plan } = facts;
    if (run === undefined || plan === undefined) return;
    const states = [...run.states];
    const rows = [...run.rows];
    const outcomes = new Map(facts.outcomes);
    const changed: ChangeEntry[] = [];
    const sent = [...changes].map(([index, state]) => {
      const id = plan.units[index]?.id ?? '';
      const isNews = state === 'changed' && states[index] !== 'changed';
      states[index] = state;
      rows[index] = unitRows(known.slicesOf(id));
      if (run.mode === 'run' && !known.isLeftOut(id))
        outcomes.set(id, { state, rows: rowsNow(state, rows[index]) ?? outcomes.get(id)?.rows });
      if (isNews) changed.push({ index, rows: rows[index] });
      return { index, state, rows: rows[index] };
    });
    changes = new Map();
    const counts = countStates(states.map((state) => ({ state })));
    const listed = [...changed.reverse(), ...run.changes].slice(0, listedChanges);
    const selected = facts.selected === undefined ? undefined : known.detail(facts.selected, states);
    facts = { ...facts, outcomes, run: { ...run, states, rows, counts, changes: listed }, selected };
    if (sent.length > 0) emit({ type: 'units', changes: sent });
    show(['marks']);
  };
  const scheduleFlush = (): void => {
    timer ??= setTimeout(flush, flushMs);
  };

  return {
    get state() {
      return facts;
    },
    get view() {
      return view;
    },
    set,
    choose: (patch) => set({ choose: { ...facts.choose, ...patch } }),
    patchRun(patch) {
      if (facts.run !== undefined) facts = { ...facts, run: { ...facts.run, ...patch } };
      scheduleFlush();
    },
    mark(index, to) {
      changes.set(index, to);
      scheduleFlush();
    },
    flush,
    replay: () => emit(partOf(view, Object.keys(view) as (keyof AssistantState)[])),
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

function partOf(view: AssistantState, keys: readonly (keyof AssistantState)[]): AssistantEvent {
  return {
    type: 'state',
    state: Object.fromEntries(keys.map((key) => [key, view[key]])),
    cleared: keys.filter((key) => view[key] === undefined),
  };
}

/** Rows that a unit left in its slices; `undefined`: what was there is there still, or is not known. */
const rowsNow = (state: UnitState, rows: UnitRows | undefined): number | undefined =>
  state === 'changed' || state === 'unchanged' ? rows?.after : undefined;

/** A part that means the same is not sent again. Plans are made anew whenever they change, and are long. */
const same = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && !isPlan(a) && JSON.stringify(a) === JSON.stringify(b));

const isPlan = (part: unknown): boolean => part !== null && typeof part === 'object' && 'units' in part;
