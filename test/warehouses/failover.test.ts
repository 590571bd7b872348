import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import type { Plan } from '../../src/core/plan/model/plan.ts';
import { resumeRun } from '../../src/core/run/order/resume-run.ts';
import { runPlan } from '../../src/core/run/order/run-plan.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { RunEvent } from '../../src/core/run/unit/run-event.ts';
import { defaultRunOptions } from '../../src/core/run/unit/run-options.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { planOf } from '../support/fake-run.ts';
import { type FaultyProxy, openProxy } from '../support/faults/faulty-proxy.ts';
import { caseOf } from '../support/faults/scenario.ts';
import { steadySession } from '../support/faults/steady-session.ts';
import {
  asSuperuser,
  type PostgresServer,
  type Standby,
  startPostgres,
  startStandby,
} from '../support/postgres-server.ts';
import { changedCase, committedTwice, newRun, same } from '../support/random-pipelines/changed-case.ts';
import { ledgerDisagreements } from '../support/random-pipelines/database.ts';
import { done, runIt, summary } from '../support/random-pipelines/pipeline-run.ts';
import { job, neverAborted, realClock, scalar } from '../support/warehouse-fixture.ts';

/** A pair of servers takes one. */
const pipelines = 1;
const days = [1, 2, 3];
const dayOf = (day: number) => `2026-11-0${day}`;
/** For each day a parent from `orders`, and a child from the parent. */
const plan: Plan = planOf(
  days.flatMap((day) => [
    { task: 'shop.sales', index: day - 1 },
    { task: 'shop.totals', index: day - 1, waitsFor: [{ task: 'shop.sales', first: day - 1, last: day - 1 }] },
  ]),
);

function jobOf(unit: string, index: number, run: string): UnitJob {
  const day = dayOf(Math.floor(index / 2) + 1);
  const [from, to] = [`${day}T00:00:00.000Z`, `${dayOf(Math.floor(index / 2) + 2)}T00:00:00.000Z`];
  const isParent = index % 2 === 0;
  const [source, target] = isParent ? ['orders', 'sales'] : ['sales', 'totals'];
  const slices = job().slices.map((slice) => ({ ...slice, table: `public.${target}`, from, to }));
  return job({
    run,
    unit,
    task: isParent ? 'shop.sales' : 'shop.totals',
    interval: { start: instant(Date.parse(from)), end: instant(Date.parse(to)) },
    slices,
    inputs: [{ table: `public.${source}`, column: 'day', from, to }],
    cutsOff: !isParent,
    statements: [
      `delete from public.${target} where day = '${day}'`,
      `insert into public.${target} select id, day, amount + 1 from public.${source} where day = '${day}'`,
    ],
    options: { leaseMs: 2000 },
  });
}

const setup = [
  'create table orders (id int primary key, day date not null, amount numeric)',
  'create table sales (id int primary key, day date not null, amount numeric)',
  'create table totals (id int primary key, day date not null, amount numeric)',
  "insert into orders select n, date '2026-11-01' + n % 3, n from generate_series(1, 30) n",
];

const correct = `
select (select count(*) from orders) = count(*) and bool_and(s.amount = o.amount + 1 and t.amount = o.amount + 2)
from orders o join sales s using (id) join totals t using (id)`;

/** States by the ledger, and whether each has its marker. */
const marked = `
select string_agg(state || ' ' || (select count(*) from backfill_ledger.versions v where v.run = u.run and v.unit = u.unit), ', ' order by unit)
from backfill_ledger.units u where run = 'run-1'`;
const allMarked = Array.from({ length: 6 }, () => 'changed 1').join(', ');

