import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LedgerStore } from '../../../src/core/ledger/ledger-store.ts';
import type { Plan, UnitId, WaitRange } from '../../../src/core/plan/model/plan.ts';
import { resumeRun } from '../../../src/core/run/order/resume-run.ts';
import { runPlan } from '../../../src/core/run/order/run-plan.ts';
import type { Clock } from '../../../src/core/run/unit/clock.ts';
import { defaultRunOptions } from '../../../src/core/run/unit/run-options.ts';
import type { UnitExecutor } from '../../../src/core/run/unit/unit-executor.ts';
import type { UnitOutcome } from '../../../src/core/run/unit/unit-outcome.ts';
import { changed, failure, fakeClock, fakeLedger, jobsOf, planOf } from '../../support/fake-run.ts';
import { lawRuns } from '../../support/laws.ts';

/** A signal that any number of waiting units may listen to. */
const patientSignal = (): AbortSignal => {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  return signal;
};

/** Tasks in topological order; each reads random windows of earlier tasks, and some their own past. */
const arbitraryPlan: fc.Arbitrary<Plan> = fc
  .array(
    fc.record({
      count: fc.integer({ min: 1, max: 7 }),
      self: fc.boolean(),
      parents: fc.array(
        fc.record({ back: fc.integer({ min: 0, max: 9 }), ahead: fc.integer({ min: -2, max: 2 }), which: fc.nat() }),
        { maxLength: 2 },
      ),
      whole: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((tasks) => {
    const units = tasks.flatMap((task, rank) =>
      Array.from({ length: task.count }, (_, index) => {
        const waitsFor: WaitRange[] = [];
        for (const parent of rank === 0 ? [] : task.parents) {
          const which = parent.which % rank;
          const last = Math.min(index + parent.ahead, (tasks[which]?.count ?? 0) - 1);
          const first = Math.max(0, index - parent.back);
          if (first <= last) waitsFor.push({ task: `t${which}`, first, last });
        }
        if (task.self && index > 0) waitsFor.push({ task: `t${rank}`, first: index - 1, last: index - 1 });
        const whole = [
          { table: `t${rank}`, column: undefined, from: undefined, to: undefined, mode: 'merge' as const },
        ];
        return { task: `t${rank}`, index, rank, waitsFor, ...(task.whole ? { slices: whole } : {}) };
      }),
    );
    return planOf(units.sort((a, b) => a.index - b.index || a.rank - b.rank));
  });

/** What the world does at one try; the next try takes the next fault. */
const arbitraryFault = fc.constantFrom('none', 'lost-before', 'lost-commit', 'busy', 'ledger-away');
type Fault = typeof arbitraryFault extends fc.Arbitrary<infer T> ? T : never;

/** A database that remembers which units took effect, and complains when one does so twice or too early. */
function world(plan: Plan, faults: readonly Fault[], broken: ReadonlySet<UnitId>, clock: Clock) {
  const effects: UnitId[] = [];
  const running = new Set<UnitId>();
  const wrongs: string[] = [];
  let tries = 0;
  let most = 0;
  let dead = false;
  const forever = new Promise<never>(() => {});
  const needs = (unit: UnitId): UnitId[] =>
    (plan.units.find(({ id }) => id === unit)?.waitsFor ?? []).flatMap(({ task, first, last }) =>
      (plan.byTask.get(task) ?? []).slice(first, last + 1).map((position) => plan.units[position]?.id as UnitId),
    );
  const commit = (unit: UnitId): void => {
    if (effects.includes(unit)) wrongs.push(`${unit} took effect twice`);
    for (const need of needs(unit)) if (!effects.includes(need)) wrongs.push(`${unit} came before ${need}`);
    effects.push(unit);
  };
  const executor: UnitExecutor = {
    maxConcurrency: 3,
    async execute(job): Promise<UnitOutcome> {
      const fault = faults[tries++ % Math.max(1, faults.length)] ?? 'none';
      const task = job.unit.split('@')[0];
      for (const other of running) {
        const slices = plan.units.find(({ id }) => id === job.unit)?.slices;
        if (other === job.unit || (other.split('@')[0] === task && slices?.[0]?.column === undefined)) {
          wrongs.push(`${job.unit} ran beside ${other}`);
        }
      }
      running.add(job.unit);
      most = Math.max(most, running.size);
      await clock.sleep(1 + (tries % 4));
      if (dead) return forever;
      running.delete(job.unit);
      if (effects.includes(job.unit)) return { state: 'done-before', slices: [], durationMs: 1 };
      if (fault === 'busy') return { state: 'busy', owner: 'somebody', durationMs: 1 };
      if (fault === 'lost-before') return failure(true);
      if (broken.has(job.unit)) return failure(false);
      commit(job.unit);
      return fault === 'lost-commit' ? failure(true) : changed;
    },
  };
  return {
    effects,
    wrongs,
    executor,
    most: () => most,
    /** The process is gone: nothing of it goes on, its transactions are rolled back. */
    kill: () => {
      dead = true;
      running.clear();
    },
    revive: () => {
      dead = false;
    },
    forever,
    isDead: () => dead,
  };
}

const options = { ...defaultRunOptions, concurrency: 3, maxAttempts: 1000, maxBusyAttempts: 1000, maxBackoffMs: 2000 };
/** At least one try without a fault, so that patience pays off. */
const arbitraryFaults = fc.array(arbitraryFault, { maxLength: 12 }).map((faults) => [...faults, 'none' as const]);

test('every unit takes effect exactly once, in order, within the caps, whatever the faults', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryPlan, arbitraryFaults, async (plan, faults) => {
      const clock = fakeClock();
      const ledger = fakeLedger();
      const place = world(plan, faults, new Set(), clock);
      let away = 0;
      const shaky: LedgerStore = {
        ...ledger,
        async recordUnit(run, record) {
          if (faults[away++ % faults.length] === 'ledger-away') throw new Error('away');
          return ledger.recordUnit(run, record);
        },
      };
      const result = await clock.passUntil(
        runPlan(
          { run: 'r', title: 't', createdBy: 'c', plan, jobs: jobsOf(plan, 'r'), refused: new Map(), options },
          { executor: place.executor, ledger: shaky, clock, signal: patientSignal(), onEvent: () => {} },
        ),
      );
      expect(place.wrongs).toEqual([]);
      expect(result.outcome).toBe('done');
      expect([...place.effects].sort()).toEqual(plan.units.map(({ id }) => id).sort());
      expect(place.most()).toBeLessThanOrEqual(3);
      for (const record of await ledger.units('r')) expect(record.state).toBe('changed');
    }),
    { numRuns: lawRuns(150) },
  );
});

