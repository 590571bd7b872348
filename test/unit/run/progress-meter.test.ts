import { expect, test } from 'vitest';
import { progressMeter } from '../../../src/core/run/order/progress-meter.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';

const minute = 60_000;
const at = (minutes: number) => instant(minutes * minute);
const left = (meter: ReturnType<typeof progressMeter>, now: number, running: [task: string, since: number][] = []) => {
  const at_ = running.map(([task, since]) => ({ task, since: at(since) }));
  const { remainingMs } = meter.read(at_, at(now));
  return remainingMs === undefined ? undefined : remainingMs / minute;
};

test('without anything known, the pace of this run tells, with its first finished unit', () => {
  const meter = progressMeter(['a', 'a', 'a', 'b'], at(0));
  expect(left(meter, 1)).toBeUndefined();
  meter.ended({ state: 'changed', durationMs: 2 * minute }, 'a');
  expect(left(meter, 2)).toBe(6);
  meter.ended({ state: 'blocked', durationMs: undefined }, 'b');
  expect(left(meter, 2)).toBe(4);
});

test('what tasks took before tells from the first moment on, and less as they go on', () => {
  const meter = progressMeter(['a', 'a', 'b', 'b'], at(0), 2);
  meter.expect(
    new Map([
      ['a', 4 * minute],
      ['b', 10 * minute],
    ]),
  );
  // Two side by side.
  expect(left(meter, 0)).toBe(14);
  expect(
    left(meter, 2, [
      ['a', 0],
      ['b', 0],
    ]),
  ).toBe(12);
  // One that takes longer than ever does not make the others shorter.
  expect(left(meter, 60, [['a', 0]])).toBe(12);
  // What this run itself has seen counts more.
  meter.ended({ state: 'changed', durationMs: 6 * minute }, 'a');
  expect(left(meter, 6)).toBe(13);
  meter.before('b');
  expect(left(meter, 6)).toBe(8);
});

test('tasks of which nothing is known go by the pace of the run beside those of which something is', () => {
  const meter = progressMeter(['a', 'b', 'b'], at(0), 1);
  meter.expect(new Map([['a', 5 * minute]]));
  expect(left(meter, 0)).toBeUndefined();
  meter.ended({ state: 'unchanged', durationMs: minute }, 'b');
  expect(left(meter, 1)).toBe(6);
});
