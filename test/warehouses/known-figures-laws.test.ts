import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { takeFigures } from '../../src/core/diff/take-figures.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import { relationOf } from '../../src/core/run/tables/target.ts';
import type { JobSlice } from '../../src/core/run/unit/unit-job.ts';
import { describeTables } from '../../src/core/warehouse/catalog/describe-tables.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { lawRuns } from '../support/laws.ts';
import { engines, job, neverAborted, realClock, sql, useFixture } from '../support/warehouse-fixture.ts';

const day = "day = '2026-11-01'";
const slice: JobSlice = {
  table: 'kept',
  column: 'day',
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-02T00:00:00.000Z',
  predicate: day,
  mode: 'delete+insert',
  key: ['id'],
  volatile: [],
};

/** What somebody else does to the table between two runs, one transaction each. */
const others: readonly (readonly string[])[] = [
  ['select 1'],
  [`update kept set amount = amount + 1 where id = 3`],
  [`update kept set amount = amount`],
  [`update kept set label = 'other' where id = 4`, `update kept set label = 'as it was' where id = 4`],
  [`delete from kept where id = 5`],
  [`with gone as (delete from kept where id = 6 returning *) insert into kept select * from gone`],
  [`insert into kept values (100, '2026-11-01', 7, 'more')`],
  // The columns look as before, and rows are where they were.
  ['alter table kept drop column label', `alter table kept add column label text default 'new'`],
  ['alter table kept drop column label', 'alter table kept add column label text'],
  ['alter table kept alter column amount type numeric(14, 4)', 'alter table kept alter column amount type numeric'],
  ['alter table kept alter column label type varchar(40)', 'alter table kept alter column label type text'],
  ['alter table kept rename column label to name', 'alter table kept rename column name to label'],
  [
    'create table other as select * from kept',
    'truncate kept',
    'insert into kept select * from other',
    'drop table other',
  ],
  [
    'alter table kept rename to aside',
    'create table kept (like aside including all)',
    'insert into kept select * from aside order by id desc',
    'drop table aside',
  ],
  // Whoever writes a row again may do it in the same place.
  ['vacuum full kept'],
  ['cluster kept using kept_pkey'],
  ['vacuum freeze kept'],
  ['vacuum analyze kept'],
];

/** What becomes of the rows that the task puts in. */
const sources: readonly string[] = [
  'select 1',
  'update source set amount = amount + 1 where id % 3 = 0',
  'delete from source where id = 8',
  'update source set amount = -amount',
];

describe.each(engines)('figures that the ledger knows, on %s', (engine) => {
  const fixture = useFixture(engine);

  test('are those of a pass over the rows, whatever was done to them since', { timeout: 600_000 }, async () => {
    let looks = 0;
    /** Of those before the task. */
    let passes = 0;
    const heard: Warehouse = {
      ...fixture.warehouse,
      connect: async (purpose) => {
        const session = await fixture.warehouse.connect(purpose);
        const query: typeof session.query = (text, values) => {
          if (text.startsWith('select count(*), sum(pg_catalog.hashint8extended(')) looks++;
          if (/^select count\(\*\), sum\(pg_catalog\.hash_record.*, sum\(v\),.* from "public"\."kept"/s.test(text))
            passes++;
          return session.query(text, values);
        };
        return { query, cancel: () => session.cancel(), close: () => session.close(), backend: session.backend };
      },
    };
    const executor = relationalExecutor(heard, { clock: realClock, owner: 'law' });
    const measured = async () => {
      const session = await fixture.warehouse.connect('unit');
      const [table] = await describeTables(session, ['kept'], new Map());
      if (table === undefined) throw new Error('no table');
      const relation = relationOf(slice, table, fixture.warehouse.description);
      const from = { sql: 'public.kept', predicate: day, ownAge: undefined };
      const { figures } = await takeFigures(session, relation, from);
      await session.close();
      return figures;
    };
    const step = fc.record({ other: fc.nat(others.length - 1), source: fc.nat(sources.length - 1) });
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
        await sql(
          fixture.warehouse,
          'drop table if exists kept, source, other, aside',
          'create table kept (id int not null, day date not null, amount numeric, label text, primary key (id))',
          'create table source as select i as id, i * 1.5 as amount from generate_series(1, 20) i',
          `insert into kept select id, '2026-11-01', amount, 'as it was' from source`,
          `insert into kept select id + 1000, '2026-11-02', amount, 'beside' from source`,
        );
        for (const { other, source } of [{ other: 0, source: 0 }, ...steps]) {
          for (const text of [...(others[other] ?? []), sources[source] ?? '']) await sql(fixture.warehouse, text);
          const before = await measured();
          const outcome = await executor.execute(
            job({
              run: `known-${engine}-${++runs}`,
              unit: 'd.t@1',
              task: 'd.t',
              slices: [slice],
              statements: [
                `delete from kept where ${day}`,
                `insert into kept (id, day, amount, label) select id, date '2026-11-01', amount, 'as it was' from source`,
              ],
            }),
            neverAborted,
          );
          if (outcome.state !== 'changed' && outcome.state !== 'unchanged') throw new Error(JSON.stringify(outcome));
          expect(outcome.slices[0]).toMatchObject({ before, after: await measured() });
        }
      }),
      { numRuns: lawRuns(60) },
    );
    await executor.close();
    // A law of which no figures were known, or all were, would say nothing.
    expect(looks).toBeGreaterThan(0);
    expect(passes).toBeGreaterThan(runs / 8);
    expect(passes).toBeLessThan(runs);
  });
});
