import { beforeAll, describe, expect, test } from 'vitest';
import { openPreview, previewRun } from '../../../src/core/run/relational/preview/preview.ts';
import type { UnitJob } from '../../../src/core/run/unit/unit-job.ts';
import {
  engines,
  job,
  neverAborted,
  realClock,
  scalar,
  shopTables,
  sql,
  useFixture,
} from '../../support/warehouse-fixture.ts';

const env = { clock: realClock, owner: 'previewer' };
const totals = job({
  unit: 'shop.totals',
  task: 'shop.totals',
  statements: [
    "delete from totals where day = '2026-11-01'",
    "insert into totals select day, sum(amount) from sales where day = '2026-11-01' group by day",
  ],
  slices: [{ ...job().slices[0], table: 'totals' }] as UnitJob['slices'],
});
const aMinute = { signal: neverAborted, timeBoxMs: 60_000 };

describe.each(engines)('a preview on %s', (engine) => {
  const fixture = useFixture(engine);
  const state = () =>
    scalar(
      fixture.warehouse,
      "select (select string_agg(s::text, ';' order by id) from sales s) || (select string_agg(t::text, ';') from totals t)",
    );
  beforeAll(async () => {
    await sql(
      fixture.warehouse,
      ...shopTables,
      'create table totals (day date primary key, amount numeric)',
      'insert into totals select day, sum(amount) from sales group by day',
      'update orders set amount = amount + 1 where id = 10',
    );
  });

  test('shows a chain with the new rows of its parents, and leaves everything as it was', async () => {
    const before = await state();
    const seen: string[] = [];
    const outcomes = await previewRun(fixture.warehouse, env, [job(), totals, job({ unit: 'again' })], {
      ...aMinute,
      onOutcome: ({ unit }) => seen.push(unit),
    });
    expect(outcomes).toMatchObject([
      { state: 'previewed', changed: true, slices: [{ changed: 1 }] },
      { state: 'previewed', changed: true, slices: [{ changed: 1, samples: [{ kind: 'changed' }] }] },
      { state: 'previewed', changed: false, slices: [{ changed: 0 }] },
    ]);
    expect(seen).toEqual([job().unit, 'shop.totals', 'again']);
    expect(await state()).toBe(before);
    expect(await scalar(fixture.warehouse, "select count(*) from pg_namespace where nspname = 'backfill_ledger'")).toBe(
      '0',
    );
  });

  test('goes on after a failed unit and takes a held one back', async () => {
    const before = await state();
    const outcomes = await previewRun(
      fixture.warehouse,
      env,
      [
        job({ statements: ['delete from sales', 'select 1 / 0'] }),
        job({ statements: ["delete from sales where day = '2026-11-01'"] }),
        job({ statements: ['delete from sales where id = 1'] }),
        job({ statements: ['rollback'] }),
        totals,
      ],
      aMinute,
    );
    expect(outcomes).toMatchObject([
      { state: 'failed', error: { sqlState: '22012' } },
      { state: 'held', code: 'empty' },
      { state: 'held', code: 'escaped' },
      { state: 'failed', error: { kind: 'refused' } },
      { state: 'previewed', changed: false },
    ]);
    expect(await state()).toBe(before);
  });

  test('lays what one unit has to itself to no other, unless that empties it too', async () => {
    const whole = { mode: 'full_replace', key: [], volatile: [] } as const;
    const slices = ['totals', 'parts'].map((table) => ({ ...whole, table })) as unknown as UnitJob['slices'];
    const filled = 'insert into totals select day, sum(amount) from sales group by day';
    const refill = ['truncate totals', 'truncate parts', filled];
    await sql(fixture.warehouse, 'create table parts (day date) partition by range (day)');
    const outcomes = await previewRun(
      fixture.warehouse,
      env,
      [
        job({ unit: 'refill', task: 'refill', statements: refill, slices }),
        job(),
        job({ unit: 'more', statements: [...job().statements.map(({ text }) => text), 'truncate totals'] }),
      ],
      aMinute,
    );
    const [done, escaped] = [{ state: 'previewed' }, { state: 'held', code: 'escaped' }];
    expect(outcomes).toMatchObject([done, done, escaped]);
  });

  test('has each unit begin with its constraints waiting, as a transaction of its own would', async () => {
    await sql(
      fixture.warehouse,
      'create table headers (id int primary key, day date not null)',
      'create table lines (id int references headers (id) on delete cascade deferrable initially deferred, day date not null, n int unique deferrable)',
    );
    const ofDay = (day: number) => {
      const [from, to] = [`2026-11-0${day}`, `2026-11-0${day + 1}`];
      return job({
        unit: `lines ${day}`,
        task: 'lines',
        statements: [
          `delete from lines where day = '${from}'`,
          `delete from headers where day = '${from}'`,
          `insert into lines values (${day}, '${from}', ${day})`,
          `insert into headers values (${day}, '${from}')`,
        ],
        slices: ['lines', 'headers'].map((table) => ({ ...job().slices[0], table, from, to })) as UnitJob['slices'],
      });
    };
    const outcomes = await previewRun(fixture.warehouse, env, [ofDay(1), ofDay(2), ofDay(3)], aMinute);
    const done = { state: 'previewed', changed: true };
    expect(outcomes).toMatchObject([done, done, done]);
    await sql(fixture.warehouse, 'drop table lines, headers');
  });

  test('serves as an executor, and ends when told', async () => {
    const preview = openPreview(fixture.warehouse, env, 60_000);
    expect(await preview.executor.execute(job(), neverAborted)).toMatchObject({ state: 'previewed', changed: true });
    await preview.end();
    expect(await preview.executor.execute(job({ statements: [] }), neverAborted)).toMatchObject({
      state: 'previewed',
      changed: false,
    });
    await preview.end();
  });
});