test('permanent failures block exactly what waits for them', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryPlan,
      arbitraryFaults,
      fc.array(fc.nat(), { maxLength: 4 }),
      async (plan, faults, picks) => {
        const broken = new Set(picks.map((pick) => plan.units[pick % plan.units.length]?.id as UnitId));
        const clock = fakeClock();
        const place = world(plan, faults, broken, clock);
        const result = await clock.passUntil(
          runPlan(
            { run: 'r', title: 't', createdBy: 'c', plan, jobs: jobsOf(plan, 'r'), refused: new Map(), options },
            {
              executor: place.executor,
              ledger: fakeLedger(),
              clock,
              signal: patientSignal(),
              onEvent: () => {},
            },
          ),
        );
        const expected = new Map<UnitId, string>();
        const visit = (id: UnitId): string => {
          const known = expected.get(id);
          if (known !== undefined) return known;
          const needs = (plan.units.find((unit) => unit.id === id)?.waitsFor ?? []).flatMap(({ task, first, last }) =>
            (plan.byTask.get(task) ?? []).slice(first, last + 1).map((position) => plan.units[position]?.id as UnitId),
          );
          const state = needs.some((need) => visit(need) !== 'changed')
            ? 'blocked'
            : broken.has(id)
              ? 'failed'
              : 'changed';
          expected.set(id, state);
          return state;
        };
        expect(place.wrongs).toEqual([]);
        expect(Object.fromEntries(result.units.map(({ unit, state }) => [unit, state]))).toEqual(
          Object.fromEntries(plan.units.map(({ id }) => [id, visit(id)])),
        );
      },
    ),
    { numRuns: lawRuns(150) },
  );
});

