import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { previewRun } from '../../src/core/run/relational/preview/preview.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import { WarehouseError } from '../../src/core/warehouse/port/warehouse-error.ts';
import { withFault } from '../support/fault-injection.ts';
import { patienceMs } from '../support/patience.ts';
import { engines, job, neverAborted, realClock, scalar, sql, useFixture } from '../support/warehouse-fixture.ts';

const into = 'insert into customers (email, name, day)';
const fromSource = "select email, name, day from source where day = '2026-11-01'";
const update = 'do update set name = excluded.name, day = excluded.day';
const merge = (
  on = 't.email = s.email',
  matched = 'when matched then update set name = s.name',
  inserts = 'not matched',
) =>
  `merge into customers t using (${fromSource}) s on ${on} ${matched} when ${inserts} then insert (email, name, day) values (s.email, s.name, s.day)`;

describe.each(engines)('keys of upserts on %s', (engine) => {
  const fixture = useFixture(engine);
  let executor: UnitExecutor;
  let runs = 0;
  const parts = (...statements: readonly string[]) => ({
    run: `run-${++runs}`,
    statements,
    slices: [{ ...job().slices[0], table: 'customers', mode: 'merge' } as ReturnType<typeof job>['slices'][number]],
  });
  const run = (...statements: readonly string[]) => executor.execute(job(parts(...statements)), neverAborted);
  const rows = () => scalar(fixture.warehouse, "select string_agg(c::text, ' ' order by c::text) from customers c");
  const database = (...statements: readonly string[]) => sql(fixture.warehouse, ...statements);
  const unique = (clause = '') => database(`create unique index customers_email on customers (email) ${clause}`);

  beforeAll(() => {
    executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' });
  });
  beforeEach(async () => {
    await database(
      'drop table if exists customers, source, stage cascade',
      'create table customers (email text, name text, day date not null)',
      'create table source (email text, name text, day date not null)',
      "insert into source values ('a', 'Ann', '2026-11-01'), (null, 'Ben', '2026-11-01'), (null, 'Cleo', '2026-11-01')",
      "insert into customers values ('a', 'A.', '2026-11-01'), ('z', 'Zoe', '2026-11-05')",
    );
  });

  test.each([update, 'do nothing'])('a row with NULL in the key of ON CONFLICT … %s is held', async (action) => {
    await unique();
    const before = await rows();
    const outcome = await run(`${into} ${fromSource} on conflict (email) ${action}`);
    expect(outcome).toMatchObject({ state: 'held', code: 'null-key', slices: [{ after: { rows: 3 } }] });
    expect(outcome.state === 'held' && outcome.reason).toBe(
      'public.customers gets 2 rows with NULL in its key (email), which insert into customers never finds again: ' +
        'a second run would add 2 more. Leave such rows out, give them a key, or delete them by the interval first.',
    );
    expect(await rows()).toBe(before);
    expect(await scalar(fixture.warehouse, 'select count(*) from backfill_ledger.claims')).toBe('0');
  });

  test('so is one of a MERGE, of a DELETE by key, and of rows that wait in a staging table of the session', async () => {
    const before = await rows();
    expect(await run(merge())).toMatchObject({ state: 'held', code: 'null-key' });
    const byKey = [
      `delete from customers where email in (${fromSource.replace(', name, day', '')})`,
      `${into} ${fromSource}`,
    ];
    expect(await run(...byKey)).toMatchObject({ state: 'held', code: 'null-key' });
    const using = [`delete from customers c using source s where c.email = s.email`, `${into} ${fromSource}`];
    expect(await run(...using)).toMatchObject({ state: 'held', code: 'null-key' });
    await unique();
    const staged = [
      'create temp table stage as select * from source',
      `${into} select * from stage on conflict (email) ${update}`,
    ];
    expect(await run(...staged)).toMatchObject({ state: 'held', code: 'null-key' });
    const named = 'alter table customers add constraint by_email unique using index customers_email';
    await database(named);
    const byName = await run(`${into} ${fromSource} on conflict on constraint by_email ${update}`);
    expect(byName).toMatchObject({ state: 'held', code: 'null-key', reason: expect.stringContaining('(email)') });
    expect(await rows()).toBe(before);
  });

  test('a preview holds it too, and goes on with the next unit', async () => {
    await unique();
    const held = job(parts(`${into} ${fromSource} on conflict (email) ${update}`));
    const fine = job({
      ...parts(`${into} ${fromSource} and email is not null on conflict (email) ${update}`),
      unit: 'b',
    });
    const env = { clock: realClock, owner: 'tester' };
    const options = { signal: neverAborted, timeBoxMs: 60_000 };
    expect(await previewRun(fixture.warehouse, env, [held, fine], options)).toMatchObject([
      { state: 'held', code: 'null-key' },
      { state: 'previewed', changed: true },
    ]);
  });

  test('is let through where nothing is held', async () => {
    await unique();
    const { run: id, statements, slices } = parts(`${into} ${fromSource} on conflict (email) ${update}`);
    const options = { holdShrinkPercent: undefined };
    expect(await executor.execute(job({ run: id, statements, slices, options }), neverAborted)).toMatchObject({
      state: 'changed',
      slices: [{ after: { rows: 3 } }],
    });
  });

  describe('no false alarm', () => {
    test('where NULLs are not distinct', async () => {
      await database("delete from source where name = 'Cleo'");
      await unique('nulls not distinct');
      expect(await run(`${into} ${fromSource} on conflict (email) ${update}`)).toMatchObject({ state: 'changed' });
      expect(await run(`${into} ${fromSource} on conflict (email) ${update}`)).toMatchObject({ state: 'unchanged' });
    });

    test('where the interval is deleted first, or the rows are matched or left out in another way', async () => {
      await unique();
      const again = async (...statements: readonly string[]) => {
        expect(await run(...statements), statements.join('; ')).toMatchObject({ state: 'changed' });
        expect(await run(...statements), statements.join('; ')).toMatchObject({ state: 'unchanged' });
      };
      const upsert = `${into} ${fromSource} on conflict (email) ${update}`;
      await again("delete from customers where day = '2026-11-01'", upsert);
      await database(
        "delete from customers where name in ('Ben', 'Cleo')",
        "update customers set name = 'A.' where email = 'a'",
      );
      await again(
        `${upsert.replace(' on conflict', ' and not exists (select from customers c where c.email is not distinct from source.email and c.name = source.name) on conflict')}`,
      );
      await database(
        "delete from customers where name in ('Ben', 'Cleo')",
        "update customers set name = 'A.' where email = 'a'",
      );
      await again(merge(undefined, undefined, 'not matched and s.email is not null'));
      await database("delete from customers where name in ('Ben', 'Cleo')");
      await again(merge("coalesce(t.email, '') = coalesce(s.email, '')", ''));
    });

    test('of rows without a key that were there before', async () => {
      await unique();
      await database(
        "insert into customers values (null, 'Old', '2026-11-01')",
        'delete from source where email is null',
      );
      expect(
        await run(
          `${into} ${fromSource} on conflict (email) ${update}`,
          "update customers set name = upper(name) where email is null and day = '2026-11-01'",
        ),
      ).toMatchObject({ state: 'changed' });
    });

    test('of a MERGE that keeps a history, or adds many rows to a key at once', async () => {
      await database('alter table customers add current bool default true', 'delete from source where email is null');
      const history = [
        `update customers c set current = false from source s where c.email = s.email and c.name <> s.name and c.current`,
        merge('t.email = s.email and t.current', 'when matched then do nothing'),
      ];
      expect(await run(...history)).toMatchObject({ state: 'changed', slices: [{ after: { rows: 2 } }] });
      expect(await run(...history)).toMatchObject({ state: 'unchanged' });
      await database("insert into source values ('b', 'one', '2026-11-01'), ('b', 'two', '2026-11-01')");
      expect(await run(merge(undefined, 'when matched then do nothing'))).toMatchObject({ state: 'changed' });
    });
  });

  test('a MERGE that puts a key in twice is held: the second run would fail', async () => {
    await database("update source set email = 'b' where email is null");
    const before = await rows();
    const outcome = await run(merge());
    expect(outcome).toMatchObject({ state: 'held', code: 'repeated-key' });
    expect(outcome.state === 'held' && outcome.reason).toBe(
      'public.customers gets several rows of one key (email): b (2 rows); a second run of merge into customers fails: ' +
        "MERGE command cannot affect row a second time; the server's hint: “Ensure that not more than one source row " +
        'matches any one target row.”. In the rows that come in, deliver one row a key, e.g. ' +
        'SELECT DISTINCT ON (email) … ORDER BY email and what tells the right one.',
    );
    expect(await rows()).toBe(before);
  });

  test('the keys are named that a server refuses because they come in twice', async () => {
    await unique();
    await database(
      "update source set email = 'b' where email is null",
      "insert into source select 'x' || n % 4, 'n' || n, '2026-11-01' from generate_series(1, 20) n",
    );
    const before = await rows();
    const refused = async (...statements: readonly string[]) => {
      const outcome = await run(...statements);
      expect(outcome, statements.join('; ')).toMatchObject({
        state: 'failed',
        error: {
          sqlState: '21000',
          message: expect.stringContaining(
            'Keys (email) that come in more than once: x0 (5 rows), x1 (5 rows), x2 (5 rows) and 2 more.',
          ),
          remedy: expect.stringContaining('SELECT DISTINCT ON (email)'),
          statement: statements.at(-1),
        },
      });
    };
    await refused(`${into} ${fromSource} on conflict (email) ${update}`);
    await refused(
      `with s as (${fromSource}) insert into customers as c (day, name, email) select day, name, email from s on conflict (email) ${update}`,
    );
    await refused(
      'create temp table stage as select * from source',
      `${into} select * from stage on conflict (email) ${update}`,
    );
    await database('alter table customers add constraint by_email unique using index customers_email');
    await refused(`${into} ${fromSource} on conflict on constraint by_email ${update}`);
    await database('insert into customers select distinct on (email) * from source on conflict do nothing');
    await refused(merge());
    await refused(
      `with s as (${fromSource}) merge into customers using s as incoming on incoming.email = customers.email when matched then update set name = incoming.name`,
    );
    await database("delete from customers where email not in ('a', 'z')");
    expect(await rows()).toBe(before);
  });

  test('a second run that is cut off at any statement leaves nothing, and is tried again', async () => {
    await database("delete from source where name = 'Cleo'");
    await unique('nulls not distinct');
    const whole = job({ ...parts(`${into} ${fromSource} on conflict (email) ${update}`), run: 'whole' });
    const counted = withFault(fixture.warehouse, -1, 'before', async () => {});
    const complete = relationalExecutor(counted.warehouse, { clock: realClock, owner: 'complete' });
    expect(await complete.execute(whole, neverAborted)).toMatchObject({ state: 'changed' });
    await complete.close();
    const after = await rows();
    // The last one only makes the session as new. The embedded engine dies with its thread: fewer steps tell the same.
    for (let at = 0; at < counted.count() - 1; at += engine === 'pglite' ? 4 : 1) {
      await database('delete from customers where email is null', "update customers set name = 'A.' where email = 'a'");
      const before = await rows();
      const one = { ...whole, run: `cut-${at}` };
      const faulty = withFault(fixture.warehouse, at, 'before', async (session) => {
        await session.close();
        throw new WarehouseError('connection', 'The connection was cut.', true);
      });
      const crashed = relationalExecutor(faulty.warehouse, { clock: realClock, owner: 'tester' });
      expect([at, await crashed.execute(one, neverAborted)]).toMatchObject([at, { state: 'failed' }]);
      await crashed.close();
      expect([at, await rows()]).toEqual([at, before]);
      await expect
        .poll(async () => (await executor.execute(one, neverAborted)).state, { timeout: patienceMs })
        .toBe('changed');
      expect([at, await rows()]).toEqual([at, after]);
    }
  });

  test('a failure of another kind stays as the server said it', async () => {
    await unique();
    expect(await run(`${into} select 1 / 0, name, day from source on conflict (email) ${update}`)).toMatchObject({
      state: 'failed',
      error: { sqlState: expect.not.stringMatching('21000') },
    });
    expect(
      await run(`${into} select (select email from source), name, day from source on conflict (email) ${update}`),
    ).toMatchObject({
      state: 'failed',
      error: { sqlState: '21000', message: 'more than one row returned by a subquery used as an expression' },
    });
  });
});
