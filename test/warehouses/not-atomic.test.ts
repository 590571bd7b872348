import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import { WarehouseError } from '../../src/core/warehouse/port/warehouse-error.ts';
import { type Moment, withFault } from '../support/fault-injection.ts';
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

const [deletion = '', insertion = ''] = job().statements.map(({ text }) => text);
const oneMore = insertion.replace('select id, day, amount', 'select id, day, amount + 1');
const reason = 'VACUUM cannot run inside a transaction.';

describe.each(engines)('a unit that cannot be one transaction on %s', (engine) => {
  let fixture: Fixture;
  let runs = 0;
  const value = (query: string) => scalar(fixture.warehouse, query);
  const unit = (statements: readonly string[], parts: Partial<UnitJob> = {}): UnitJob => ({
    ...job({ run: `r${++runs}`, statements }),
    notAtomic: reason,
    ...parts,
  });
  const execute = async (one: UnitJob, warehouse = fixture.warehouse) => {
    const executor = relationalExecutor(warehouse, { clock: realClock, owner: 'anna' });
    const outcome = await executor.execute(one, neverAborted);
    await executor.close();
    return outcome;
  };
  const recorded = async (run: string) => {
    const ledger = sqlLedgerStore(fixture.warehouse);
    const [record] = await ledger.units(run);
    await ledger.close();
    return record;
  };
  const said = [
    `shop.sales is not atomic: ${reason}`,
    'Whether a second run changes its rows again is not known, because it is not one transaction.',
  ];
  const sum = "select count(*) || ' ' || sum(amount) from sales where day = '2026-11-01'";

  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    await sql(fixture.warehouse, 'drop table if exists orders, sales', ...shopTables);
  });

  test('is refused unless somebody said that it is to be run', async () => {
    const outcome = await execute(job({ run: `r${++runs}`, statements: [deletion, oneMore, 'vacuum sales'] }));
    expect(outcome).toMatchObject({ state: 'failed', error: { kind: 'refused', message: reason } });
    expect(await value(sum)).toBe('10 217.50');
  });

  test('then runs in parts, with figures, a version and a record that says so', async () => {
    const one = unit([
      'begin',
      deletion,
      oneMore,
      'commit',
      'vacuum (analyze) sales',
      'create index concurrently on sales (day)',
    ]);
    const outcome = await execute(one);
    expect(outcome).toMatchObject({
      state: 'changed',
      notes: said,
      slices: [{ before: { rows: 10 }, after: { rows: 10 }, method: 'none', causes: [{ kind: 'first-run' }] }],
    });
    expect(await value(sum)).toBe('10 227.50');
    expect(await value("select count(*) from pg_indexes where tablename = 'sales' and indexdef like '%(day)'")).toBe(
      '1',
    );
    expect(await recorded(one.run)).toMatchObject({ state: 'changed', message: said.join('\n') });
    expect(await value(`select count(*) from backfill_ledger.versions where run = '${one.run}'`)).toBe('1');
    expect(await execute(one)).toMatchObject({ state: 'done-before' });
    expect(await execute(unit([deletion, oneMore, 'vacuum sales']))).toMatchObject({
      state: 'unchanged',
      slices: [{ added: 0, removed: 0, changed: 0 }],
    });
    expect(await value('select count(*) from backfill_ledger.claims')).toBe('0');
  });

  test('says what would have been held', async () => {
    const outcome = await execute(unit([deletion, 'vacuum sales']));
    expect(outcome).toMatchObject({
      state: 'changed',
      notes: [expect.anything(), said[1], expect.stringContaining('would have been held')],
    });
  });

  test('whose first transaction fails has left nothing, and is an ordinary failure', async () => {
    const one = unit([deletion, 'insert into nowhere select 1', 'vacuum sales']);
    expect(await execute(one)).toMatchObject({ state: 'failed', error: { kind: 'missing' } });
    expect(await value(sum)).toBe('10 217.50');
    expect(await recorded(one.run)).toBeUndefined();
  });

  test('that fails later is left as it is, which the ledger says', async () => {
    const one = unit([deletion, oneMore, 'vacuum nowhere']);
    expect(await execute(one)).toMatchObject({
      state: 'unknown',
      error: {
        kind: 'missing',
        retryable: false,
        message: expect.stringMatching(
          /^not atomic: it had done 1 of its 2 parts and was at vacuum nowhere: .*nowhere/,
        ),
        remedy: expect.stringContaining('--not-atomic shop.sales'),
        statement: 'vacuum nowhere',
      },
    });
    expect(await value(sum)).toBe('10 227.50');
    expect(await recorded(one.run)).toMatchObject({
      state: 'unknown',
      message: 'not atomic: it had done 1 of its 2 parts and was at vacuum nowhere',
    });
    expect(await value('select count(*) from backfill_ledger.claims')).toBe('0');
  });

  test('because a procedure commits: the server finds out, and the way out is named', async () => {
    await sql(
      fixture.warehouse,
      `create or replace procedure refill() language plpgsql as $$ begin ${deletion}; commit; ${oneMore}; commit; end $$`,
    );
    const { notAtomic: _, ...whole } = unit(['call refill()']);
    expect(await execute(whole)).toMatchObject({
      state: 'failed',
      error: { kind: 'refused', remedy: expect.stringContaining('--not-atomic shop.sales') },
    });
    expect(await value(sum)).toBe('10 217.50');
    expect(await execute(unit(['call refill()'], { notAtomic: 'it commits' }))).toMatchObject({ state: 'changed' });
    expect(await value(sum)).toBe('10 227.50');
  });

  test('that can be one transaction after all is one', async () => {
    const outcome = await execute(unit([deletion, oneMore]));
    expect(outcome).toMatchObject({ state: 'changed', notes: [], slices: [{ changed: 10, method: 'key' }] });
  });

  test.each<Moment>(['before', 'after'])(
    'cut off %s any statement: the rows are old or new, never between, and the ledger knows',
    async (moment) => {
      const statements = [deletion, oneMore, 'vacuum sales'];
      const whole = withFault(fixture.warehouse, -1, moment, async () => {});
      expect(await execute(unit(statements), whole.warehouse)).toMatchObject({ state: 'changed' });
      expect(whole.count()).toBeGreaterThan(20);
      for (let at = 0; at < whole.count(); at++) {
        await sql(
          fixture.warehouse,
          'truncate sales',
          "insert into sales select n, date '2026-10-31' + (n / 10), n * 1.5 from generate_series(0, 29) n",
        );
        const one = unit(statements);
        const faulty = withFault(fixture.warehouse, at, moment, async (session) => {
          await session.close();
          throw new WarehouseError('connection', 'The connection was cut.', true);
        });
        const outcome = await execute(one, faulty.warehouse);
        const [rows, record] = [await value(sum), await recorded(one.run)];
        const isNew = rows === '10 227.50';
        expect(['10 217.50', '10 227.50'], `statement ${at}`).toContain(rows);
        const where = `statement ${at}: ${outcome.state}, recorded as ${record?.state}, ${rows}`;
        // What may be there to stay is never reported as undone, and what is reported as failed has left nothing.
        if (isNew) expect(['unknown', 'changed'], where).toContain(record?.state);
        if (outcome.state === 'failed') expect(isNew, where).toBe(false);
        else expect(['unknown', 'changed'], where).toContain(outcome.state);
        if (record?.state === 'changed') expect(await execute(one)).toMatchObject({ state: 'done-before' });
        await sql(fixture.warehouse, 'delete from backfill_ledger.claims', 'delete from backfill_ledger.claim_slices');
      }
    },
  );
});

