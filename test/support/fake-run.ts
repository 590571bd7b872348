import type { LedgerStore, StoredRun, UnitRecord } from '../../src/core/ledger/ledger-store.ts';
import type { Plan, PlanUnit, UnitId, UnitSlice } from '../../src/core/plan/model/plan.ts';
import type { CancelSignal } from '../../src/core/run/unit/cancel-signal.ts';
import type { Clock } from '../../src/core/run/unit/clock.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../src/core/run/unit/unit-outcome.ts';
import { instant } from '../../src/core/time/zones/instant.ts';

/** Virtual time: sleeps end in order of their due time, and only when nothing else can go on. */
export interface FakeClock extends Clock {
  /** Lets time pass until `work` has settled. Fails when nothing is due and `work` still hangs. */
  passUntil<T>(work: Promise<T>): Promise<T>;
}

export function fakeClock(): FakeClock {
  let now = 1_000_000;
  let order = 0;
  const due: { at: number; order: number; wake: () => void }[] = [];
  const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    now: () => instant(now),
    sleep(ms, signal) {
      if (signal?.aborted === true) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        due.push({ at: now + ms, order: order++, wake });
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    async passUntil(work) {
      let settled = false;
      const watched = work.finally(() => {
        settled = true;
      });
      watched.catch(() => {});
      for (let quiet = 0; !settled; ) {
        await idle();
        if (settled) break;
        due.sort((a, b) => a.at - b.at || a.order - b.order);
        const next = due.shift();
        if (next === undefined) {
          quiet += 1;
          if (quiet > 20) throw new Error('hangs: nothing is due and the work has not ended');
          continue;
        }
        quiet = 0;
        now = Math.max(now, next.at);
        next.wake();
      }
      return watched;
    },
  };
}

/** Ledger in memory with the rule that a committed state is never overwritten. */
export function fakeLedger(): LedgerStore & {
  readonly runs: Map<string, StoredRun>;
  readonly records: Map<string, UnitRecord>;
} {
  const runs = new Map<string, StoredRun>();
  const records = new Map<string, UnitRecord>();
  return {
    runs,
    records,
    async saveRun(run, units) {
      runs.set(run.run, run);
      for (const unit of units) {
        records.set(`${run.run}|${unit}`, {
          unit,
          state: 'waiting',
          attempts: 0,
          message: undefined,
          durationMs: undefined,
          slices: [],
        });
      }
    },
    async loadRun(run) {
      return runs.get(run);
    },
    async listRuns() {
      return [];
    },
    async recordUnit(run, record) {
      const key = `${run}|${record.unit}`;
      const state = records.get(key)?.state;
      if (state !== 'changed' && state !== 'unchanged') records.set(key, record);
      return 'recorded' as const;
    },
    async recordUnits(run, all) {
      for (const record of all) await this.recordUnit(run, record);
      return [];
    },
    async reopen() {},
    async uncommitted() {
      return [];
    },
    async units(run) {
      return [...records].filter(([key]) => key.startsWith(`${run}|`)).map(([, record]) => record);
    },
    async changedSlices() {
      return [];
    },
    async begun() {
      return [];
    },
    async undoneBy() {
      return undefined;
    },
    async forgetImages() {},
    async newestVersions() {
      return [];
    },
    async activeOverlaps() {
      return [];
    },
    async beginRun() {
      return [];
    },
    async endRun() {},
    async close() {},
  };
}

/** A plan from its units, given in the order they should run; index n of a task is its nth day. */
export function planOf(
  units: readonly {
    readonly task: string;
    readonly index: number;
    readonly waitsFor?: readonly { readonly task: string; readonly first: number; readonly last: number }[];
    readonly slices?: readonly UnitSlice[];
    readonly executor?: PlanUnit['executor'];
  }[],
): Plan {
  const day = 86_400_000;
  const planned = units.map(
    ({ task, index, waitsFor = [], slices, executor = { kind: 'warehouse', connection: undefined } }): PlanUnit => {
      const start = instant(index * day);
      const next = instant((index + 1) * day);
      return {
        id: `${task}@${index}`,
        task,
        start,
        next,
        data: { start, end: next },
        reasons: [{ kind: 'selected' }],
        waitsFor,
        executor,
        slices: slices ?? [{ table: task, column: 'day', from: start, to: next, mode: 'delete+insert' }],
      };
    },
  );
  const byTask = new Map<string, number[]>();
  planned.forEach((unit, position) => {
    byTask.set(unit.task, [...(byTask.get(unit.task) ?? []), position]);
  });
  return {
    version: 1,
    now: instant(1000 * day),
    units: planned,
    byTask,
    findings: [],
    codeHashes: new Map([...byTask.keys()].map((task) => [task, `hash-${task}`])),
    widened: [],
  };
}

export const jobsOf = (plan: Plan, run: string): ReadonlyMap<UnitId, UnitJob> =>
  new Map(
    plan.units.map((unit) => [
      unit.id,
      {
        run,
        unit: unit.id,
        task: unit.task,
        interval: unit.data,
        statements: [{ text: `select '${unit.id}'`, at: undefined }],
        slices: [],
        inputs: [],
        cutsOff: false,
        restores: undefined,
        codeHash: `hash-${unit.task}`,
        options: {
          compare: 'rows',
          samples: 0,
          holdShrinkPercent: 50,
          keepBeforeRows: 1000,
          earlyCutoff: true,
          lockTable: false,
          lockTimeoutMs: 1,
          statementTimeoutMs: 1,
          leaseMs: 1,
          settings: {},
        },
      } satisfies UnitJob,
    ]),
  );

/** An executor whose every answer is given by `answer`; it takes virtual time and keeps count of what runs at once. */
export function fakeExecutor(
  clock: Clock,
  maxConcurrency: number,
  answer: (job: UnitJob, signal: CancelSignal) => Promise<UnitOutcome> | UnitOutcome,
): UnitExecutor & { readonly started: UnitId[]; readonly most: { atOnce: number } } {
  const started: UnitId[] = [];
  const most = { atOnce: 0 };
  let atOnce = 0;
  return {
    maxConcurrency,
    started,
    most,
    async execute(job, signal) {
      started.push(job.unit);
      atOnce += 1;
      most.atOnce = Math.max(most.atOnce, atOnce);
      try {
        await clock.sleep(10);
        return await answer(job, signal);
      } finally {
        atOnce -= 1;
      }
    },
  };
}

export const changed: UnitOutcome = { state: 'changed', slices: [], notes: [], durationMs: 10 };

export const failure = (retryable: boolean): UnitOutcome => ({
  state: 'failed',
  durationMs: 1,
  error: {
    kind: retryable ? 'connection' : 'syntax',
    message: 'broke',
    remedy: undefined,
    retryable,
    sqlState: undefined,
    statement: undefined,
  },
});
