import type { Instant } from '../../time/zones/instant.ts';
import type { CancelSignal } from './cancel-signal.ts';

/** The only way core learns what time it is or waits. */
export interface Clock {
  now(): Instant;
  /** Resolves after `ms`, or at once when `signal` is aborted before or meanwhile; never rejects. */
  sleep(ms: number, signal?: CancelSignal): Promise<void>;
}
