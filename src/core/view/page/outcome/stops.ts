import type { UnitState } from '../../../ledger/ledger-store.ts';

/** States of units whose slices differ from before, would, or came to no good end: those that are looked at one by one. */
const noteworthy: ReadonlySet<UnitState> = new Set(['changed', 'held', 'failed', 'unknown']);
const decided: ReadonlySet<UnitState> = new Set(['held', 'failed', 'unknown']);

/**
 * Indexes of the units that "next" and "previous" stop at, in the order of the grid. Where something was held or failed
 * only that is looked at.
 */
export function stopsOf(
  rows: readonly { readonly units: readonly number[] }[],
  states: readonly UnitState[],
): readonly number[] {
  const wanted = states.some((state) => decided.has(state)) ? decided : noteworthy;
  return rows.flatMap(({ units }) => units.filter((index) => wanted.has(states[index] ?? 'waiting')));
}
