import { afterEach, expect, test } from 'vitest';
import { processShell } from '../../../src/cli/terminal/process-shell.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const streams = [process.stdout, process.stderr];
const before = signals.map((signal) => process.listeners(signal));
const errorListeners = streams.map((stream) => stream.listeners('error'));

/** How many listeners there are besides those of the test runner. */
const added = (): number[] =>
  signals.map((signal, index) => process.listenerCount(signal) - (before[index]?.length ?? 0));

/** What the system's signal does, without those who listened before. */
function receive(signal: (typeof signals)[number]): void {
  const known = before[signals.indexOf(signal)] ?? [];
  for (const listener of process.listeners(signal)) if (!known.includes(listener)) listener(signal);
}

afterEach(() => {
  for (const [index, signal] of signals.entries())
    for (const listener of process.listeners(signal))
      if (before[index]?.includes(listener) === false) process.removeListener(signal, listener);
  for (const [index, stream] of streams.entries())
    for (const listener of stream.listeners('error'))
      if (errorListeners[index]?.includes(listener) === false)
        stream.removeListener('error', listener as (error: Error) => void);
});

test('the system ends a command that never asked to hear of a cancel', () => {
  processShell();
  expect(added()).toEqual([0, 0, 0]);
});

test('the first request to end cancels, the next one is left to the system', () => {
  const signal = processShell().shell.listenForCancel();
  let cancelled = 0;
  signal.addEventListener('abort', () => cancelled++, { once: true });
  expect(added()).toEqual([1, 1, 1]);
  receive('SIGTERM');
  expect([signal.aborted, cancelled]).toEqual([true, 1]);
  expect(added()).toEqual([0, 0, 0]);
});
