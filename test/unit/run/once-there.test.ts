import { expect, test } from 'vitest';
import { onceThere } from '../../../src/core/run/carried/once-there.ts';
import type { Clock } from '../../../src/core/run/unit/clock.ts';
import type { RunEvent } from '../../../src/core/run/unit/run-event.ts';
import { defaultRunOptions } from '../../../src/core/run/unit/run-options.ts';
import type { Scheduler } from '../../../src/core/scheduler/port/scheduler.ts';
import { SchedulerError } from '../../../src/core/scheduler/port/scheduler-error.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';

const away = new SchedulerError('connection', 'nobody answers', true);
const there = { description: { name: 'prod' } } as Scheduler;

/** Opens a scheduler that is away for so many tries; the clock moves by what is slept. */
async function opened(tries: number, patienceMs: number, refusal: SchedulerError = away, abortAt = Infinity) {
  let now = 0;
  let asked = 0;
  const events: RunEvent[] = [];
  const clock: Clock = {
    now: () => instant(now),
    sleep: async (ms) => {
      now += ms;
    },
  };
  const signal = {
    get aborted() {
      return now >= abortAt;
    },
    addEventListener: () => {},
    removeEventListener: () => {},
  };
  const open = async () => {
    if (asked++ < tries) throw refusal;
    return there;
  };
  const waiting = { clock, signal, onEvent: (event: RunEvent) => events.push(event) };
  const found = await onceThere(open, { ...defaultRunOptions, patienceMs }, waiting).catch((error: unknown) => error);
  return { found, asked, now, said: events.map(({ kind }) => kind) };
}

test('a scheduler that is there is opened, and nothing is said', async () => {
  expect(await opened(0, 60_000)).toEqual({ found: there, asked: 1, now: 0, said: [] });
});

test('one that is away is waited for, and that is said once', async () => {
  expect(await opened(5, 60_000)).toMatchObject({ found: there, asked: 6, said: ['server-away', 'server-back'] });
});

test('it is waited for as long as the run has patience, and no longer', async () => {
  const { found, now, said } = await opened(Infinity, 60_000);
  expect(found).toBe(away);
  expect(now).toBeLessThanOrEqual(60_000);
  expect(now).toBeGreaterThan(50_000);
  expect(said).toEqual(['server-away']);
});

test('what it says no to is not asked again, and a cancel ends the wait', async () => {
  const login = new SchedulerError('login', 'no', false);
  expect(await opened(3, 60_000, login)).toMatchObject({ found: login, asked: 1, said: [] });
  expect(await opened(Infinity, 60_000, away, 4000)).toMatchObject({ found: away, now: expect.any(Number) });
  expect((await opened(Infinity, 60_000, away, 4000)).now).toBeLessThan(10_000);
});
