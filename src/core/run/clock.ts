import type { Instant } from '../time/instant.ts';

/** The only way core learns what time it is or waits. */
export interface Clock {
  now(): Instant;
  sleep(ms: number): Promise<void>;
}