describe('a standby takes over without the newest commits', () => {
  let primary: PostgresServer;
  let standby: Standby;
  let proxy: FaultyProxy;
  let warehouse: Warehouse;
  let executor: UnitExecutor;

  beforeEach(async () => {
    primary = await startPostgres(['fsync=off']);
    await asSuperuser(primary, 'postgres', ...setup);
    standby = await startStandby(primary, ['fsync=off']);
    proxy = await openProxy(primary.port, () => {});
    warehouse = await openWarehouse({
      ...{ name: 'test', engine: 'postgres', protected: false, settings: {}, airflowIds: [], service: undefined },
      ...{ host: '127.0.0.1', port: proxy.port, user: 'postgres', password: primary.password, database: 'postgres' },
      sslmode: 'disable',
    });
    executor = relationalExecutor(warehouse, { clock: realClock, owner: 'tester' });
  });
  afterEach(async () => {
    await warehouse.close();
    await proxy.close();
    await standby.stop();
    await primary.stop();
  });

  const takeOver = async (): Promise<void> => {
    process.kill(primary.pid, 'SIGQUIT');
    await standby.promote();
    proxy.lead(standby.port);
    for (const line of proxy.lines) line.cut();
  };
  const events: RunEvent[] = [];
  const ports = (work: UnitExecutor) => ({
    executor: work,
    ledger: sqlLedgerStore(warehouse),
    clock: realClock,
    signal: neverAborted,
    onEvent: (event: RunEvent) => void events.push(event),
  });
  const prepared = (concurrency: number) => ({
    run: 'run-1',
    title: 'all',
    createdBy: 'tester',
    plan,
    jobs: new Map(plan.units.map(({ id }, index) => [id, jobOf(id, index, 'run-1')])),
    refused: new Map(),
    options: { ...defaultRunOptions, concurrency, backoffMs: 100 },
  });
  /** Calls back when so many units have ended, the last of them told to the run afterwards. */
  const counting = (acts: Readonly<Record<number, () => Promise<void>>>): UnitExecutor => {
    let ended = 0;
    return {
      maxConcurrency: executor.maxConcurrency,
      execute: async (one, signal, follows) => {
        const outcome = await executor.execute(one, signal, follows);
        if (outcome.state === 'changed') await acts[++ended]?.();
        return outcome;
      },
    };
  };

  test.each([
    ['a parent is lost before its child begins', 1, { 2: () => standby.fallBehind(), 3: takeOver }],
    ['a child is lost', 1, { 3: () => standby.fallBehind(), 4: takeOver }],
    ['the last unit is lost', 1, { 5: () => standby.fallBehind(), 6: takeOver }],
    ['several are lost, side by side', 3, { 1: () => standby.fallBehind(), 4: takeOver }],
  ])('%s: the run goes on from what the new server has', async (_, concurrency, acts) => {
    const result = await runPlan(prepared(concurrency), ports(counting(acts)));
    expect(result).toMatchObject({ outcome: 'done', problem: undefined });
    expect(await scalar(warehouse, correct)).toBe('t');
    expect(await scalar(warehouse, marked)).toBe(allMarked);
    expect(result.units.map(({ state }) => state)).toEqual(plan.units.map(() => 'changed'));
  });

  test('the whole run is lost, and the ledger with it', async () => {
    await standby.fallBehind();
    const result = await runPlan(prepared(1), ports(counting({ 3: takeOver })));
    expect(result).toMatchObject({ outcome: 'done', problem: undefined });
    expect(await scalar(warehouse, correct)).toBe('t');
    expect(await scalar(warehouse, marked)).toBe(allMarked);
    expect(await scalar(warehouse, 'select title from backfill_ledger.runs')).toBe('all');
  });

  test('units that were told to the new server are run again by a resume, with what was made from them', async () => {
    expect(await runPlan(prepared(1), ports(executor))).toMatchObject({ outcome: 'done' });
    // As it was when a run noted for itself what it had been told.
    await asSuperuser(
      primary,
      'postgres',
      "delete from backfill_ledger.versions where unit = (select min(unit) from backfill_ledger.versions where task = 'shop.sales')",
      "update sales set amount = 0 where day = '2026-11-01'",
    );
    const store = sqlLedgerStore(warehouse);
    const waiting = (await store.units('run-1')).filter(({ state }) => state === 'waiting');
    expect(waiting.map(({ message }) => message)).toEqual([
      'its commit is lost: the server does not have what it had confirmed',
      'its commit is lost: the server does not have what it had confirmed',
    ]);
    const codeHashes = plan.codeHashes;
    const result = await resumeRun(
      { run: 'run-1', codeHashes, acceptHeld: false },
      { ...ports(executor), ledger: store },
    );
    expect(result).toMatchObject({ outcome: 'done' });
    expect(result.units.filter(({ ran }) => ran).length).toBe(2);
    expect(await scalar(warehouse, correct)).toBe('t');
    expect(await scalar(warehouse, marked)).toMatch(/^(?:(?:un)?changed 1(?:, )?){6}$/);
  });

  test('whatever a standby lacks of a random pipeline, the tables end as one clean run leaves them', async () => {
    const root = mkdtempSync(join(tmpdir(), 'backfill-failover-'));
    const session = steadySession(warehouse);
    let played = 0;
    for (let seed = Number(process.env.FAULTS_SEED ?? 1); played < pipelines; seed++) {
      const { one, scenario } = caseOf(seed * 3);
      const model = { ...one.model, schema: `c${seed}` };
      const changed = await changedCase({ warehouse, session, root }, { ...one, model }, 'found');
      const { runner, plan, expected } = changed;
      // Two moments are needed, and a case is played once on a pair of servers.
      if (plan === undefined || plan.units.length < 3) continue;
      played++;
      const [fault] = scenario.lives;
      const last = 2 + ((fault?.at ?? 0) % (plan.units.length - 1));
      const first = 1 + ((fault?.which ?? 0) % (last - 1));
      let ended = 0;
      let behind: Promise<void> | undefined;
      const around = (executor: UnitExecutor): UnitExecutor => ({
        ...executor,
        execute: async (one, signal, follows) => {
          const outcome = await executor.execute(one, signal, follows);
          ended += 1;
          if (ended === first) behind = standby.fallBehind();
          const isLast = ended === last;
          await behind;
          if (isLast) await takeOver();
          return outcome;
        },
      });
      const run = newRun('failover');
      const what = `FAULTS_SEED=${seed}, ${first} and ${last} of ${plan.units.length}`;
      const options = { leaseMs: 2000 };
      expect(summary(await runIt(runner, plan, { run, options, around })), what).toEqual(done);
      await same(session, runner, expected, what);
      expect(await committedTwice(session, run), what).toEqual([]);
      expect(await ledgerDisagreements(session, model), what).toEqual([]);
    }
    await session.close();
    rmSync(root, { recursive: true, force: true });
  });
});
