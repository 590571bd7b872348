import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/core/plan/model/plan.ts';
import type { PreparedRun } from '../../../src/core/run/jobs/prepared-run.ts';
import { resumeRun } from '../../../src/core/run/order/resume-run.ts';
import { runPlan } from '../../../src/core/run/order/run-plan.ts';
import type { RunEvent } from '../../../src/core/run/unit/run-event.ts';
import { defaultRunOptions, type RunOptions } from '../../../src/core/run/unit/run-options.ts';
import type { UnitJob } from '../../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../../src/core/run/unit/unit-outcome.ts';
import { endOfTime, instant } from '../../../src/core/time/zones/instant.ts';
import { WarehouseError } from '../../../src/core/warehouse/port/warehouse-error.ts';
import { changed, failure, fakeClock, fakeExecutor, fakeLedger, jobsOf, planOf } from '../../support/fake-run.ts';

const prepared = (plan: Plan, options: Partial<RunOptions> = {}): PreparedRun => ({
  run: 'r1',
  title: 'a title',
  createdBy: 'tester',
  plan,
  jobs: jobsOf(plan, 'r1'),
  refused: new Map(),
  options: { ...defaultRunOptions, ...options },
});

function rig(
  answer: (job: UnitJob) => UnitOutcome | Promise<UnitOutcome> = () => changed,
  { maxConcurrency = 4, controller = new AbortController(), onEvent = (_: RunEvent): void => {} } = {},
) {
  const clock = fakeClock();
  const ledger = fakeLedger();
  const executor = fakeExecutor(clock, maxConcurrency, answer);
  const events: RunEvent[] = [];
  const ports = {
    executor,
    ledger,
    clock,
    signal: controller.signal,
    onEvent(event: RunEvent) {
      events.push(event);
      onEvent(event);
    },
  };
  return { clock, ledger, executor, events, ports, controller };
}

const days = (task: string, count: number) => Array.from({ length: count }, (_, index) => ({ task, index }));
const states = (result: { units: readonly { unit: string; state: string }[] }): Record<string, string> =>
  Object.fromEntries(result.units.map(({ unit, state }) => [unit, state]));

