import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { staleInWords, staleSlices } from '../../src/core/ledger/stale-slices.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import {
  engines,
  job,
  neverAborted,
  readsOrders,
  realClock,
  scalar,
  shopTables,
  sql,
  useFixture,
} from '../support/warehouse-fixture.ts';

const clear = "delete from sales where day = '2026-11-01'";
const fillFrom = (source: string) =>
  `insert into sales (id, day, amount) select id, day, amount from ${source} where day = '2026-11-01'`;
const through = 'create view gross as select id, day, amount from priced';
const views = ['create view priced as select id, day, amount from orders', through];

/** Each: what is done to the database, and the view of which that is a redefinition. */
const loud: Readonly<Record<string, { task: string; change: readonly string[]; view: string }>> = {
  'a view that the task names': {
    task: fillFrom('priced'),
    change: ['create or replace view priced as select id, day, (amount * 2)::numeric(10,2) as amount from orders'],
    view: 'public.priced',
  },
  'a view under a view': {
    task: fillFrom('gross'),
    change: ['create or replace view priced as select id, day, (amount * 2)::numeric(10,2) as amount from orders'],
    view: 'public.priced',
  },
  'a view in a subquery': {
    task: `insert into sales (id, day, amount) with g as (select * from (select * from gross) x) select id, day, amount from g where day = '2026-11-01'`,
    change: ['create or replace view gross as select id, day, (amount + 1)::numeric(10,2) as amount from priced'],
    view: 'public.gross',
  },
  'a view that only a function reads': {
    task: fillFrom('of_function()'),
    change: ['create or replace view priced as select id, day, (amount * 2)::numeric(10,2) as amount from orders'],
    view: 'public.priced',
  },
  'a view that was dropped and made anew': {
    task: fillFrom('gross'),
    change: [
      'drop view gross',
      'create view gross as select id, day, (amount * 3)::numeric(10,2) as amount from priced',
    ],
    view: 'public.gross',
  },
  'a materialized view': {
    task: fillFrom('kept'),
    change: [
      'drop materialized view kept',
      'create materialized view kept as select id, day, (amount * 3)::numeric(10,2) as amount from orders',
    ],
    view: 'public.kept',
  },
  'a view whose name needs quotes': {
    task: fillFrom('"Odd.Name"'),
    change: ['create or replace view "Odd.Name" as select id, day, (amount * 2)::numeric(10,2) as amount from orders'],
    view: 'public."Odd.Name"',
  },
};

const silent: Readonly<Record<string, readonly string[]>> = {
  'the same definition again': ['create or replace view priced as select id, day, amount from orders'],
  'the same view made anew': ['drop view gross', through],
  'a view that is not read': ['create or replace view other as select 2 as n'],
  'a view of the same name elsewhere': ['create view aside.priced as select 1 as n'],
  'what is said of it': ["comment on view priced is 'prices'", 'grant select on priced to public'],
};

describe.each(engines)('views that were redefined, on %s', (engine) => {
  const fixture = useFixture(engine);
  let executor: UnitExecutor;
  let runs = 0;
  const change = (...statements: readonly string[]) => sql(fixture.warehouse, ...statements);
  const run = (insert: string) =>
    executor.execute(
      job({ run: `run-${++runs}`, inputs: [readsOrders], cutsOff: true, statements: [clear, insert] }),
      neverAborted,
    );
  const stale = async (): Promise<readonly string[]> => {
    const ledger = sqlLedgerStore(fixture.warehouse);
    try {
      return staleSlices(await ledger.newestVersions(), new Map()).flatMap(({ reasons }) => reasons.map(staleInWords));
    } finally {
      await ledger.close();
    }
  };

  beforeAll(async () => {
    executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' });
    await change(...shopTables);
    await run(fillFrom('orders'));
  });
  beforeEach(async () => {
    await change('drop schema if exists aside cascade', 'drop schema public cascade', 'create schema public');
    await change('delete from backfill_ledger.versions', ...shopTables, 'create schema aside', ...views);
    await change(
      'create view other as select 1 as n',
      'create view "Odd.Name" as select id, day, amount from orders',
      'create materialized view kept as select id, day, amount from orders',
      'create function of_function() returns setof orders language sql stable as $$ select id, day, amount from priced $$',
    );
  });

  test.each(Object.entries(loud))('%s: runs, is stale, and is the cause', async (_, { task, change: made, view }) => {
    await run(task);
    expect(await run(task)).toMatchObject({ state: 'skipped' });
    expect(await stale()).toEqual([]);
    await change(...made);
    expect(await stale()).toEqual([`the view ${view} was redefined since`]);
    const outcome = await run(task);
    expect(outcome).toMatchObject({ state: 'changed' });
    expect('slices' in outcome && outcome.slices[0]?.causes).toContainEqual({ kind: 'view', table: view });
    expect(await stale()).toEqual([]);
    expect(await run(task)).toMatchObject({ state: 'skipped' });
  });

  test.each(Object.entries(silent))('%s is no redefinition', async (_, made) => {
    await run(fillFrom('gross'));
    await change(...made);
    expect(await stale()).toEqual([]);
    expect(await run(fillFrom('gross'))).toMatchObject({ state: 'skipped' });
  });

  test('a view that the task itself makes for its interval is none of its inputs', async () => {
    const statements = [
      "create or replace view mine as select * from orders where day = '2026-11-01'",
      clear,
      fillFrom('mine'),
    ];
    const unit = () => job({ run: `run-${++runs}`, inputs: [readsOrders], cutsOff: true, statements });
    expect(await executor.execute(unit(), neverAborted)).toMatchObject({ state: 'unchanged' });
    await change("create or replace view mine as select * from orders where day = '2026-11-02'");
    expect(await stale()).toEqual([]);
  });

  test('a search path of another session makes no other definition', async () => {
    await run(fillFrom('gross'));
    const settings = { ...job().options.settings, search_path: 'aside, public' };
    const options = { ...job().options, settings };
    const statements = [clear, fillFrom('gross')];
    const outcome = await executor.execute(
      job({ run: `run-${++runs}`, inputs: [readsOrders], cutsOff: true, statements, options }),
      neverAborted,
    );
    expect(outcome).toMatchObject({ state: 'unchanged' });
    expect(await stale()).toEqual([]);
  });

  test('a slice that an older program made without them runs once more', async () => {
    await run(fillFrom('gross'));
    await change(
      `update backfill_ledger.versions set inputs = (select json_agg(i) from json_array_elements(inputs) i where i->>'definition' is null)`,
    );
    expect(await run(fillFrom('gross'))).toMatchObject({ state: 'unchanged' });
    expect(await run(fillFrom('gross'))).toMatchObject({ state: 'skipped' });
    expect(await scalar(fixture.warehouse, 'select count(*) from sales')).not.toBe('0');
  });
});
