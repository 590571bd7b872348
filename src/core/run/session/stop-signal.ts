import type { CancelSignal } from '../unit/cancel-signal.ts';

/** A signal that core itself gives; what AbortController is outside. */
export function stopSignal(): CancelSignal & { abort(): void } {
  const listeners = new Set<() => void>();
  let aborted = false;
  return {
    get aborted() {
      return aborted;
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
    abort: () => {
      if (aborted) return;
      aborted = true;
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
}
