import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { staleSlices } from '../../src/core/ledger/stale-slices.ts';
import { resumeRun } from '../../src/core/run/order/resume-run.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import { prepareUndo } from '../../src/core/run/stored/prepare-undo.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import { readSql } from '../../src/core/sql/read-sql.ts';
import { plainText } from '../../src/core/template/mask/plain-text.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import { sliceGrants } from '../../src/core/warehouse/dialects/postgres/ledger/slice-functions-sql.ts';
import { dagOf, madeSafe, renderedForDay, sqlOf } from '../support/scheduled-task.ts';
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
} from '../support/warehouse-fixture.ts';

const day = '2026-11-01';
const plainInsert = `
  INSERT INTO sales SELECT id, day, amount FROM orders
  WHERE day >= '{{ data_interval_start | ds }}' AND day < '{{ data_interval_end | ds }}'`;
const unsafe = plainInsert.replaceAll(' | ds', '');
const safe = sqlOf(madeSafe(dagOf(unsafe), 'shop.sales'));
const rendered = renderedForDay(safe, day);

/** The statements of a text, for whoever sends them one by one. */
const statementsOf = (text: string): readonly string[] =>
  readSql(plainText(text), 'postgres').statements.map(({ start, end }) => text.slice(start, end));

/** The same slice as the engine names it when it makes the job from the files. */
const slice = {
  table: 'sales',
  column: 'day',
  from: `${day}T00:00:00Z`,
  to: '2026-11-02T00:00:00Z',
  predicate: `day >= '${day}T00:00:00+00:00' AND day < '2026-11-02T00:00:00+00:00'`,
  mode: 'delete+insert' as const,
  key: [],
  volatile: [],
};
const tables = [
  ...shopTables.filter((statement) => !statement.includes('insert into sales')),
  'alter table sales drop constraint sales_pkey',
];

const prepared = async (engine: (typeof engines)[number]): Promise<Fixture> => {
  const fixture = await openFixture(engine);
  const ledger = sqlLedgerStore(fixture.warehouse);
  await ledger.listRuns(1);
  await ledger.close();
  return fixture;
};