test('killed at any event and resumed, again and again, the end is the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryPlan,
      arbitraryFaults,
      fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 5 }),
      async (plan, faults, kills) => {
        const clock = fakeClock();
        const ledger = fakeLedger();
        const place = world(plan, faults, new Set(), clock);
        const codeHashes = plan.codeHashes;
        for (const [life, kill] of [...kills, undefined].entries()) {
          let events = 0;
          let alive = true;
          let onDeath: () => void = () => {};
          const death = new Promise<'killed'>((resolve) => {
            onDeath = () => resolve('killed');
          });
          // Everything that a dead process asks for never answers.
          const ghost = <A extends unknown[], T>(call: (...args: A) => Promise<T>) => {
            return async (...args: A): Promise<T> => {
              if (!alive) return place.forever;
              const answer = await call(...args);
              return alive ? answer : place.forever;
            };
          };
          const ports = {
            executor: { maxConcurrency: 3, execute: ghost(place.executor.execute) },
            ledger: {
              ...ledger,
              recordUnit: ghost(ledger.recordUnit),
              saveRun: ghost(ledger.saveRun),
              units: ghost(ledger.units),
              loadRun: ghost(ledger.loadRun),
            },
            clock: { now: clock.now, sleep: ghost(clock.sleep) },
            signal: patientSignal(),
            onEvent: () => {
              events += 1;
              if (events !== kill) return;
              alive = false;
              place.kill();
              onDeath();
            },
          };
          place.revive();
          const work =
            life === 0
              ? runPlan(
                  { run: 'r', title: 't', createdBy: 'c', plan, jobs: jobsOf(plan, 'r'), refused: new Map(), options },
                  ports,
                )
              : resumeRun({ run: 'r', codeHashes, acceptHeld: false }, ports);
          const ended = await clock.passUntil(Promise.race([work, death]));
          if (ended !== 'killed') expect(ended.outcome).toBe('done');
          if (kill === undefined) expect(ended).not.toBe('killed');
        }
        expect(place.wrongs).toEqual([]);
        expect([...place.effects].sort()).toEqual(plan.units.map(({ id }) => id).sort());
        for (const record of await ledger.units('r')) expect(record.state).toBe('changed');
      },
    ),
    { numRuns: lawRuns(150) },
  );
});

test('cancelled at any event, nothing starts afterwards and a resume ends the rest', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryPlan, arbitraryFaults, fc.integer({ min: 1, max: 40 }), async (plan, faults, when) => {
      const clock = fakeClock();
      const ledger = fakeLedger();
      const place = world(plan, faults, new Set(), clock);
      const controller = new AbortController();
      setMaxListeners(0, controller.signal);
      let events = 0;
      const startedAfter: UnitId[] = [];
      const announced = new Set<UnitId>();
      const executor: UnitExecutor = {
        maxConcurrency: 3,
        execute(job, signal) {
          if (signal.aborted && !announced.has(job.unit)) startedAfter.push(job.unit);
          return place.executor.execute(job, signal);
        },
      };
      const base = { executor, ledger, clock };
      const first = await clock.passUntil(
        runPlan(
          { run: 'r', title: 't', createdBy: 'c', plan, jobs: jobsOf(plan, 'r'), refused: new Map(), options },
          {
            ...base,
            signal: controller.signal,
            onEvent(event) {
              if (event.kind === 'unit-started') announced.add(event.unit);
              if (++events === when) controller.abort();
            },
          },
        ),
      );
      expect(startedAfter).toEqual([]);
      expect(['done', 'cancelled']).toContain(first.outcome);
      const second = await clock.passUntil(
        resumeRun(
          { run: 'r', codeHashes: plan.codeHashes, acceptHeld: false },
          { ...base, signal: patientSignal(), onEvent: () => {} },
        ),
      );
      expect(second.outcome).toBe('done');
      expect(place.wrongs).toEqual([]);
      expect([...place.effects].sort()).toEqual(plan.units.map(({ id }) => id).sort());
    }),
    { numRuns: lawRuns(150) },
  );
});

test('a cumulative plan of 20,000 units is ordered without looking at every pair', async () => {
  const count = 10_000;
  const plan = planOf(
    Array.from({ length: count }, (_, index) => [
      { task: 'p', index },
      { task: 'c', index, waitsFor: [{ task: 'p', first: 0, last: index }] },
    ]).flat(),
  );
  let asked = 0;
  const counted: Plan = {
    ...plan,
    units: plan.units.map((unit) => ({
      ...unit,
      get waitsFor() {
        asked += 1;
        return unit.waitsFor;
      },
    })),
  };
  const result = await runPlan(
    { run: 'r', title: 't', createdBy: 'c', plan: counted, jobs: jobsOf(plan, 'r'), refused: new Map(), options },
    {
      executor: { maxConcurrency: 3, execute: async () => changed },
      ledger: undefined,
      clock: fakeClock(),
      signal: patientSignal(),
      onEvent: () => {},
    },
  );
  expect(result.outcome).toBe('done');
  expect(asked).toBeLessThan(5 * count);
});
