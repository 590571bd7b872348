import type { UnitState } from '../../src/core/ledger/ledger-store.ts';
import type { RunMode } from '../../src/protocol/assistant-state.ts';

export type StateWords = Readonly<Record<UnitState, string>>;

/** What a unit's state is called on the page, and what the colour of its cell means in the legend. */
export const stateWords = (mode: RunMode | undefined): StateWords => (mode === 'prove' ? proofWords : runWords);

const runWords: StateWords = {
  waiting: 'waiting',
  running: 'running',
  changed: 'changed',
  unchanged: 'unchanged',
  skipped: 'skipped, inputs unchanged',
  done: 'done elsewhere',
  held: 'held',
  failed: 'failed',
  blocked: 'blocked',
  cancelled: 'cancelled',
  unknown: 'not atomic, stopped halfway',
};

/** A proof asks what a second run would change. */
const proofWords: StateWords = {
  ...runWords,
  changed: 'differs when run twice',
  unchanged: 'no difference found',
  held: 'writes outside of its slice',
};
