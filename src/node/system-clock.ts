import type { Clock } from '../core/run/unit/clock.ts';
import { instant } from '../core/time/zones/instant.ts';

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => instant(Date.now()),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end, { once: true });
    }),
};
