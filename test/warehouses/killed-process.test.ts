import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PgliteConnection } from '../../src/core/warehouse/port/connection-config.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import type { Moment } from '../support/fault-injection.ts';
import { buildOneUnitProgram, type Ended, type OneUnitProgram } from '../support/one-unit-process.ts';
import type { OneUnit } from '../support/run-one-unit.ts';
import {
  engines,
  job,
  openFixture,
  realClock,
  scalar,
  shopTables,
  sql,
  useFixture,
} from '../support/warehouse-fixture.ts';

let program: OneUnitProgram;
beforeAll(async () => {
  program = await buildOneUnitProgram();
});
afterAll(() => program.remove());

const start = (request: OneUnit): Promise<Ended> => program.start(request).ended;

async function untilFree(request: OneUnit): Promise<Ended> {
  for (;;) {
    const ended = await start(request);
    if (ended.outcome?.state !== 'busy') return ended;
    await realClock.sleep(200);
  }
}

describe.each(engines)('a process killed on %s', (engine) => {
  const fixture = useFixture(engine);
  beforeAll(async () => {
    await sql(fixture.warehouse, ...shopTables, 'update orders set amount = amount + 1 where id between 10 and 12');
    if (engine === 'pglite') await fixture.warehouse.close();
  });

  /** The embedded database is opened only while no other process has it. */
  async function open(...statements: readonly string[]): Promise<string | null | undefined> {
    if (engine === 'postgres') return (await sql(fixture.warehouse, ...statements)).rows[0]?.[0];
    const warehouse = await openWarehouse(fixture.connection);
    try {
      return (await sql(warehouse, ...statements)).rows[0]?.[0];
    } finally {
      await warehouse.close();
    }
  }

  test('at any step of the protocol leaves all or nothing, and the next process finishes it', async () => {
    const request = (run: string, killAt: number, moment: Moment, owner: string): OneUnit => ({
      connection: fixture.connection,
      job: job({ run, options: { leaseMs: 1000 } }),
      owner,
      killAt,
      moment,
    });
    await start(request('first', -1, 'before', 'first'));
    await open('update orders set amount = amount + 1 where id between 10 and 12');
    const whole = await start(request('whole', -1, 'before', 'whole'));
    expect(whole.outcome).toMatchObject({ state: 'changed', slices: [{ changed: 3 }] });
    // The last statements are: …, record, commit, discard all; the first few are the claim.
    const last = (whole.statements ?? 0) - 1;
    expect(last).toBeGreaterThan(15);
    const moments: [number, Moment][] = [
      [last - 2, 'after'],
      [last - 1, 'after'],
      [3, 'after'],
    ];
    if (engine === 'postgres') moments.push([9, 'before'], [last - 8, 'after'], [last - 1, 'before']);
    for (const [killAt, moment] of moments) {
      const run = `${killAt}-${moment}`;
      await open('update orders set amount = amount + 1 where id between 10 and 12');
      const killed = await start(request(run, killAt, moment, `${run}-killed`));
      expect([run, killed.signal]).toEqual([run, 'SIGKILL']);
      const resumed = await untilFree(request(run, -1, 'before', `${run}-resumed`));
      // Three changed rows at the second try: the first left the old ones.
      const state = killAt === last - 1 && moment === 'after' ? 'done-before' : 'changed';
      expect([run, resumed.outcome]).toMatchObject([run, { state, slices: [{ changed: 3, before: { rows: 10 } }] }]);
    }
    expect(await open("select count(*) || ' ' || count(distinct run) from backfill_ledger.versions")).toBe(
      `${moments.length + 2} ${moments.length + 2}`,
    );
    expect(await open('select count(*) from sales s join orders o using (id, day, amount)')).toBe('30');
  });
});

test('two processes on one embedded directory: one works, the other is refused by name', async () => {
  const fixture = await openFixture('pglite');
  await sql(fixture.warehouse, ...shopTables);
  const { directory } = fixture.connection as PgliteConnection;
  const refused = await start({
    connection: fixture.connection,
    job: job(),
    owner: 'second',
    killAt: -1,
    moment: 'before',
  });
  expect(refused.refused).toContain(`${directory} is in use by process ${process.pid}`);
  expect(await scalar(fixture.warehouse, 'select count(*) from sales')).toBe('30');
  await fixture.close();
});

test('two processes on one server: both end, and the slice is there once', async () => {
  const fixture = await openFixture('postgres');
  await sql(
    fixture.warehouse,
    ...shopTables,
    'alter table sales drop constraint sales_pkey',
    "delete from sales where day = '2026-11-01'",
  );
  const statements = [job().statements[0]?.text as string, 'select pg_sleep(0.3)', job().statements[1]?.text as string];
  const ended = await Promise.all(
    ['one', 'two'].map((owner) =>
      untilFree({
        connection: fixture.connection,
        job: job({ run: owner, statements }),
        owner,
        killAt: -1,
        moment: 'before',
      }),
    ),
  );
  expect(ended.map(({ outcome }) => outcome?.state).sort()).toEqual(['changed', 'unchanged']);
  expect(await scalar(fixture.warehouse, "select count(*) from sales where day = '2026-11-01'")).toBe('10');
  await fixture.close();
});
