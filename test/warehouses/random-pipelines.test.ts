import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import type { PlanUnit } from '../../src/core/plan/model/plan.ts';
import type { RunResult } from '../../src/core/run/unit/run-result.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import type { Session } from '../../src/core/warehouse/port/ports.ts';
import { type Case, cases, unitCount } from '../support/random-pipelines/arbitrary.ts';
import { stagesOf } from '../support/random-pipelines/change.ts';
import {
  changedCase,
  committedTwice,
  diedWith,
  everything,
  lasting,
  newRun,
  resumeUntilTold,
  type Stage,
  same,
  story,
} from '../support/random-pipelines/changed-case.ts';
import { ledgerDisagreements, rowVersions, tableLines } from '../support/random-pipelines/database.ts';
import { withExtras } from '../support/random-pipelines/extras.ts';
import { type Lies, watched } from '../support/random-pipelines/honesty.ts';
import type { TaskModel, WorkspaceModel } from '../support/random-pipelines/model.ts';
import { type Death, deaths, type Fault, mortalWarehouse } from '../support/random-pipelines/mortal-warehouse.ts';
import { ranOnSchedule } from '../support/random-pipelines/on-schedule.ts';
import { done, planOf, runIt, summary } from '../support/random-pipelines/pipeline-run.ts';
import { type Engine, type Fixture, openFixture } from '../support/warehouse-fixture.ts';

const runs = Number(process.env.RANDOM_PIPELINES ?? 1);
/** `seed/path` of a failure that fast-check printed. */
const [seed, path] = process.env.RANDOM_PIPELINES_REPLAY?.split('/') ?? [];
const replay = seed === undefined || path === undefined ? {} : { seed: Number(seed), path };
const root = mkdtempSync(join(tmpdir(), 'backfill-random-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
/** Each case has tables of its own: the ledger remembers those of the others. */
let schemas = 0;

/** Units of a second pass that found something to do; a table that each interval makes anew passes through them all. */
function notUnchanged({ units }: RunResult, { tasks }: WorkspaceModel): readonly string[] {
  const replaced = new Set(tasks.filter(({ write }) => write.kind === 'replace').map(({ id }) => id));
  return units
    .filter(
      ({ unit, state }) => state !== 'unchanged' && state !== 'skipped' && !replaced.has(unit.split('@')[0] as string),
    )
    .map(({ unit, state, message }) => `${unit} ${state} ${message ?? ''}`);
}

/** Somebody changes rows of a few tables that tasks write, without a word. */
async function spoil(session: Session, { schema, tasks }: WorkspaceModel, chance: readonly number[]): Promise<void> {
  for (const [index, { table }] of tasks.entries()) {
    if ((chance[index % chance.length] as number) % 2 === 0) continue;
    await session.query(`update ${schema}.${table} set v = v + 1 where k = ${index % 4}`);
  }
}

async function law(numRuns: number, prove: (one: Case) => Promise<void>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      cases.map((one) => Object.assign(one, { [fc.toStringMethod]: () => story(one) })),
      async (one) => {
        fc.pre(unitCount(one.model) <= (runs > 1 ? 160 : 60));
        const schema = `w${++schemas}`;
        await prove({ ...one, model: { ...one.model, schema } });
      },
    ),
    { numRuns: numRuns * runs, ...replay, endOnFailure: process.env.RANDOM_PIPELINES_SHRINK === undefined },
  );
}

