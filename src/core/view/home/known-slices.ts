import type { SliceState } from '../../ledger/slice-states.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import { taskOfUnit } from '../../plan/model/unit-id.ts';

/** A slice as a ledger has it. */
export interface KnownSlice extends SliceState {
  /** The connection of the ledger that knows it, where it is not the first one. */
  readonly on?: string;
}

export type SlicesByTask = ReadonlyMap<TaskId, readonly KnownSlice[]>;

export function slicesByTask(states: readonly KnownSlice[]): SlicesByTask {
  const found = new Map<TaskId, KnownSlice[]>();
  for (const state of states) {
    const task = taskOfUnit(state.unit);
    const known = found.get(task);
    if (known === undefined) found.set(task, [state]);
    else known.push(state);
  }
  return found;
}

/** What the ledgers of a workspace know together: where several know a slice, the first of them speaks. */
export function slicesOfLedgers(
  ledgers: readonly { readonly connection: string; readonly states: readonly SliceState[] }[],
  first: string,
): readonly KnownSlice[] {
  const known = new Set<string>();
  return ledgers.flatMap(({ connection, states }) => {
    const own = states.filter(({ unit }) => !known.has(unit));
    for (const { unit } of own) known.add(unit);
    return connection === first ? own : own.map((state) => ({ ...state, on: connection }));
  });
}
