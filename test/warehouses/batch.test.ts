import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../src/core/run/unit/unit-outcome.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { WarehouseError } from '../../src/core/warehouse/port/warehouse-error.ts';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { withFault } from '../support/fault-injection.ts';
import { patienceMs } from '../support/patience.ts';
import { engines, job, neverAborted, realClock, scalar, sql, useFixture } from '../support/warehouse-fixture.ts';

const dayOf = (index: number): string => `2026-11-0${index + 1}`;

const unitsOf = (run: string, table = 'sales', leaseMs = 1000): readonly UnitJob[] =>
  [0, 1, 2].map((index) => {
    const [from, to] = [dayOf(index), dayOf(index + 1)];
    const predicate = `day >= '${from}' and day < '${to}'`;
    return job({
      run,
      task: `shop.${table}`,
      unit: `shop.${table}@${from}T00:00:00Z`,
      statements: [
        `delete from ${table} where ${predicate}`,
        `insert into ${table} select id, day, amount from orders where ${predicate}`,
      ],
      slices: [
        {
          table,
          column: 'day',
          from: `${from}T00:00:00.000Z`,
          to: `${to}T00:00:00.000Z`,
          predicate,
          mode: 'delete+insert',
          key: [],
          volatile: [],
        },
      ],
      options: { batchMs: 7 * 86_400_000, leaseMs },
    });
  });

const sumsOf = (table: string): string =>
  `select string_agg(day || ':' || n, ',' order by day) from (select day, sum(amount) n from ${table} group by day) s`;
const sums = sumsOf('sales');

describe.each(engines)('three days in one go on %s', (engine) => {
  const fixture = useFixture(engine);
  beforeAll(async () => {
    await sql(
      fixture.warehouse,
      'create table orders (id int primary key, day date not null, amount numeric(10, 2))',
      'create table sales (id int primary key, day date not null, amount numeric(10, 2))',
      "insert into orders select n, date '2026-11-01' + n / 10, n from generate_series(0, 29) n",
      'insert into sales select * from orders',
    );
  });

  const together = async (warehouse: Warehouse, run: string, jobs = unitsOf(run)) => {
    const executor = relationalExecutor(warehouse, { clock: realClock, owner: run });
    const made = await executor.together?.execute(jobs, neverAborted, []);
    await executor.close();
    if (made === undefined || 'apart' in made) throw new Error(made?.apart ?? 'nothing goes together');
    return made;
  };
  const states = (outcomes: readonly UnitOutcome[]) => outcomes.map(({ state }) => state);

  test('are one transaction with figures, rows and a record of each', { timeout: patienceMs }, async () => {
    await sql(fixture.warehouse, 'update orders set amount = amount + 1 where id in (1, 2, 25)');
    const outcomes = await together(fixture.warehouse, 'first');
    expect(outcomes).toMatchObject([
      { state: 'changed', slices: [{ changed: 2, added: 0, before: { rows: 10 }, after: { rows: 10 } }] },
      { state: 'unchanged', slices: [{ changed: 0 }] },
      { state: 'changed', slices: [{ changed: 1 }] },
    ]);
    const { warehouse } = fixture;
    expect(await scalar(warehouse, sums)).toBe('2026-11-01:47.00,2026-11-02:145.00,2026-11-03:246.00');
    const recorded = "from backfill_ledger.versions where run = 'first'";
    expect(await scalar(warehouse, `select count(distinct xmin::text) || ' ' || count(*) ${recorded}`)).toBe('1 3');
    expect(
      await scalar(
        warehouse,
        "select string_agg(unit, ',' order by unit) from backfill_ledger.before_images where run = 'first'",
      ),
    ).toBe('shop.sales@2026-11-01T00:00:00Z,shop.sales@2026-11-03T00:00:00Z');
    // The first day alone is taken back.
    const [first] = unitsOf('undo') as [UnitJob];
    const undo = { ...first, statements: [], restores: { run: 'first', unit: first.unit } };
    const executor = relationalExecutor(warehouse, { clock: realClock, owner: 'undo' });
    expect(await executor.execute(undo, neverAborted)).toMatchObject({ state: 'changed', slices: [{ changed: 2 }] });
    await executor.close();
    expect(await scalar(warehouse, sums)).toBe('2026-11-01:45.00,2026-11-02:145.00,2026-11-03:246.00');
  });

  test('a day that would lose its rows is held, and the others are made', { timeout: patienceMs }, async () => {
    const { warehouse } = fixture;
    await sql(warehouse, "delete from orders where day = '2026-11-02'", 'update orders set amount = 100 where id = 20');
    const outcomes = await together(warehouse, 'held');
    expect(outcomes).toMatchObject([{ state: 'changed' }, { state: 'held', code: 'empty' }, { state: 'changed' }]);
    expect(await scalar(warehouse, sums)).toMatch(/2026-11-02:145.00,2026-11-03:326.00/);
    await sql(warehouse, "insert into orders select n, '2026-11-02', n from generate_series(10, 19) n");
  });

  test('a crash behind any statement leaves all of them or none, and the next try finishes them', {
    timeout: 2 * patienceMs,
  }, async () => {
    const { warehouse } = fixture;
    await together(warehouse, 'before');
    await sql(warehouse, 'create table was (like sales including all)', 'insert into was select * from sales');
    await sql(warehouse, 'update orders set amount = amount + 1 where id in (3, 13, 23)');
    const counted = withFault(warehouse, -1, 'before', async () => {});
    await together(counted.warehouse, 'counted');
    const steps = counted.count();
    expect(steps).toBeGreaterThan(30);
    const [old, made] = [await scalar(warehouse, sumsOf('was')), await scalar(warehouse, sums)];

    /** Each in a table of its own, so that they wait for the leases of the dead side by side. */
    const crash = async (at: number): Promise<void> => {
      const [table, run] = [`crashed_${at}`, `crash-${at}`];
      await sql(warehouse, `create table ${table} (like was including all)`, `insert into ${table} select * from was`);
      const faulty = withFault(warehouse, at, 'after', async (session) => {
        await session.close();
        throw new WarehouseError('connection', 'The connection was cut.', true);
      });
      const jobs = unitsOf(run, table, engine === 'postgres' ? 3000 : 1000);
      const ended = await together(faulty.warehouse, run, jobs).catch(() => undefined);
      const changed = await scalar(warehouse, `select count(*) from backfill_ledger.versions where run = '${run}'`);
      const isThere = changed === '3';
      expect([at, changed, await scalar(warehouse, sumsOf(table))]).toEqual([
        at,
        isThere ? '3' : '0',
        isThere ? made : old,
      ]);
      if (!isThere) expect([at, ended?.map(({ state }) => state)]).toEqual([at, ['failed', 'failed', 'failed']]);
      let again = await together(warehouse, run, jobs);
      while (again.some(({ state }) => state === 'busy')) {
        await realClock.sleep(100);
        again = await together(warehouse, run, jobs);
      }
      const state = isThere ? 'done-before' : 'changed';
      expect([at, states(again)]).toEqual([at, [state, state, state]]);
      const recorded = `select count(*) from backfill_ledger.versions where run = '${run}'`;
      expect([at, await scalar(warehouse, recorded), await scalar(warehouse, sumsOf(table))]).toEqual([at, '3', made]);
    };
    const [every, side] = engine === 'postgres' ? [1, 6] : [17, 1];
    const left = Array.from({ length: steps }, (_, at) => at).filter((at) => at % every === 0 || at >= steps - 2);
    const worker = async (): Promise<void> => {
      for (let at = left.shift(); at !== undefined; at = left.shift()) await crash(at);
    };
    await Promise.all(Array.from({ length: side }, worker));
  });
});

