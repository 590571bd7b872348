import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/core/plan/model/plan.ts';
import type { PreparedRun } from '../../../src/core/run/jobs/prepared-run.ts';
import { runPlan } from '../../../src/core/run/order/run-plan.ts';
import type { RunEvent } from '../../../src/core/run/unit/run-event.ts';
import { defaultRunOptions } from '../../../src/core/run/unit/run-options.ts';
import type { UnitExecutor } from '../../../src/core/run/unit/unit-executor.ts';
import type { UnitJob, UnitOptions } from '../../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../../src/core/run/unit/unit-outcome.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { changed, fakeClock, fakeLedger, jobsOf, planOf } from '../../support/fake-run.ts';
import { lawRuns } from '../../support/laws.ts';

/** Every unit with the slices of its plan, under the caps by table. */
const withCaps = (
  plan: Plan,
  caps: Readonly<Record<string, number | undefined>>,
  options: Partial<UnitOptions> = {},
): PreparedRun => ({
  run: 'r1',
  title: 'a title',
  createdBy: 'tester',
  plan,
  jobs: new Map(
    [...jobsOf(plan, 'r1')].map(([id, job]): [string, UnitJob] => {
      const slices = plan.units.find((unit) => unit.id === id)?.slices ?? [];
      return [
        id,
        {
          ...job,
          slices: slices.map(({ table, column, mode }) => ({
            table,
            column,
            mode,
            from: undefined,
            to: undefined,
            predicate: undefined,
            key: [],
            volatile: [],
            concurrency: caps[table],
          })),
          options: { ...job.options, ...options },
        },
      ];
    }),
  ),
  refused: new Map(),
  options: { ...defaultRunOptions, concurrency: 4 },
});

/** An executor in virtual time that knows how many units were at work on each table at most. */
function rig(answer: (job: UnitJob) => UnitOutcome = () => changed, takes: (job: UnitJob) => number = () => 10) {
  const clock = fakeClock();
  const controller = new AbortController();
  const events: RunEvent[] = [];
  const started: string[] = [];
  const most: Record<string, number> = { all: 0 };
  const now: Record<string, number> = { all: 0 };
  const count = (names: Iterable<string>, by: number): void => {
    for (const name of names) {
      now[name] = (now[name] ?? 0) + by;
      most[name] = Math.max(most[name] ?? 0, now[name]);
    }
  };
  const executor: UnitExecutor = {
    maxConcurrency: 8,
    async execute(job) {
      const names = new Set(['all', ...job.slices.map(({ table }) => table)]);
      started.push(job.unit);
      count(names, 1);
      await clock.sleep(takes(job));
      count(names, -1);
      return answer(job);
    },
  };
  const ledger = fakeLedger();
  const ports = {
    executor,
    ledger,
    clock,
    signal: controller.signal,
    onEvent: (event: RunEvent) => events.push(event),
  };
  return { clock, controller, events, started, most, ledger, ports };
}

const days = (task: string, count: number) => Array.from({ length: count }, (_, index) => ({ task, index }));