describe('runPlan', () => {
  test('runs the oldest ready unit first and never above the limit', async () => {
    const { clock, executor, ports } = rig(() => changed, { maxConcurrency: 2 });
    const result = await clock.passUntil(runPlan(prepared(planOf(days('a', 5)), { concurrency: 8 }), ports));
    expect(result.outcome).toBe('done');
    expect(executor.started).toEqual(['a@0', 'a@1', 'a@2', 'a@3', 'a@4']);
    expect(executor.most.atOnce).toBe(2);
  });

  test('a failed unit blocks only what waits for it', async () => {
    const plan = planOf([
      ...days('a', 2),
      { task: 'b', index: 0, waitsFor: [{ task: 'a', first: 0, last: 0 }] },
      { task: 'b', index: 1, waitsFor: [{ task: 'a', first: 1, last: 1 }] },
      { task: 'c', index: 0, waitsFor: [{ task: 'b', first: 0, last: 0 }] },
    ]);
    const { clock, events, ports } = rig((job) => (job.unit === 'a@0' ? failure(false) : changed));
    const result = await clock.passUntil(runPlan(prepared(plan), ports));
    expect(states(result)).toEqual({
      'a@0': 'failed',
      'a@1': 'changed',
      'b@0': 'blocked',
      'b@1': 'changed',
      'c@0': 'blocked',
    });
    expect(result.outcome).toBe('failed');
    expect(result.units.find(({ unit }) => unit === 'c@0')?.message).toBe('waits for b@0, blocked');
    expect(events.filter(({ kind }) => kind === 'unit-blocked')).toHaveLength(2);
  });

  test('stop at first failure starts nothing new and leaves the rest waiting', async () => {
    const { clock, ports, executor } = rig((job) => (job.unit === 'a@0' ? failure(false) : changed), {
      maxConcurrency: 1,
    });
    const result = await clock.passUntil(runPlan(prepared(planOf(days('a', 3)), { stopAtFirstFailure: true }), ports));
    expect(executor.started).toEqual(['a@0']);
    expect(states(result)).toEqual({ 'a@0': 'failed', 'a@1': 'waiting', 'a@2': 'waiting' });
  });

  test('retries with growing waits, and gives up after the last try', async () => {
    const { clock, events, ports } = rig(() => failure(true));
    const result = await clock.passUntil(runPlan(prepared(planOf(days('a', 1))), ports));
    expect(events.flatMap((event) => (event.kind === 'unit-retrying' ? [event.delayMs] : []))).toEqual([
      500, 1000, 2000,
    ]);
    expect(result.units[0]).toMatchObject({ state: 'failed', attempts: 4 });
  });

  test('a server that is away is waited for by all units together, and no other is started meanwhile', async () => {
    const away = failure(true) as UnitOutcome & { state: 'failed' };
    const notServing: UnitOutcome = { ...away, error: { ...away.error, kind: 'connection', away: true } };
    const plan = planOf(days('a', 20));
    let asked = 0;
    const { clock, events, executor, ports } = rig(() => (++asked > 8 ? changed : notServing), { maxConcurrency: 2 });
    const result = await clock.passUntil(runPlan(prepared(plan, { maxAttempts: 2 }), ports));
    expect(result.outcome).toBe('done');
    expect(new Set(executor.started.slice(0, 8))).toEqual(new Set(['a@0', 'a@1']));
    expect(events.flatMap((event) => (event.kind === 'unit-retrying' ? [event.delayMs] : []))).toEqual([
      500, 500, 1000, 1000, 2000, 2000, 4000, 4000,
    ]);

    const gone = rig(() => notServing, { maxConcurrency: 2 });
    const startedAt = gone.clock.now();
    const ended = await gone.clock.passUntil(runPlan(prepared(plan, { patienceMs: 60_000 }), gone.ports));
    expect(ended.units.every(({ state }) => state === 'failed')).toBe(true);
    expect(gone.clock.now() - startedAt).toBeLessThan(90_000);
  });

  test('a slice that stays busy fails with the owner named', async () => {
    const { clock, ports } = rig(() => ({ state: 'busy', owner: 'run r0 on host x', durationMs: 1 }));
    const result = await clock.passUntil(runPlan(prepared(planOf(days('a', 1)), { maxBusyAttempts: 3 }), ports));
    expect(result.units[0]).toMatchObject({
      state: 'failed',
      attempts: 3,
      message: 'its rows are being worked on by run r0 on host x',
    });
  });

  test('a cancelled statement is never retried', async () => {
    const { clock, executor, ports } = rig(() => ({
      state: 'failed',
      durationMs: 1,
      error: {
        kind: 'cancelled',
        message: 'stopped',
        remedy: undefined,
        retryable: true,
        sqlState: '57014',
        statement: undefined,
      },
    }));
    const result = await clock.passUntil(runPlan(prepared(planOf(days('a', 1))), ports));
    expect(executor.started).toHaveLength(1);
    expect(result.outcome).toBe('cancelled');
  });

  test('units that write the same rows never run at once', async () => {
    const whole = [{ table: 't', column: undefined, from: undefined, to: undefined, mode: 'full_replace' as const }];
    const { clock, executor, ports } = rig();
    const plan = planOf(days('a', 4).map((unit) => ({ ...unit, slices: whole })));
    const result = await clock.passUntil(runPlan(prepared(plan), ports));
    expect(result.outcome).toBe('done');
    expect(executor.most.atOnce).toBe(1);
    expect(executor.started).toEqual(['a@0', 'a@1', 'a@2', 'a@3']);
  });

  test('after a cancel nothing starts, running units end, the rest can be resumed', async () => {
    const controller = new AbortController();
    const { clock, executor, events, ports } = rig(
      (job) => {
        if (job.unit === 'a@1') controller.abort();
        return controller.signal.aborted ? { state: 'cancelled', confirmed: true, durationMs: 1 } : changed;
      },
      { controller, maxConcurrency: 1 },
    );
    const result = await clock.passUntil(runPlan(prepared(planOf(days('a', 4))), ports));
    expect(result.outcome).toBe('cancelled');
    expect(states(result)).toEqual({ 'a@0': 'changed', 'a@1': 'cancelled', 'a@2': 'waiting', 'a@3': 'waiting' });
    expect(result.units[1]?.cancelConfirmed).toBe(true);
    expect(executor.started).toEqual(['a@0', 'a@1']);
    expect(events.find(({ kind }) => kind === 'cancelling')).toEqual({ kind: 'cancelling', running: ['a@1'] });

    const again = rig();
    const resumed = await again.clock.passUntil(
      resumeRun(
        { run: 'r1', codeHashes: new Map([['a', 'hash-a']]), acceptHeld: false },
        { ...again.ports, ledger: ports.ledger },
      ),
    );
    expect(resumed.outcome).toBe('done');
    expect(again.executor.started).toEqual(['a@1', 'a@2', 'a@3']);
  });

  test('a cancel ends a wait for a retry at once', async () => {
    const controller = new AbortController();
    const { clock, ports } = rig(() => failure(true), {
      controller,
      onEvent: ({ kind }) => kind === 'unit-retrying' && controller.abort(),
    });
    const started = clock.now();
    const result = await clock.passUntil(runPlan(prepared(planOf(days('a', 1)), { backoffMs: 1e9 }), ports));
    expect(result).toMatchObject({ outcome: 'cancelled', units: [{ state: 'waiting', attempts: 1 }] });
    expect(clock.now() - started).toBeLessThan(1000);
  });

  test('what cannot be run from here is said, and blocks what is behind it', async () => {
    const plan = planOf([
      ...days('a', 1),
      { task: 'b', index: 0, waitsFor: [{ task: 'a', first: 0, last: 0 }] },
      ...days('c', 1),
    ]);
    const run = prepared(plan);
    const refusal = {
      code: 'not-runnable' as const,
      message: 'runs in a container',
      remedy: 'run it in Airflow',
      at: undefined,
    };
    const { clock, executor, ports } = rig();
    const result = await clock.passUntil(runPlan({ ...run, refused: new Map([['a@0', refusal]]) }, ports));
    expect(states(result)).toEqual({ 'a@0': 'blocked', 'b@0': 'blocked', 'c@0': 'changed' });
    expect(result.units[0]).toMatchObject({ message: 'not runnable: runs in a container', error: { kind: 'refused' } });
    expect(executor.started).toEqual(['c@0']);
  });

  test('an executor that throws ends the run and reaches the shell', async () => {
    const { clock, ledger, ports } = rig((job) => {
      if (job.unit === 'a@0') throw new TypeError('oops');
      return changed;
    });
    await expect(clock.passUntil(runPlan(prepared(planOf(days('a', 3)), { concurrency: 1 }), ports))).rejects.toThrow(
      'oops',
    );
    expect(ledger.records.get('r1|a@0')?.state).toBe('failed');
    expect(ledger.records.get('r1|a@1')?.state).toBe('waiting');
  });

  test('a ledger that is gone for good stops the run with a problem', async () => {
    const { clock, ledger, executor, ports } = rig();
    const failing = {
      ...ledger,
      recordUnit: async (run: string, record: Parameters<typeof ledger.recordUnit>[1]) => {
        if (record.unit === 'a@1') throw new Error('connection lost');
        return ledger.recordUnit(run, record);
      },
    };
    const result = await clock.passUntil(
      runPlan(prepared(planOf(days('a', 3)), { concurrency: 1 }), { ...ports, ledger: failing }),
    );
    expect(result).toMatchObject({ outcome: 'failed', problem: 'the ledger could not be written: connection lost' });
    expect(executor.started).toEqual(['a@0']);
  });

  test('a server that goes away under a unit is told before the unit can be recorded, and so is that it is back', async () => {
    let left = 3;
    const { message } = (failure(true) as UnitOutcome & { state: 'failed' }).error;
    const { clock, ledger, events, ports } = rig(() => (left > 0 ? failure(true) : changed));
    const away = {
      ...ledger,
      recordUnit: async (run: string, record: Parameters<typeof ledger.recordUnit>[1]) => {
        if (record.message === message && left-- > 0) throw new WarehouseError('connection', message, true);
        return ledger.recordUnit(run, record);
      },
    };
    const result = await clock.passUntil(runPlan(prepared(planOf(days('a', 1))), { ...ports, ledger: away }));
    expect(result.outcome).toBe('done');
    const told = events.map(({ kind }) => kind).filter((kind) => /server|retrying|finished/.test(kind));
    expect(told.slice(0, 3)).toEqual(['server-away', 'server-back', 'unit-retrying']);
    expect(told.filter((kind) => kind === 'server-away')).toHaveLength(1);
  });

  test('a preview leaves the ledger alone', async () => {
    const { clock, ledger, ports } = rig(() => ({
      state: 'previewed',
      changed: false,
      slices: [],
      notes: [],
      durationMs: 1,
    }));
    const result = await clock.passUntil(runPlan(prepared(planOf(days('a', 2))), { ...ports, ledger: undefined }));
    expect(result).toMatchObject({
      preview: true,
      outcome: 'done',
      units: [{ state: 'unchanged' }, { state: 'unchanged' }],
    });
    expect(ledger.runs.size).toBe(0);
  });

  test('refuses a plan with errors, an empty one, and one that overlaps a live run', async () => {
    const { clock, ledger, ports, executor } = rig();
    const plan = planOf(days('a', 1));
    const run = (changes: Partial<PreparedRun>, ledgerOf = ledger) =>
      clock.passUntil(runPlan({ ...prepared(plan), ...changes }, { ...ports, ledger: ledgerOf }));
    const findings = [
      { code: 'append-in-plan' as const, severity: 'error' as const, message: 'doubles rows', task: 'a' },
    ];
    expect((await run({ plan: { ...plan, findings } })).refusal).toMatchObject({
      code: 'plan-errors',
      message: 'doubles rows',
    });
    expect((await run({ plan: planOf([]), jobs: new Map() })).refusal).toMatchObject({ code: 'nothing-to-run' });
    const behind = planOf([...days('a', 1), { task: 'b', index: 0, waitsFor: [{ task: 'a', first: 0, last: 0 }] }]);
    const refusals = new Map([
      ['a@0', { code: 'not-runnable' as const, message: 'runs in a container', remedy: 'use Airflow', at: undefined }],
    ]);
    expect((await run({ plan: behind, jobs: new Map(), refused: refusals })).refusal).toEqual({
      code: 'nothing-to-run',
      message: 'runs in a container',
      remedy: 'use Airflow',
    });
    const taken = {
      ...ledger,
      activeOverlaps: async () => [
        {
          run: 'r0',
          owner: 'ann@host',
          since: instant(Date.parse('2026-11-30T02:00:00Z')),
          table: 'a',
          from: instant(Date.parse('2026-11-01T00:00:00Z')),
          to: endOfTime,
          leaseLeftMs: 41_200,
        },
      ],
    };
    expect((await run({}, taken)).refusal).toMatchObject({
      code: 'overlapping-run',
      owners: ['r0 (ann@host, since 2026-11-30T02:00:00Z) on a'],
      message:
        'another run is working on the same slices: r0 (ann@host, since 2026-11-30T02:00:00Z) on a from ' +
        '2026-11-01T00:00:00Z',
      remedy:
        'wait until it has ended or cancel it; if the process of r0 is gone, its lease ends in 42 s, and after that it is ' +
        'gone on with by: backfill resume r0',
    });
    const [one] = await taken.activeOverlaps();
    const several = { ...ledger, activeOverlaps: async () => (one === undefined ? [] : [one, { ...one, table: 'b' }]) };
    expect((await run({}, several)).refusal).toMatchObject({
      message: expect.stringMatching(/: r0 \(ann@host, since \S+\) on a from \S+, b from \S+$/),
    });
    const preview = runPlan(prepared(plan), { ...ports, ledger: undefined, activeRuns: taken });
    expect(await clock.passUntil(preview)).toMatchObject({ preview: true, refusal: { code: 'overlapping-run' } });
    expect(executor.started).toEqual([]);
    expect(ledger.runs.size).toBe(0);
  });

  test('progress counts and estimates', async () => {
    const { clock, events, ports } = rig();
    await clock.passUntil(runPlan(prepared(planOf(days('a', 4)), { concurrency: 1 }), ports));
    const seen = events.flatMap((event) => (event.kind === 'progress' ? [event.progress] : []));
    expect(seen[0]).toMatchObject({ finished: 0, total: 4, remainingMs: undefined });
    expect(seen.find(({ finished }) => finished === 2)).toMatchObject({ remainingMs: 20, unitsPerMinute: 6000 });
    expect(seen.at(-1)).toMatchObject({ finished: 4, remainingMs: 0, running: 0 });
  });
});