describe.each(engines)('a task that was made safe, run by its scheduler on %s', (engine) => {
  let fixture: Fixture;
  let executor: UnitExecutor;
  let runs = 0;
  const run = (parts: Parameters<typeof job>[0] = {}) =>
    executor.execute(job({ run: `run-${++runs}`, slices: [slice], ...parts }), neverAborted);
  const schedule = (text = rendered) => sql(fixture.warehouse, ...statementsOf(text));
  const failing = async (text: string): Promise<string> => {
    try {
      await schedule(text);
    } catch (error) {
      await sql(fixture.warehouse, 'rollback');
      return error instanceof Error ? error.message : '';
    }
    return 'it did not fail';
  };
  const inSlice = () => scalar(fixture.warehouse, `select count(*) from sales where day = '${day}'`);
  const ledgerOf = async <T>(work: (ledger: ReturnType<typeof sqlLedgerStore>) => Promise<T>): Promise<T> => {
    const ledger = sqlLedgerStore(fixture.warehouse);
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  };

  beforeAll(async () => {
    fixture = await prepared(engine);
    executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' });
  });
  afterAll(() => fixture.close());
  beforeEach(() =>
    sql(
      fixture.warehouse,
      'drop table if exists sales, orders cascade',
      ...tables,
      'truncate backfill_ledger.versions, backfill_ledger.runs, backfill_ledger.units, backfill_ledger.claims, backfill_ledger.leases, backfill_ledger.claim_slices',
    ),
  );

  test('a second run leaves the same rows, and the ledger knows of both', async () => {
    await schedule();
    expect(await inSlice()).toBe('10');
    await schedule(renderedForDay(safe, day, 2));
    expect(await inSlice()).toBe('10');
    const [second, first] = await ledgerOf((ledger) => ledger.listRuns(2));
    expect(first).toMatchObject({ title: 'shop.sales by its scheduler', counts: { changed: 1 } });
    expect(first?.createdBy).toMatch(/^scheduled__2026-11-01T00:00:00\+00:00, try 1 \(\w+\)$/);
    expect(second).toMatchObject({ counts: { unchanged: 1 } });
    const [unit] = await ledgerOf((ledger) => ledger.units(String(first?.run)));
    expect(unit).toMatchObject({
      unit: `shop.sales@${day}T00:00:00Z`,
      state: 'changed',
      slices: [
        {
          table: 'public.sales',
          column: 'day',
          from: slice.from,
          to: slice.to,
          before: { rows: 0 },
          after: { rows: 10 },
        },
      ],
    });
  });

  test('its version is the one that a run of ours would leave', async () => {
    await schedule();
    const [scheduled] = await ledgerOf((ledger) => ledger.newestVersions());
    expect(await run()).toMatchObject({ state: 'unchanged' });
    const [ours] = await ledgerOf((ledger) => ledger.newestVersions());
    for (const same of [
      'slice',
      'target',
      'lower',
      'upper',
      'rows',
      'rowChecksum',
      'algorithm',
      'task',
      'unit',
    ] as const)
      expect([same, scheduled?.[same]]).toEqual([same, ours?.[same]]);
    expect(ours?.run).not.toBe(scheduled?.run);
  });

  test('what it read is not known: it is never a reason to leave a unit out, and never called stale by its code', async () => {
    await schedule();
    expect(
      await run({ cutsOff: true, inputs: [{ table: 'orders', column: 'day', from: slice.from, to: slice.to }] }),
    ).toMatchObject({ state: 'unchanged' });
    await schedule();
    const versions = await ledgerOf((ledger) => ledger.newestVersions());
    expect(versions[0]?.inputs).toBeUndefined();
    expect(staleSlices(versions, new Map([['shop.sales', 'other code']]))).toEqual([]);
  });

  test('a downstream slice is stale once the scheduler has made what it read anew', async () => {
    await schedule();
    const downstream = { ...slice, table: 'totals', predicate: undefined };
    await sql(fixture.warehouse, 'drop table if exists totals', 'create table totals (day date, amount numeric)');
    const inputs = [{ table: 'sales', column: 'day', from: slice.from, to: slice.to }];
    const made = await run({
      task: 'shop.totals',
      unit: `shop.totals@${slice.from}`,
      slices: [downstream],
      inputs,
      statements: [
        `delete from totals where day = '${day}'`,
        `insert into totals select day, sum(amount) from sales where day = '${day}' group by day`,
      ],
    });
    expect(made).toMatchObject({ state: 'changed' });
    await schedule();
    expect(staleSlices(await ledgerOf((ledger) => ledger.newestVersions()), new Map())).toEqual([]);
    await sql(fixture.warehouse, 'update orders set amount = amount + 1 where id = 12');
    await schedule();
    expect(staleSlices(await ledgerOf((ledger) => ledger.newestVersions()), new Map())).toMatchObject([
      { version: { task: 'shop.totals' }, reasons: [{ kind: 'input', table: 'public.sales' }] },
    ]);
  });

  test('a change after it is put down to the scheduler, not to the code', async () => {
    await schedule();
    await sql(fixture.warehouse, 'update orders set amount = amount + 1 where id = 12');
    expect(await run()).toMatchObject({ state: 'changed', slices: [{ causes: [{ kind: 'scheduled' }] }] });
  });

  test('an undo knows that the slice moved on, and what of the scheduler cannot be undone', async () => {
    await sql(fixture.warehouse, `insert into sales values (99, '${day}', 1)`);
    await ledgerOf((ledger) =>
      ledger.saveRun({ run: 'ours', createdAt: instant(0), createdBy: 'me', document: '{}', title: 'ours' }, []),
    );
    expect(await run({ run: 'ours' })).toMatchObject({ state: 'changed' });
    await sql(fixture.warehouse, 'update orders set amount = amount + 1 where id = 12');
    await schedule();
    const [scheduled] = await ledgerOf((ledger) => ledger.listRuns(1));
    const undo = (of: string) =>
      ledgerOf((ledger) =>
        prepareUndo({ run: of, units: undefined, as: 'undo', createdBy: 'me', now: instant(0) }, ledger),
      );
    expect(await undo('ours')).toMatchObject({
      message: expect.stringContaining(`run ${scheduled?.run} made the slice of public.sales`),
    });
    expect(await undo(String(scheduled?.run))).toMatchObject({ message: expect.stringContaining('were not kept') });
    const restored = await run({
      statements: [],
      restores: { run: 'ours', unit: job().unit },
      options: { holdShrinkPercent: undefined },
    });
    expect(restored).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('its rows are no longer what run ours left') },
    });
  });

  test('a run of the scheduler is not resumed from here', async () => {
    await schedule();
    const [scheduled] = await ledgerOf((ledger) => ledger.listRuns(1));
    const result = await ledgerOf((ledger) =>
      resumeRun(
        { run: String(scheduled?.run), codeHashes: new Map(), acceptHeld: false },
        { ledger, executor, clock: realClock, signal: neverAborted, onEvent: () => {} },
      ),
    );
    expect(result.refusal?.message).toContain('its scheduler ran it');
  });

  test('a live claim of a runner keeps it out, by name; a claim whose lease is over does not', async () => {
    await sql(
      fixture.warehouse,
      `with c as (insert into backfill_ledger.claims (run, unit, owner) values ('r7', 'u1', 'anna@laptop') returning fence),
        l as (insert into backfill_ledger.leases select fence, clock_timestamp() + interval '1 hour' from c)
       insert into backfill_ledger.claim_slices select fence, 'public.sales', 'day', '2026-10-01', '2026-11-01 00:00:01+00' from c`,
      "set lock_timeout = '200ms'",
    );
    expect(await failing(rendered)).toMatch(
      /public\.sales from 2026-11-01T00:00:00Z to 2026-11-02T00:00:00Z is being rebuilt by anna@laptop \(run r7, u1\)/,
    );
    await schedule(renderedForDay(safe, '2026-11-02'));
    await sql(fixture.warehouse, 'update backfill_ledger.leases set expires_at = clock_timestamp()');
    await schedule();
    await sql(fixture.warehouse, 'reset lock_timeout');
    expect(await inSlice()).toBe('10');
  });

  test.each([
    [
      'another isolation level',
      rendered.replace('READ COMMITTED', 'REPEATABLE READ'),
      'cannot be replaced safely at the isolation level repeatable read',
    ],
    ['an empty interval', rendered.replaceAll('2026-11-02', day), 'the interval of shop.sales is empty'],
    ['no transaction around it', 'SELECT backfill_ledger.commit_slice()', 'no slice is open in this transaction'],
    ['a column that is gone', rendered.replaceAll("'day'", "'date'"), 'has no column date'],
    [
      'two slices at once',
      rendered
        .replace('SELECT backfill_ledger.commit_slice();', '$&')
        .replace(/(SELECT backfill_ledger\.begin_slice.*?\);)/s, '$1 $1'),
      'another slice is open',
    ],
  ])('%s is refused by name, and nothing is left', async (_, text, message) => {
    expect(await failing(text)).toContain(message);
    expect(await inSlice()).toBe('0');
    expect(await ledgerOf((ledger) => ledger.newestVersions())).toEqual([]);
  });

  test('a task that fails in the middle leaves neither rows nor a version', async () => {
    expect(await failing(rendered.replace('SELECT id, day', 'SELECT id / 0, day'))).toContain('division by zero');
    expect(await inSlice()).toBe('0');
    expect(await ledgerOf((ledger) => ledger.newestVersions())).toEqual([]);
    await schedule();
    expect(await inSlice()).toBe('10');
  });
});

