import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { Session } from '../../src/core/warehouse/port/ports.ts';
import { WarehouseError } from '../../src/core/warehouse/port/warehouse-error.ts';
import { type Moment, withFault } from '../support/fault-injection.ts';
import { patienceMs } from '../support/patience.ts';
import {
  engines,
  type Fixture,
  job,
  neverAborted,
  openFixture,
  realClock,
  scalar,
  shopTables,
  sql,
  useFixture,
} from '../support/warehouse-fixture.ts';

const lost = () => new WarehouseError('connection', 'The connection was cut.', true);

/** Ways in which a runner or its connection dies. */
const deaths: Readonly<Record<string, (session: Session, fixture: Omit<Fixture, 'close'>) => Promise<void>>> = {
  'the connection is cut': async (session) => {
    await session.close();
    throw lost();
  },
  'the backend is terminated': async (session, fixture) => {
    if (fixture.connection.engine === 'pglite') {
      const other = session.query('select pg_sleep(5)').catch(() => undefined);
      await session.cancel();
      await other;
      throw lost();
    }
    const pid = (await session.query('select pg_backend_pid()')).rows[0]?.[0];
    await scalar(fixture.warehouse, `select pg_terminate_backend(${pid})`);
  },
};

const expected = "select string_agg(id || ':' || amount, ',' order by id) from sales where day = '2026-11-01'";
const rest = "select string_agg(id || ':' || amount, ',' order by id) from sales where day <> '2026-11-01'";

/** The same task where its DELETE is known to be the slice, so that its rows are staged. */
const staged: Parameters<typeof job>[0] = {
  slices: job().slices.map((slice) => ({ ...slice, predicate: "day >= '2026-11-01' and day < '2026-11-02'" })),
};
const ways = { 'run as it is written': {}, staged } as const;

describe.each(
  engines.flatMap((engine) => (['run as it is written', 'staged'] as const).map((way) => [engine, way] as const)),
)('a crash on %s of a task that is %s', (engine, way) => {
  const task = (run: string) => job({ run, ...ways[way] });
  const fixture = useFixture(engine);
  let steps = 0;
  let attempt = 0;

  beforeAll(async () => {
    await sql(
      fixture.warehouse,
      ...shopTables,
      'update orders set amount = amount + 100 where id = 11',
      'delete from orders where id = 12',
      "insert into orders values (100, '2026-11-01', 5)",
    );
    const first = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'first' });
    expect(await first.execute(job({ run: 'ledger', statements: [] }), neverAborted)).toMatchObject({
      state: 'unchanged',
    });
    await first.close();
    const { warehouse, count } = withFault(fixture.warehouse, -1, 'before', async () => {});
    const complete = relationalExecutor(warehouse, { clock: realClock, owner: 'complete' });
    const whole = await complete.execute(task('whole'), neverAborted);
    expect(whole).toMatchObject({ state: 'changed', slices: [{ added: 1, removed: 1, changed: 1 }] });
    steps = count();
    await complete.close();
  });

  // The embedded engine dies with its thread, whoever ends it: one kind of death and fewer steps tell the same.
  const kinds = engine === 'postgres' && way !== 'staged' ? Object.keys(deaths) : ['the connection is cut'];

  test.each(
    kinds.flatMap(
      (death) =>
        [
          [death, 'before'],
          [death, 'after'],
        ] as [string, Moment][],
    ),
  )('%s %s any statement of the protocol: a resume ends in the same state', async (death, moment) => {
    expect(steps).toBeGreaterThan(15);
    for (let at = 0; at < steps; at++) {
      await sql(
        fixture.warehouse,
        'truncate sales',
        "insert into sales select n, date '2026-10-31' + (n / 10), n * 1.5 from generate_series(0, 29) n",
      );
      const before = await scalar(fixture.warehouse, expected);
      const run = `crash-${++attempt}`;
      const faulty = withFault(fixture.warehouse, at, moment, (session) =>
        (deaths[death] as (typeof deaths)[string])(session, fixture),
      );
      const crashed = relationalExecutor(faulty.warehouse, { clock: realClock, owner: `runner-${attempt}` });
      const first = await crashed.execute(task(run), neverAborted);
      await crashed.close();
      const between = await scalar(fixture.warehouse, expected);
      // Either nothing of it or all of it.
      expect(
        [before, '10:15.00,11:116.50,13:19.50,14:21.00,15:22.50,16:24.00,17:25.50,18:27.00,19:28.50,100:5.00'],
        `statement ${at}`,
      ).toContain(between);
      if (first.state === 'failed')
        expect([at, first.error]).toMatchObject([at, { kind: 'connection', retryable: true }]);
      const resumed = await retryWhileBusy(fixture, task(run), `runner-${attempt}`);
      const committed = between !== before;
      expect([at, resumed.state]).toEqual([at, committed ? 'done-before' : 'changed']);
      expect(await scalar(fixture.warehouse, expected)).toBe(
        '10:15.00,11:116.50,13:19.50,14:21.00,15:22.50,16:24.00,17:25.50,18:27.00,19:28.50,100:5.00',
      );
      expect(await scalar(fixture.warehouse, rest)).toContain('0:0.00');
      expect(
        await scalar(fixture.warehouse, `select count(*) from backfill_ledger.versions where run = '${run}'`),
      ).toBe('1');
      expect(
        await scalar(fixture.warehouse, `select count(*) from backfill_ledger.before_rows where run = '${run}'`),
      ).toBe(way === 'staged' ? '3' : '10');
      expect(await scalar(fixture.warehouse, 'select count(*) from backfill_ledger.claims')).toBe('0');
    }
    if (engine === 'postgres') {
      const others =
        'select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
      await expect.poll(() => scalar(fixture.warehouse, others), { timeout: patienceMs }).toBe('0');
    }
  });
});

