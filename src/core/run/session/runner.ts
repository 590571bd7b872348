import type { Clock } from '../unit/clock.ts';

/** What running units needs from outside. */
export interface RelationalRunner {
  readonly clock: Clock;
  /** Names this process to whoever waits for it, e.g. `anna@laptop 4711`; unique among running processes. */
  readonly owner: string;
}