describe('a task that was made safe, beside others on postgres', () => {
  let fixture: Fixture;
  const open: pg.Client[] = [];
  /** As a scheduler's connection: the whole text in one message. */
  const client = async (...settings: readonly string[]): Promise<pg.Client> => {
    const { connection } = fixture;
    if (connection.engine !== 'postgres') throw new Error('no server');
    const { host, port, user, password, database } = connection;
    const made = new pg.Client({ host, port, user, password, database, ssl: false });
    made.on('error', () => {});
    await made.connect();
    open.push(made);
    for (const setting of settings) await made.query(setting);
    return made;
  };
  const [head, tail] = [rendered.replace(/COMMIT;\s*$/, ''), 'COMMIT'];
  const inSlice = () => scalar(fixture.warehouse, `select count(*) from sales where day = '${day}'`);
  const waitsForLock = async (): Promise<void> => {
    while (
      (await scalar(fixture.warehouse, "select count(*) from pg_locks where locktype = 'advisory' and not granted")) ===
      '0'
    )
      await realClock.sleep(10);
  };

  beforeAll(async () => {
    fixture = await prepared('postgres');
  });
  afterAll(() => fixture.close());
  beforeEach(() =>
    sql(
      fixture.warehouse,
      'drop table if exists sales, orders cascade',
      ...tables,
      'truncate backfill_ledger.versions',
    ),
  );
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.end().catch(() => {})));
  });

  describe.each(['read committed', 'repeatable read', 'serializable'])('where sessions are %s by default', (level) => {
    const byDefault = `set default_transaction_isolation = '${level}'`;

    test('of two runs at once on an empty slice the second sees the first', async () => {
      const [first, second] = [await client(byDefault), await client(byDefault)];
      await first.query(head);
      const waiting = second.query(rendered);
      await waitsForLock();
      await first.query(tail);
      await waiting;
      expect(await inSlice()).toBe('10');
    });

    test('also where the driver has begun the transaction already, as psycopg2 does', async () => {
      const [first, second] = [await client(), await client()];
      const begin = `BEGIN ISOLATION LEVEL ${level}`;
      await first.query(begin);
      await first.query(head);
      await second.query(begin);
      const waiting = second.query(rendered);
      await waitsForLock();
      await first.query(tail);
      await waiting;
      expect(await inSlice()).toBe('10');
    });
  });

  test('without it, the same two runs double the slice', async () => {
    const deleting = renderedForDay(`DELETE FROM sales WHERE day = '{{ ds }}'; ${unsafe}`, day);
    const [first, second] = [await client(), await client()];
    await first.query(`BEGIN; ${deleting}`);
    await second.query(`BEGIN; ${deleting}`);
    await first.query('COMMIT');
    await second.query('COMMIT');
    expect(await inSlice()).toBe('20');
  });

  test('a run of ours waits for it, and it for a run of ours', async () => {
    const executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' });
    const first = await client();
    await first.query(head);
    const ours = executor.execute(job({ run: 'beside', slices: [slice] }), neverAborted);
    await waitsForLock();
    await first.query(tail);
    expect(await ours).toMatchObject({ state: 'unchanged' });
    await executor.close();

    const runner = await client();
    await runner.query(`begin; select backfill_ledger.lock_slice('public.sales', '${slice.from}', '${slice.to}')`);
    const impatient = await client("set lock_timeout = '200ms'");
    await expect(impatient.query(rendered)).rejects.toThrow('is being written by another run');
    await impatient.query('rollback');
    const waiting = first.query(rendered);
    await waitsForLock();
    await runner.query('commit');
    await waiting;
    expect(await inSlice()).toBe('10');
  });

  test('it waits for the claim of a runner, and goes on when that is given up', async () => {
    await sql(
      fixture.warehouse,
      `with c as (insert into backfill_ledger.claims (run, unit, owner) values ('r8', 'u1', 'anna@laptop') returning fence),
        l as (insert into backfill_ledger.leases select fence, clock_timestamp() + interval '1 hour' from c)
       insert into backfill_ledger.claim_slices select fence, 'public.sales', 'day', '2026-11-01', '2026-11-02' from c`,
    );
    const scheduled = await client("set application_name = 'scheduled'");
    const waiting = scheduled.query(rendered);
    const isAsleep =
      "select count(*) from pg_stat_activity where application_name = 'scheduled' and wait_event = 'PgSleep'";
    while ((await scalar(fixture.warehouse, isAsleep)) === '0') await realClock.sleep(10);
    expect(await inSlice()).toBe('0');
    await sql(fixture.warehouse, "delete from backfill_ledger.claims where run = 'r8'");
    await waiting;
    expect(await inSlice()).toBe('10');
  });

  test('killed before its COMMIT it leaves nothing, and the next try does all', async () => {
    const statements = statementsOf(rendered);
    for (let sent = 1; sent < statements.length; sent++) {
      const victim = await client();
      for (const statement of statements.slice(0, sent)) await victim.query(statement);
      const { rows } = await victim.query('select pg_backend_pid() as pid');
      await sql(fixture.warehouse, `select pg_terminate_backend(${rows[0].pid})`);
      await expect(victim.query('select 1')).rejects.toThrow();
      const left = await scalar(fixture.warehouse, 'select count(*) from backfill_ledger.versions');
      expect([sent, await inSlice(), left]).toEqual([sent, '0', '0']);
    }
    await (await client()).query(rendered);
    expect(await inSlice()).toBe('10');
    expect(await scalar(fixture.warehouse, 'select count(*) from backfill_ledger.versions')).toBe('1');
  });

  test('the rights that are listed are enough, and less is not', async () => {
    const role = `airflow_${Date.now()}`;
    await sql(
      fixture.warehouse,
      `create role ${role}`,
      `grant usage on schema public to ${role}`,
      `grant select on orders to ${role}`,
      `grant select, insert, delete on sales to ${role}`,
    );
    const limited = await client(`set role ${role}`);
    await expect(limited.query(rendered)).rejects.toThrow('permission denied for schema backfill_ledger');
    await limited.query('rollback');
    await sql(fixture.warehouse, ...sliceGrants(role));
    await limited.query(rendered);
    expect(await inSlice()).toBe('10');
    await expect(
      limited.query(`select backfill_ledger.record_slice('{}', '{}', false, '', 'somebody else')`),
    ).rejects.toThrow('does not exist');
    await expect(limited.query('select * from backfill_ledger.versions')).rejects.toThrow('permission denied');
    await expect(
      limited.query(`select backfill_ledger.slice_figures('backfill_ledger.runs', 'true', null, '{}')`),
    ).rejects.toThrow('permission denied');
  });

  test('only its own condition sees the search path, where somebody else may have put an operator', async () => {
    await sql(
      fixture.warehouse,
      'create schema shared',
      `create function shared.taken(json, json) returns text language sql as 'select null::text'`,
      'create operator shared.->> (leftarg = json, rightarg = json, function = shared.taken)',
      `create function shared.is_own(date) returns bool language sql as 'select true'`,
    );
    const caller = await client('set search_path = shared, public');
    await caller.query(rendered.replace(/predicate => \$slice\$.*?\$slice\$/s, "predicate => 'is_own(day)'"));
    const { rows } = await caller.query('show search_path');
    expect(rows).toEqual([{ search_path: 'shared, public' }]);
    expect(await scalar(fixture.warehouse, 'select row_count from backfill_ledger.versions')).toBe('10');
  });

  test('a database without the ledger, or with an older one, says which command installs it', async () => {
    const lone = await client('begin', 'drop schema backfill_ledger cascade');
    const command = 'install it with: backfill make-safe --install';
    await expect(lone.query(rendered)).rejects.toThrow(command);
    await lone.query('rollback');
    const older = await client('begin', 'drop function backfill_ledger.begin_slice');
    await expect(older.query(rendered)).rejects.toThrow(command);
    await older.query('rollback');
  });
});