const sales = "select string_agg(id || ':' || amount, ',' order by id) from sales";

describe.each(engines)('a crash of an undo on %s', (engine) => {
  let fixture: Fixture;
  let steps = 0;
  let after: string | null | undefined;
  let before: string | null | undefined;
  let undone = 0;
  const undo = (run: string, of: string) => job({ run, statements: [], restores: { run: of, unit: job().unit } });
  /** The slice as a run of ours left it, with its rows of before kept. */
  const changed = async (): Promise<string> => {
    await sql(fixture.warehouse, 'truncate sales', 'insert into sales select id, day, amount + 1 from orders');
    const run = `changed-${++undone}`;
    const executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'first' });
    expect(await executor.execute(job({ run }), neverAborted)).toMatchObject({ state: 'changed' });
    await executor.close();
    return run;
  };

  beforeAll(async () => {
    fixture = await openFixture(engine);
    await sql(fixture.warehouse, ...shopTables);
    const of = await changed();
    after = await scalar(fixture.warehouse, sales);
    const { warehouse, count } = withFault(fixture.warehouse, -1, 'before', async () => {});
    const complete = relationalExecutor(warehouse, { clock: realClock, owner: 'complete' });
    await complete.execute(job({ run: 'warm', statements: [] }), neverAborted);
    const began = count();
    expect(await complete.execute(undo('whole', of), neverAborted)).toMatchObject({ state: 'changed' });
    before = await scalar(fixture.warehouse, sales);
    expect(before).not.toBe(after);
    steps = count() - began;
    await complete.close();
  });
  afterAll(() => fixture.close());

  const moments: readonly Moment[] = engine === 'postgres' ? ['before', 'after'] : ['after'];
  test.each(moments)('%s any statement: nothing of it or all of it, and a resume ends it', async (moment) => {
    expect(steps).toBeGreaterThan(20);
    for (let at = 0; at < steps; at++) {
      const of = await changed();
      const run = `undo-${moment}-${at}`;
      const faulty = withFault(fixture.warehouse, at, moment, (session) =>
        (deaths['the connection is cut'] as (typeof deaths)[string])(session, fixture),
      );
      const crashed = relationalExecutor(faulty.warehouse, { clock: realClock, owner: `runner-${run}` });
      await crashed.execute(undo(run, of), neverAborted);
      await crashed.close();
      const between = await scalar(fixture.warehouse, sales);
      expect([after, before], `statement ${at}`).toContain(between);
      const resumed = await retryWhileBusy(fixture, undo(run, of), `runner-${run}`);
      expect([at, resumed.state]).toEqual([at, between === before ? 'done-before' : 'changed']);
      expect(await scalar(fixture.warehouse, sales)).toBe(before);
      const kept = await scalar(
        fixture.warehouse,
        `select count(*) from backfill_ledger.before_rows where run in ('${of}', '${run}')`,
      );
      expect([at, kept]).toEqual([at, '20']);
    }
  });
});

/** The same process tries again: its own dead claim is no obstacle once the server has rolled the transaction back. */
async function retryWhileBusy(fixture: Omit<Fixture, 'close'>, unit: UnitJob, owner: string) {
  const executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner });
  try {
    for (let tries = 0; ; tries++) {
      const outcome = await executor.execute(unit, neverAborted);
      if (outcome.state !== 'busy' || tries > 50) return outcome;
      await realClock.sleep(100);
    }
  } finally {
    await executor.close();
  }
}