describe('limits on units side by side', () => {
  test('of a table hold its units back, oldest first, and leave the other places to other tables', async () => {
    const { clock, started, most, ports } = rig();
    const plan = planOf([...days('a', 4), ...days('b', 4)].sort((x, y) => x.index - y.index));
    const result = await clock.passUntil(runPlan(withCaps(plan, { a: 1 }), ports));
    expect(result.outcome).toBe('done');
    expect(most).toEqual({ all: 4, a: 1, b: 3 });
    expect(started.filter((unit) => unit.startsWith('a'))).toEqual(['a@0', 'a@1', 'a@2', 'a@3']);
  });

  test('of a connection hold for all tables together', async () => {
    const { clock, most, ports } = rig();
    await clock.passUntil(runPlan(withCaps(planOf(days('a', 9)), {}, { connectionConcurrency: 2 }), ports));
    expect(most.all).toBe(2);
  });

  test('of tables in general give way to that of one table', async () => {
    const { clock, most, ports } = rig();
    const plan = planOf([...days('a', 9), ...days('b', 9)]);
    await clock.passUntil(runPlan(withCaps(plan, { b: 3 }, { tableConcurrency: 1 }), ports));
    expect(most).toMatchObject({ a: 1, b: 3 });
  });

  test('units that lock their table take turns, whatever its limit', async () => {
    const { clock, most, ports } = rig();
    await clock.passUntil(runPlan(withCaps(planOf(days('a', 5)), { a: 3 }, { lockTable: true }), ports));
    expect(most.a).toBe(1);
  });

  test('that other runs have used up are waited for, without an end, a failed try or a second line', async () => {
    let asked = 0;
    const { clock, events, started, ledger, ports } = rig(() =>
      ++asked < 100 ? { state: 'full', reason: 'one of 2 units', durationMs: 1 } : changed,
    );
    const result = await clock.passUntil(runPlan(withCaps(planOf(days('a', 9)), {}), ports));
    expect(result.outcome).toBe('done');
    expect(result.units.map(({ attempts }) => attempts)).toEqual(Array(9).fill(1));
    const waits = events.flatMap((event) => (event.kind === 'unit-retrying' ? [event] : []));
    expect(waits.map(({ unit }) => unit)).toEqual(['a@0', 'a@1', 'a@2', 'a@3']);
    expect(waits[0]).toMatchObject({ delayMs: 500, reason: 'waiting for one of 2 units' });
    // No more of them ask than could be let in.
    expect(new Set(started.slice(0, 90))).toEqual(new Set(['a@0', 'a@1', 'a@2', 'a@3']));
    expect(ledger.records.get('r1|a@8')?.state).toBe('changed');
  });

  test('a cancel ends the wait', async () => {
    const { clock, controller, ledger, ports } = rig(() => {
      setImmediate(() => controller.abort());
      return { state: 'full', reason: 'one of 2 units', durationMs: 1 };
    });
    const result = await clock.passUntil(runPlan(withCaps(planOf(days('a', 3)), {}), ports));
    expect(result.outcome).toBe('cancelled');
    expect(result.units.map(({ state, attempts }) => `${state} ${attempts}`)).toEqual(Array(3).fill('waiting 0'));
    expect([...ledger.records.values()].map(({ state }) => state)).toEqual(Array(3).fill('waiting'));
  });

  test('law: none is exceeded, and every unit runs once', async () => {
    const unit = fc.record({
      tables: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 3 }),
      takes: fc.integer({ min: 1, max: 9 }),
    });
    const cap = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        fc.array(unit, { maxLength: 25 }),
        fc.record({ x: cap, y: cap, z: cap }),
        async (units, caps) => {
          const plan = planOf(
            units.map(({ tables }, index) => ({
              task: 't',
              index,
              slices: tables.map((name) => ({
                table: name,
                column: 'day',
                from: instant(index),
                to: instant(index + 1),
                mode: 'merge' as const,
              })),
            })),
          );
          const takes = (job: UnitJob): number => units[Number(job.unit.split('@')[1])]?.takes ?? 1;
          const { clock, most, started, ports } = rig(undefined, takes);
          const result = await clock.passUntil(runPlan(withCaps(plan, caps), ports));
          if (units.length > 0) expect(result.outcome).toBe('done');
          expect([...started].sort()).toEqual(plan.units.map(({ id }) => id).sort());
          for (const name of ['x', 'y', 'z'] as const) expect(most[name] ?? 0).toBeLessThanOrEqual(caps[name] ?? 4);
          // Nobody waits while there is a place: with one unit a table and no cap, all places are taken.
          if (Object.values(caps).every((one) => one === undefined)) expect(most.all).toBe(Math.min(4, units.length));
        },
      ),
      { numRuns: lawRuns(100) },
    );
  });
});