describe('beside others on postgres', () => {
  const fixture = useFixture('postgres');
  beforeAll(async () => {
    await sql(
      fixture.warehouse,
      ...shopTables,
      'create procedure slow() language plpgsql as $$ begin perform pg_advisory_lock(77); perform pg_advisory_unlock(77); commit; end $$',
    );
  });

  test('its claim keeps them out, and its lock does when its lease has run out', async () => {
    const gate = await fixture.warehouse.connect('unit');
    await gate.query('select pg_advisory_lock(77)');
    const anna = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'anna' });
    const ben = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'ben' });
    const first = anna.execute(
      { ...job({ run: 'one', statements: ['call slow()', deletion, insertion] }), notAtomic: 'it commits' },
      neverAborted,
    );
    await expect
      .poll(() =>
        scalar(fixture.warehouse, "select count(*) from pg_locks where locktype = 'advisory' and not granted"),
      )
      .toBe('1');
    expect(await ben.execute(job({ run: 'two' }), neverAborted)).toMatchObject({ state: 'busy' });
    await sql(fixture.warehouse, "update backfill_ledger.leases set expires_at = '2000-01-01'");
    expect(await ben.execute(job({ run: 'two', options: { lockTimeoutMs: 200 } }), neverAborted)).toMatchObject({
      state: 'failed',
      error: { sqlState: '55P03', retryable: true },
    });
    await gate.query('select pg_advisory_unlock(77)');
    // Its claim is gone, so it stops at the next fence: what the procedure did is not known.
    expect(await first).toMatchObject({
      state: 'unknown',
      error: { message: expect.stringContaining('took it over') },
    });
    expect(await ben.execute(job({ run: 'two' }), neverAborted)).toMatchObject({ state: 'unchanged' });
    await Promise.all([anna.close(), ben.close(), gate.close()]);
  });
});