describe('resumeRun', () => {
  const hashes = new Map([['a', 'hash-a']]);

  test('99 done and 1 failed: resume runs 1, also the second time', async () => {
    let broken = true;
    const { clock, executor, ledger, ports } = rig((job) => (broken && job.unit === 'a@57' ? failure(false) : changed));
    await clock.passUntil(runPlan(prepared(planOf(days('a', 100))), ports));
    for (const outcome of ['failed', 'failed', 'done'] as const) {
      if (outcome === 'done') broken = false;
      executor.started.length = 0;
      const result = await clock.passUntil(
        resumeRun({ run: 'r1', codeHashes: hashes, acceptHeld: false }, { ...ports, ledger }),
      );
      expect(executor.started).toEqual(['a@57']);
      expect(result.outcome).toBe(outcome);
      expect(result.units).toHaveLength(100);
    }
    expect(ledger.records.get('r1|a@57')?.attempts).toBe(4);
  });

  test('runs the stored statements and options', async () => {
    const seen: UnitJob[] = [];
    const { clock, ledger, ports } = rig((job) => {
      seen.push(job);
      return failure(false);
    });
    const plan = planOf(days('a', 1));
    await clock.passUntil(runPlan(prepared(plan, { concurrency: 3 }), ports));
    await clock.passUntil(resumeRun({ run: 'r1', codeHashes: hashes, acceptHeld: false }, { ...ports, ledger }));
    expect(seen).toHaveLength(2);
    expect(seen[1]).toEqual(seen[0]);
  });

  test('changed or missing code is refused with the tasks named', async () => {
    const { clock, ledger, ports, executor } = rig(() => failure(false));
    await clock.passUntil(runPlan(prepared(planOf([...days('a', 1), ...days('b', 1), ...days('c', 1)])), ports));
    executor.started.length = 0;
    const codeHashes = new Map([
      ['a', 'hash-a'],
      ['b', 'another'],
    ]);
    const result = await clock.passUntil(resumeRun({ run: 'r1', codeHashes, acceptHeld: false }, { ...ports, ledger }));
    expect(result.refusal).toMatchObject({ code: 'out-of-date', tasks: ['b', 'c'] });
    expect(executor.started).toEqual([]);
  });

  test('what is left of a run that was undone is refused', async () => {
    const { clock, ledger, ports, executor } = rig(() => failure(false));
    await clock.passUntil(runPlan(prepared(planOf(days('a', 1))), ports));
    executor.started.length = 0;
    const undone = { ...ledger, undoneBy: async () => 'r2' };
    const codeHashes = new Map([['a', 'hash-a']]);
    const result = await clock.passUntil(
      resumeRun({ run: 'r1', codeHashes, acceptHeld: false }, { ...ports, ledger: undone }),
    );
    expect(result.refusal).toMatchObject({
      code: 'undone',
      by: 'r2',
      remedy: expect.stringContaining('anew: backfill run a'),
    });
    expect(executor.started).toEqual([]);
  });

  test('of a run that is complete and was undone, or an undo, no interval is run anew', async () => {
    const codeHashes = new Map([['a', 'hash-a']]);
    const remedyOf = async (respond: Parameters<typeof rig>[0], jobs = (run: PreparedRun) => run) => {
      const { clock, ledger, ports } = rig(respond);
      await clock.passUntil(runPlan(jobs(prepared(planOf(days('a', 1)))), ports));
      const undone = { ...ports, ledger: { ...ledger, undoneBy: async () => 'r2' } };
      const resumed = resumeRun({ run: 'r1', codeHashes, acceptHeld: false }, undone);
      return (await clock.passUntil(resumed)).refusal?.remedy;
    };
    expect(await remedyOf(() => changed)).toBe('to have the rows again that it made: backfill undo r2');
    const restoring = (run: PreparedRun): PreparedRun => ({
      ...run,
      jobs: new Map([...run.jobs].map(([id, job]) => [id, { ...job, restores: { run: 'r0', unit: 'a@0' } }])),
    });
    expect(await remedyOf(() => failure(false), restoring)).toBe('take back anew what it took back: backfill undo r0');
  });

  test('held units are held again, unless they are accepted', async () => {
    const { clock, ledger, ports } = rig((job) =>
      job.options.holdShrinkPercent === undefined
        ? changed
        : { state: 'held', code: 'empty', reason: 'came out empty', remedy: 'accept it', slices: [], durationMs: 1 },
    );
    expect((await clock.passUntil(runPlan(prepared(planOf(days('a', 2))), ports))).outcome).toBe('held');
    const resume = (acceptHeld: boolean) =>
      clock.passUntil(resumeRun({ run: 'r1', codeHashes: hashes, acceptHeld }, { ...ports, ledger }));
    expect((await resume(false)).outcome).toBe('held');
    expect((await resume(true)).outcome).toBe('done');
  });

  test('a unit that stopped halfway is not run again, nor what waits for it, unless its task is named', async () => {
    let halfway = true;
    const error = { kind: 'other', message: 'at VACUUM', remedy: 'look', retryable: false } as const;
    const { clock, ledger, ports, executor } = rig((job) =>
      halfway && job.unit === 'a@0'
        ? { state: 'unknown', durationMs: 1, error: { ...error, sqlState: undefined, statement: undefined } }
        : changed,
    );
    const plan = planOf([...days('a', 2), { task: 'b', index: 0, waitsFor: [{ task: 'a', first: 0, last: 0 }] }]);
    const first = await clock.passUntil(runPlan(prepared(plan), ports));
    expect(states(first)).toEqual({ 'a@0': 'unknown', 'a@1': 'changed', 'b@0': 'blocked' });
    expect(first.outcome).toBe('failed');
    halfway = false;
    executor.started.length = 0;
    const codeHashes = new Map([...hashes, ['b', 'hash-b']]);
    const resume = (notAtomic: readonly string[]) =>
      clock.passUntil(resumeRun({ run: 'r1', codeHashes, acceptHeld: false, notAtomic }, { ...ports, ledger }));
    const second = await resume([]);
    expect(executor.started).toEqual([]);
    expect(second).toMatchObject({
      outcome: 'failed',
      units: [
        {
          state: 'unknown',
          ran: false,
          error: { message: 'at VACUUM', remedy: expect.stringContaining('--not-atomic a') },
        },
        { state: 'changed', ran: false },
        { state: 'blocked', message: 'waits for a@0, unknown' },
      ],
    });
    expect(ledger.records.get('r1|a@0')?.state).toBe('unknown');
    expect((await resume(['a'])).outcome).toBe('done');
    expect(executor.started).toEqual(['a@0', 'b@0']);
  });

  test('an unknown run and a document of another version are refused', async () => {
    const { clock, ledger, ports } = rig();
    const resume = () =>
      clock.passUntil(resumeRun({ run: 'r1', codeHashes: hashes, acceptHeld: false }, { ...ports, ledger }));
    expect((await resume()).refusal?.code).toBe('unknown-run');
    await ledger.saveRun(
      { run: 'r1', createdAt: clock.now(), createdBy: 'x', title: 't', document: '{"version":99}' },
      [],
    );
    expect((await resume()).refusal).toMatchObject({
      code: 'unreadable-run',
      message: expect.stringContaining('version 99'),
    });
  });
});
