import type { UnitState } from '../../src/core/ledger/ledger-store.ts';

/** What a unit's state is called on the page, and what the colour of its cell means in the legend. */
export const stateWords: Readonly<Record<UnitState, string>> = {
  waiting: 'waiting',
  running: 'running',
  changed: 'changed',
  unchanged: 'unchanged',
  skipped: 'skipped, inputs unchanged',
  held: 'held',
  failed: 'failed',
  blocked: 'blocked',
  cancelled: 'cancelled',
};
