import type { SliceState } from '../../ledger/slice-states.ts';
import type { HomeIcon } from './home-node.ts';

/** States of a slice as the side bar tells them apart, the worst first. */
export const shownStates = ['halfway', 'failed', 'held', 'running', 'stale', 'never', 'fresh'] as const;
export type ShownState = (typeof shownStates)[number];

export const stateIcons: Readonly<Record<ShownState, HomeIcon>> = {
  halfway: { name: 'error', color: 'charts.red' },
  failed: { name: 'error', color: 'charts.red' },
  held: { name: 'debug-pause', color: 'charts.orange' },
  running: { name: 'sync~spin', color: 'charts.blue' },
  stale: { name: 'history', color: 'charts.yellow' },
  never: { name: 'circle-outline', color: 'disabledForeground' },
  fresh: { name: 'pass', color: 'charts.green' },
};

export const stateWords: Readonly<Record<ShownState, string>> = {
  halfway: 'stopped halfway',
  failed: 'failed',
  held: 'held',
  running: 'running',
  stale: 'stale',
  never: 'never run from here',
  fresh: 'current',
};

/** What needs somebody, or a rerun. */
export const isNotCurrent = ({ state }: SliceState): boolean => state !== 'fresh';

/** `2 held · 13 stale`, the worst first; empty where all is as a run would make it. */
export function countsInWords(slices: readonly SliceState[]): string {
  const counts = new Map<SliceState['state'], number>();
  for (const { state } of slices) counts.set(state, (counts.get(state) ?? 0) + 1);
  return shownStates
    .filter((state): state is SliceState['state'] => state !== 'fresh' && counts.has(state as SliceState['state']))
    .map((state) => `${counts.get(state)} ${stateWords[state]}`)
    .join(' · ');
}

/** The worst of them; `undefined`: none is there. */
export const worstOf = (slices: readonly SliceState[]): SliceState['state'] | undefined =>
  shownStates.find((state): state is SliceState['state'] => slices.some((slice) => slice.state === state));
