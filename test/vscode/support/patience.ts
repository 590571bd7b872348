import { expect } from 'vitest';

/** Long enough for a machine that is busy with other things; everything waits for a condition, never for a time. */
export const patienceMs = 240_000;

/** How long the effect of a key or a click is watched for before a person would try again. */
export const momentMs = 15_000;

/** Waits until a value that is asked for again and again is as expected. */
export const eventually = <Value>(ask: () => Promise<Value>): ReturnType<typeof expect.poll<Value>> =>
  expect.poll(ask, { timeout: patienceMs, interval: 200 });

/**
 * Does something until its effect is seen, as a person does: a key that a window was not ready for, or a click on
 * what was just drawn anew, is tried again. `act` must wait for what it needs, and may be done twice.
 */
export async function until(seen: () => Promise<boolean>, act: () => Promise<unknown>): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const failure = await act().then(
      () => undefined,
      (error: unknown) => error,
    );
    const lookUntil = Date.now() + (failure === undefined ? momentMs : 1000);
    do {
      if (await seen()) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } while (Date.now() < lookUntil);
    if (Date.now() > giveUpAt) throw new Error('tried again and again, without effect', { cause: failure });
  }
}
