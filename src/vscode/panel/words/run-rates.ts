import type { RunProgress } from '../../../core/run/unit/run-event.ts';
import type { RunView } from '../../../protocol/assistant-state.ts';

type Rates = Pick<RunView, 'unitsPerMinute' | 'secondsLeft'>;

/** How fast a run goes on, for the page. */
export const ratesOf = ({ unitsPerMinute, remainingMs }: RunProgress): Rates => ({
  unitsPerMinute,
  secondsLeft: remainingMs === undefined ? undefined : Math.ceil(remainingMs / 1000),
});

export const noRates: Rates = { unitsPerMinute: undefined, secondsLeft: undefined };