describe('on the command line', () => {
  let workspace: DagWorkspace;
  beforeAll(async () => {
    workspace = await dagWorkspace(
      `create schema raw; create schema mart;
       create table raw.ev (at timestamp, k int, n int);
       insert into raw.ev select timestamp '2026-11-01' + i * interval '6 hours', i % 3, i from generate_series(0, 79) i;
       create table mart.days (day date, k int, n bigint, primary key (day, k));
       create table mart.last (day date, k int, n bigint);`,
      `days = PostgresOperator(task_id="days", postgres_conn_id="wh", sql="""
DELETE FROM mart.days WHERE day = '{{ ds }}';
INSERT INTO mart.days (day, k, n) SELECT '{{ ds }}', k, sum(n) FROM raw.ev
WHERE at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}' GROUP BY k""")
last = PostgresOperator(task_id="last", postgres_conn_id="wh", sql="""
DELETE FROM mart.last WHERE day = '{{ ds }}';
INSERT INTO mart.last (day, k, n) SELECT day, k, n FROM mart.days WHERE day = '{{ ds }}' ORDER BY n LIMIT 1""")
days >> last`,
    );
    appendFileSync(
      join(workspace.root, 'backfill.yaml'),
      'tasks:\n  d.days: { batch: 7 days }\n  d.last: { batch: 1 month }\n',
    );
  }, patienceMs);
  afterAll(() => workspace?.close());

  const range = ['--from', '2026-11-01', '--to', '2026-11-21'];

  test('batch makes days in one go and says why not', { timeout: patienceMs }, async () => {
    const plan = await workspace.cli(['plan', 'd.days', 'd.last', ...range]);
    expect(plan.out).toContain('d.days makes intervals side by side in one go, each with its own figures');
    expect(plan.out).toContain(
      'd.last makes each interval by itself although batch is set, because its query has LIMIT, which sees the rows of all intervals',
    );
    const ran = await workspace.cli(['run', 'd.days', 'd.last', ...range, '--yes', '--format', 'json']);
    expect(ran.code).toBe(0);
    const { units } = JSON.parse(ran.out) as {
      units: { id: string; state: string; slices: { rowsAfter: number }[] }[];
    };
    expect(units.map(({ state }) => state)).toEqual(Array(40).fill('changed'));
    const transactions = await workspace.rows(
      'select task, count(*)::int, count(distinct xmin::text)::int from backfill_ledger.versions group by 1 order by 1',
    );
    expect(transactions).toEqual([
      ['d.days', 20, 3],
      ['d.last', 20, 20],
    ]);
    expect(await workspace.rows('select count(*)::int, count(distinct day)::int, sum(n)::int from mart.days')).toEqual([
      [60, 20, 3160],
    ]);
  });

  test('--batch does it for once', { timeout: patienceMs }, async () => {
    await workspace.rows("update raw.ev set n = n + 1 where at >= '2026-11-03' and at < '2026-11-04'");
    const ran = await workspace.cli(['run', 'd.days', ...range, '--batch', '30 days', '--yes', '--format', 'json']);
    const { runId, units } = JSON.parse(ran.out) as { runId: string; units: { state: string }[] };
    expect(units.filter(({ state }) => state === 'changed')).toHaveLength(1);
    const count = `select count(distinct xmin::text)::int from backfill_ledger.versions where run = '${runId}'`;
    expect(await workspace.rows(count)).toEqual([[1]]);
    expect((await workspace.cli(['run', 'd.days', ...range, '--batch', 'much'])).err).toContain('7 days');
  });
});
