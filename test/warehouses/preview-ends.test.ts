import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPreview } from '../../src/core/run/relational/preview/preview.ts';
import type { Clock } from '../../src/core/run/unit/clock.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { buildOneUnitProgram, type OneUnitProgram } from '../support/one-unit-process.ts';
import {
  engines,
  type Fixture,
  job,
  openFixture,
  realClock,
  scalar,
  shopTables,
  sql,
} from '../support/warehouse-fixture.ts';

const clear = "delete from sales where day = '2026-11-01'";
const endless = 'generate_series(1, 10000000000)';
const slices: UnitJob['slices'] = [
  { ...(job().slices[0] as UnitJob['slices'][number]), predicate: "day = '2026-11-01'" },
];
/** Looks at its slice, so that it is run and rolled back; told from its query alone otherwise. */
const neverEnding = (way: 'query' | 'transaction'): UnitJob => {
  const also = way === 'query' ? '' : ' and n <> (select count(*) from sold)';
  const fill = `insert into sales select n, '2026-11-01', nextval('numbers') from ${endless} n where n > 100${also}`;
  const looks = `insert into sales select n, '2026-11-01', 1 from ${endless} n where n > 100`;
  return job({ statements: [clear, way === 'query' ? looks : fill], slices });
};
const fillsFirst = job({
  statements: [
    clear,
    "insert into sales select nextval('numbers') + 1000, '2026-11-01', 1",
    `select count(*) from ${endless}`,
  ],
  slices,
});

const contents = "select string_agg(s::text || xmin::text, ';' order by id) from sales s";

/** Tells when a statement is sent that will not end. */
function watched(warehouse: Warehouse, onEndless: () => void): Warehouse {
  return {
    ...warehouse,
    connect: async (purpose) => {
      const session = await warehouse.connect(purpose);
      return {
        query: (text, values) => {
          const answer = session.query(text, values);
          if (text.includes(endless) && !/^(explain|create)/.test(text)) onEndless();
          return answer;
        },
        cancel: () => session.cancel(),
        close: () => session.close(),
      };
    },
  };
}

/** A clock on which time passes when told. */
function heldClock(): Clock & { pass(): void } {
  let pass = () => {};
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { now: realClock.now, sleep: () => passed, pass };
}

describe.each(engines)('a preview that is stopped on %s', (engine) => {
  let fixture: Fixture;
  let program: OneUnitProgram;
  beforeAll(async () => {
    program = await buildOneUnitProgram();
    fixture = await openFixture(engine);
    await sql(fixture.warehouse, ...shopTables, 'create sequence numbers', 'create view sold as select * from sales');
  });
  afterAll(async () => {
    program.remove();
    await fixture.close();
  });

  /** The server works on the statement; asked on another connection where there can be one. */
  const isRunning = async () => {
    const busy = `select count(*) from pg_stat_activity where state = 'active' and query like '%${endless}%' and pid <> pg_backend_pid() and datname = current_database()`;
    while (engine === 'postgres' && (await scalar(fixture.warehouse, busy)) === '0') await realClock.sleep(20);
  };
  /** No other session is at work, and nobody holds anything of the tables. */
  const held = () =>
    sql(
      fixture.warehouse,
      `select (select count(*) from pg_stat_activity a where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()),
        (select count(*) from pg_locks l join pg_class c on c.oid = l.relation where c.relname in ('sales', 'orders', 'numbers') and l.pid <> pg_backend_pid() and c.oid >= 16384)`,
    );
  const nothingIsHeld = async () => {
    // A server process ends a moment after its client was told so.
    while ((await held()).rows[0]?.join() !== '0,0') await realClock.sleep(20);
  };

  const stopWhileRunning = async (one: UnitJob, how: 'time' | 'cancel') => {
    const clock = heldClock();
    const controller = new AbortController();
    const warehouse = watched(fixture.warehouse, () => {
      void isRunning().then(() => (how === 'time' ? clock.pass() : controller.abort()));
    });
    const preview = openPreview(warehouse, { clock, owner: 'previewer' }, 60_000, [one]);
    const outcome = await preview.executor.execute(one, controller.signal);
    const next = await preview.executor.execute(job(), controller.signal);
    return { outcome, next, ...(await preview.end()) };
  };

  test.each(['query', 'transaction'] as const)('by its time in the middle of a statement, as a %s', async (way) => {
    const before = await scalar(fixture.warehouse, contents);
    const stopped = await stopWhileRunning(neverEnding(way), 'time');
    expect(stopped).toMatchObject({
      outcome: { state: 'failed', error: { kind: 'timeout', retryable: false } },
      next: { state: 'failed', error: { kind: 'timeout' } },
    });
    expect(await scalar(fixture.warehouse, contents)).toBe(before);
    await nothingIsHeld();
  });

  test.each(['query', 'transaction'] as const)('by a cancel in the middle of a statement, as a %s', async (way) => {
    const before = await scalar(fixture.warehouse, contents);
    const stopped = await stopWhileRunning(neverEnding(way), 'cancel');
    expect(stopped).toMatchObject({
      outcome: { state: 'cancelled', confirmed: true },
      next: { state: 'cancelled' },
    });
    expect(await scalar(fixture.warehouse, contents)).toBe(before);
    await nothingIsHeld();
  });

  test('says what it left when it was stopped, where the server can still be asked', async () => {
    const first = Number(await scalar(fixture.warehouse, "select nextval('numbers')"));
    const { way, traces } = await stopWhileRunning(fillsFirst, 'time');
    expect(way).toBe('transaction');
    // The embedded engine can only be stopped by ending it.
    expect(traces).toEqual(
      engine === 'pglite'
        ? undefined
        : { deadRows: [{ table: 'public.sales', rows: 1 }], sequences: ['public.numbers'] },
    );
    if (engine === 'postgres') {
      expect(Number(await scalar(fixture.warehouse, "select nextval('numbers')"))).toBe(first + 2);
    }
  });

  test('by the death of its process, at a step or in the middle of a statement', async () => {
    const before = await scalar(fixture.warehouse, contents);
    const request = { connection: fixture.connection, owner: 'killed', moment: 'after' as const, preview: true };
    if (engine === 'pglite') await fixture.warehouse.close();
    const opened = async <T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T> => {
      if (engine === 'postgres') return work(fixture.warehouse);
      const warehouse = await openWarehouse(fixture.connection);
      try {
        return await work(warehouse);
      } finally {
        await warehouse.close();
      }
    };
    const unchanged = async () => expect(await opened((warehouse) => scalar(warehouse, contents))).toBe(before);
    for (const one of [job(), job({ statements: [clear, 'select 1', job().statements[1]?.text ?? ''] })]) {
      const { statements = 0 } = await program.start({ ...request, job: one, killAt: -1 }).ended;
      expect(statements).toBeGreaterThan(10);
      for (const killAt of engine === 'pglite' ? [statements - 2] : [2, Math.floor(statements / 2), statements - 2]) {
        expect(await program.start({ ...request, job: one, killAt }).ended).toEqual({ signal: 'SIGKILL' });
        await unchanged();
        if (engine === 'postgres') await nothingIsHeld();
      }
    }
    // Who cannot see into the embedded engine from outside cannot kill it in the middle of a statement for sure.
    if (engine === 'pglite') return;
    for (const way of ['query', 'transaction'] as const) {
      const { child, ended } = program.start({ ...request, job: neverEnding(way), killAt: -1 });
      await isRunning();
      child.kill('SIGKILL');
      expect(await ended).toEqual({ signal: 'SIGKILL' });
      await nothingIsHeld();
      await unchanged();
    }
  });
});
