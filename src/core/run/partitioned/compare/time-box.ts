import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import { stopSignal } from '../../session/stop-signal.ts';
import { isCancellation } from '../../session/unit-error.ts';
import type { CancelSignal } from '../../unit/cancel-signal.ts';
import type { Clock } from '../../unit/clock.ts';

/** What is looked at and thrown away has a limit: after it what runs is stopped. */
export interface TimeBox {
  /** Stops at the limit, and with each signal that is followed. */
  readonly signal: CancelSignal;
  /** Stops with `signal` too, until the function that it gives is called. */
  follow(signal: CancelSignal): () => void;
  /** An error of what was stopped, as it is to be told: that the time was up, where that was why. */
  causeOf(error: unknown): unknown;
  end(): void;
}

/** `what`: as a sentence begins, e.g. `The preview`; `instead`: what helps. */
export function timeBox(clock: Clock, limitMs: number, what: string, instead: string): TimeBox {
  const over = stopSignal();
  const finished = stopSignal();
  let timedOut = false;
  void clock.sleep(limitMs, finished).then(() => {
    if (finished.aborted) return;
    timedOut = true;
    over.abort();
  });
  return {
    signal: over,
    follow(signal) {
      const stop = () => over.abort();
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      return () => signal.removeEventListener('abort', stop);
    },
    causeOf: (error) =>
      timedOut && isCancellation(error)
        ? new WarehouseError(
            'timeout',
            `${what} took longer than ${Math.round(limitMs / 1000)} s and was stopped.`,
            false,
            { hint: instead },
          )
        : error,
    end: () => finished.abort(),
  };
}