describe.each<[Engine, number]>([
  ['postgres', 4],
  ['pglite', 1],
])('random pipelines on %s', (engine, share) => {
  let fixture: Fixture;
  let session: Session;
  const stage = (): Stage => ({ warehouse: fixture.warehouse, session, root });
  beforeAll(async () => {
    fixture = await openFixture(engine);
    session = await fixture.warehouse.connect('ledger');
    await session.query("set timezone = 'UTC'");
  });
  afterAll(async () => {
    await session.close();
    await fixture.close();
  });

  test('a backfill leaves what one clean run would have made, and a second one nothing to do', async () => {
    await law(share, async (one) => {
      const { runner, changed, plan, expected, what } = await changedCase(stage(), one);
      if (plan === undefined) return;
      expect(summary(await runIt(runner, plan, { run: newRun('backfill') }))).toEqual(done);
      await same(session, runner, expected, `the backfill of ${what}`);
      const scheduled = await ranOnSchedule(stage(), changed.model, changed.raw);
      const lines = await tableLines(session, runner.model);
      expect(lasting(lines, runner.model)).toEqual(lasting(scheduled, runner.model));
      const versions = await rowVersions(session, runner.model);
      const again = await runIt(runner, plan, { run: newRun('again') });
      expect(notUnchanged(again, runner.model)).toEqual([]);
      await same(session, runner, expected, 'the second pass');
      expect(await rowVersions(session, runner.model)).toEqual(versions);
      expect(await ledgerDisagreements(session, runner.model)).toEqual([]);
    });
  });

  test('what is said of each unit is what somebody who looks at the tables finds', async () => {
    await law(share, async (one) => {
      const { runner, plan, expected } = await changedCase(stage(), one, one.chance[0] === 0 ? 'run' : 'found');
      if (plan === undefined) return;
      const { model } = runner;
      const lies: Lies = [];
      const around = (executor: UnitExecutor) => watched(executor, session, model, lies);
      const store = sqlLedgerStore(fixture.warehouse);
      // The second pass leaves out, the third one after a change by somebody else does not.
      for (const pass of ['backfill', 'again', 'after others']) {
        const run = newRun(pass);
        if (pass === 'after others') await spoil(session, model, one.chance);
        const result = await runIt(runner, plan, { run, concurrency: 1, around });
        expect(summary(result)).toEqual(done);
        const kept = new Map((await store.units(run)).map(({ unit, state }) => [unit, state]));
        expect(result.units.map(({ unit }) => [unit, kept.get(unit)])).toEqual(
          result.units.map(({ unit, state }) => [unit, state]),
        );
        expect(lies).toEqual([]);
        if (pass !== 'after others') await same(session, runner, expected, pass);
      }
      await store.close();
    });
  });

  test('nor is anything else said of tasks that do more than replace rows, or whose database does', async () => {
    await law(share, async (plain) => {
      const one = { ...plain, model: withExtras(plain.model, plain.chance) };
      const { runner, plan } = await changedCase(stage(), one, 'found');
      if (plan === undefined) return;
      const { model } = runner;
      const lies: Lies = [];
      const around = (executor: UnitExecutor) => watched(executor, session, model, lies);
      for (const pass of ['backfill', 'again', 'other rates', 'after others']) {
        if (pass === 'other rates') await session.query(`update ${model.schema}.rates set add = add + 1 where k < 2`);
        if (pass === 'after others') await spoil(session, model, one.chance);
        const result = await runIt(runner, plan, { run: newRun(pass), concurrency: 1, around });
        expect(result).toMatchObject({ problem: undefined, refusal: undefined });
        expect(lies, pass).toEqual([]);
      }
    });
  });

  test('one interval run again, whichever, leaves everything as it was', async () => {
    await law(share, async (one) => {
      const { runner, plan, expected } = await changedCase(stage(), one, 'found');
      if (plan === undefined) return;
      const { model } = runner;
      expect(summary(await runIt(runner, plan, { run: newRun('backfill') }))).toEqual(done);
      const all = planOf(runner, everything(runner)).units;
      for (const chance of one.chance.slice(0, 3)) {
        const { id, task, start, next } = all[(chance * 31) % all.length] as PlanUnit;
        const tasks = [task, ...stagesOf(model.tasks.find((other) => other.id === task) as TaskModel, model)];
        const again = planOf(runner, { tasks, from: start, to: next, downstream: false });
        expect(again.units.map((unit) => unit.id)).toContain(id);
        expect(summary(await runIt(runner, again, { run: newRun('again') }))).toEqual(done);
        await same(session, runner, expected, `${id} again`);
      }
    });
  });

  // The embedded engine dies with its process, which other tests do.
  test.runIf(engine === 'postgres')(
    'whatever dies, resuming until all is done leaves what one clean run would have made',
    async () => {
      await law(2, async (one) => {
        const { runner, plan, expected } = await changedCase(stage(), one);
        if (plan === undefined) return;
        const run = newRun('faults');
        const lives = one.chance.slice(0, 3).map((chance, life): Fault => {
          const at = (chance * 7 + life) % (plan.units.length * 12);
          return { death: deaths[chance % 3] as Death, at, moment: chance % 2 === 0 ? 'before' : 'after' };
        });
        const options = { leaseMs: 1500 };
        let result: RunResult | undefined;
        for (const [life, fault] of [...lives, undefined].entries()) {
          const mortal = fault && mortalWarehouse(fixture.warehouse, fault, session);
          const warehouse = mortal?.warehouse ?? fixture.warehouse;
          const living = { ...runner, warehouse, owner: `runner ${life}` };
          result =
            life === 0
              ? await runIt(living, plan, { run, options, maxAttempts: 2 }).catch(diedWith)
              : await resumeUntilTold(living, run);
          if (life === 0) expect(mortal?.struck()).toBe(true);
        }
        expect(result === undefined ? undefined : summary(result)).toEqual(done);
        await same(session, runner, expected, `the run that died of ${JSON.stringify(lives)}`);
        expect(await committedTwice(session, run)).toEqual([]);
        expect(await ledgerDisagreements(session, runner.model)).toEqual([]);
      });
    },
  );

  test.runIf(engine === 'postgres')(
    'two runners at once do not double a row: one waits or is refused by name',
    async () => {
      await law(2, async (one) => {
        const { runner, plan, expected } = await changedCase(stage(), one);
        if (plan === undefined) return;
        const owners = ['anna', 'bert'];
        const results = await Promise.all(
          owners.map((owner) => runIt({ ...runner, owner }, plan, { run: newRun(owner), concurrency: 2 })),
        );
        for (const [index, result] of results.entries()) {
          const told = result.outcome === 'done' || result.refusal?.code === 'overlapping-run';
          expect(told ? [] : [summary(result)]).toEqual([]);
          if (result.refusal !== undefined) expect(result.refusal.message).toContain(owners[1 - index]);
        }
        expect(results.some(({ outcome }) => outcome === 'done')).toBe(true);
        await same(session, runner, expected, 'two runs at once');
        expect(await ledgerDisagreements(session, runner.model)).toEqual([]);
      });
    },
  );
});
