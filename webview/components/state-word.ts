import type { UnitState } from '../../src/core/ledger/ledger-store.ts';
import type { Mode } from '../../src/protocol/assistant-state.ts';

export type StateWords = Readonly<Record<UnitState | 'planned', string>>;

const run: StateWords = {
  planned: 'planned',
  waiting: 'waiting',
  running: 'running',
  changed: 'changed',
  unchanged: 'unchanged',
  skipped: 'skipped, left as it was',
  done: 'done elsewhere, not compared',
  held: 'held',
  failed: 'failed',
  blocked: 'waits behind another slice',
  cancelled: 'stopped',
  unknown: 'stopped halfway',
};

const words: Readonly<Record<Mode | 'undo', StateWords>> = {
  run,
  preview: {
    ...run,
    changed: 'would change',
    held: 'would be held',
    unchanged: 'would stay as it is',
    waiting: 'not previewed',
  },
  prove: {
    ...run,
    changed: 'differs when run twice',
    unchanged: 'no difference found',
    held: 'writes outside of its slice',
  },
  undo: { ...run, planned: 'will be put back', changed: 'put back' },
};

/** What a slice's state is called, in cells, legend and side. */
export const stateWords = (mode: Mode | undefined, isUndo = false): StateWords =>
  isUndo && mode !== 'preview' ? words.undo : words[mode ?? 'run'];

/** The worst state comes first. */
export const byWeight: readonly (UnitState | 'planned')[] = [
  'failed',
  'unknown',
  'held',
  'running',
  'changed',
  'blocked',
  'done',
  'unchanged',
  'skipped',
  'cancelled',
  'waiting',
  'planned',
];
