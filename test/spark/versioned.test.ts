import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { type LakeFixture, lakeFixture } from '../support/lake-fixture.ts';
import { runCli } from '../support/run-cli.ts';
import { job } from '../support/warehouse-fixture.ts';
import { executeOn, killedAt, type Look, watchedLake } from '../support/watched-lake.ts';

/** Formats that keep their versions: what partitions of files do by folders, they do in one commit. */
describe.each([
  ['delta', 'versioned_delta'],
  ['iceberg', 'ice.versioned_iceberg'],
])('%s', (format, schema) => {
  let fixture: LakeFixture;
  let warehouse: Warehouse;
  let count = 0;
  const daily = `${schema}.daily`;
  const raw = `raw_${format}`;

  const before = [
    ['AT', 'old', '2026-11-01'],
    ['DE', 'old', '2026-11-01'],
    ['DE', 'kept', '2026-11-02'],
    ['DE', 'none', null],
  ];
  const others = before.slice(2);
  const after = [['DE', 'new', '2026-11-01'], ['FR', 'new', '2026-11-01'], ...others];

  beforeAll(async () => {
    fixture = await lakeFixture(inject('spark').url, schema.replace('ice.', ''), {
      config: `tasks: { lake.hours: { writes: [{ table: ${schema}.hours, key: [id] }] } }`,
    });
    await fixture.sql(
      `create namespace if not exists ${schema}`,
      `drop table if exists ${daily}`,
      `create table ${daily} (page string, day date, country string) using ${format} partitioned by (day)`,
      `drop table if exists ${schema}.hours`,
      `create table ${schema}.hours (id int, at timestamp, ratio double, tags array<string>, m map<string,int>) using ${format} ${format === 'iceberg' ? 'partitioned by (days(at))' : ''}`,
      `drop database if exists ${raw} cascade`,
      `create database ${raw}`,
      `create table ${raw}.events (id int, at timestamp) using parquet`,
    );
    warehouse = await fixture.open();
  });
  beforeEach(async () => {
    const values = before.map(
      ([country, page, day]) => `('${page}', ${day === null ? 'null' : `date'${day}'`}, '${country}')`,
    );
    await fixture.sql(`delete from ${daily}`, `insert into ${daily} values ${values.join(', ')}`);
  });
  afterAll(async () => {
    await warehouse?.close();
    await fixture?.sql(`drop table if exists ${daily}`, `drop table if exists ${schema}.hours`);
    await fixture?.close();
  });

  const rows = () =>
    fixture.sql(
      `refresh table ${daily}`,
      `select country, page, cast(day as string) from ${daily} order by day nulls last, country, page`,
    );
  const tables = async () => (await fixture.sql(`show tables in ${schema}`)).map(([, name]) => name).sort();

  const unit = (
    statement = `insert into ${daily} replace where day = '2026-11-01' select * from values ('new', date'2026-11-01', 'DE'), ('new', date'2026-11-01', 'FR')`,
  ): UnitJob =>
    job({
      run: `run-${++count}`,
      statements: [statement],
      slices: [
        {
          table: daily,
          column: 'day',
          from: '2026-11-01T00:00:00Z',
          to: '2026-11-02T00:00:00Z',
          predicate: undefined,
          mode: 'insert_overwrite',
          key: [],
          volatile: [],
        },
      ],
      options: { samples: 0, holdShrinkPercent: undefined, leaseMs: 600_000, statementTimeoutMs: 600_000 },
    });
  const execute = (asked: UnitJob, look: Look = () => {}) => executeOn(watchedLake(warehouse, look), asked);
  const undo = (of: UnitJob) =>
    execute({ ...of, run: `undo-${of.run}`, statements: [], restores: { run: of.run, unit: of.unit } });

  test.each([
    [
      'insert overwrite',
      `insert overwrite ${daily} partition (day = '2026-11-01') (page, country) values ('new', 'DE'), ('new', 'FR')`,
    ],
    ['replace where', undefined],
  ])('%s: twice equals once, and an undo puts back exactly the rows of the slice', async (_, statement) => {
    const asked = unit(statement);
    expect(await execute(asked)).toMatchObject({
      state: 'changed',
      slices: [{ before: { rows: 2 }, after: { rows: 2 }, added: 2, removed: 2 }],
    });
    expect(await rows()).toEqual(after);
    expect(await execute(asked)).toMatchObject({ state: 'done-before' });
    expect(await execute(unit(statement))).toMatchObject({ state: 'unchanged' });
    // What others write elsewhere meanwhile stays.
    await fixture.sql(`insert into ${daily} values ('later', date'2026-11-03', 'DE')`);
    expect(await undo(asked)).toMatchObject({
      state: 'changed',
      slices: [{ before: { rows: 2 }, after: { rows: 2 } }],
    });
    expect(await rows()).toEqual([...before.slice(0, 3), ['DE', 'later', '2026-11-03'], ...before.slice(3)]);
    expect(await tables()).toEqual(['daily', 'hours']);
  });

  test('an empty result empties the slice', async () => {
    const asked = unit(`insert into ${daily} replace where day = '2026-11-01' select * from ${daily} where false`);
    expect(await execute({ ...asked, options: { ...asked.options, holdShrinkPercent: 50 } })).toMatchObject({
      state: 'held',
    });
    expect(await rows()).toEqual(before);
    expect(await execute(unit(asked.statements[0]?.text))).toMatchObject({
      state: 'changed',
      slices: [{ removed: 2 }],
    });
    expect(await rows()).toEqual(others);
  });

  test('rows outside of the slice are held, and never published', async () => {
    const outside = `insert overwrite ${daily} select * from values ('new', date'2026-11-01', 'DE'), ('out', date'2026-11-05', 'DE'), ('out', null, 'DE') as v (page, day, country) where page > ''`;
    expect(await execute(unit(outside))).toMatchObject({
      state: 'held',
      code: 'escaped',
      reason: expect.stringContaining('2 rows'),
    });
    expect(await rows()).toEqual(before);
    expect(await tables()).toEqual(['daily', 'hours']);
  });

  const publishes = new RegExp(
    `^insert into ${schema
      .split('.')
      .map((part) => `.${part}.`)
      .join('[.]')}[.].daily. replace where`,
  );
  const foreign = `insert into ${daily} values ('foreign', date'2026-11-01', 'DE')`;

  test.each<readonly [string, RegExp, number, 'old' | 'new']>([
    ['before the task', /^insert into .*backfill_/, 1, 'old'],
    ['before what is to be published is written down', /into backfill_ledger\.carried/, 2, 'old'],
    ['before the commit', publishes, 1, 'old'],
    ['before it is looked at again', /^drop table if exists/, 1, 'new'],
    ['before the record', /insert into backfill_ledger\.versions/, 1, 'new'],
  ])('killed %s: old or new, and right once it is gone on with', async (_, pattern, nth, left) => {
    const asked = unit();
    expect(await execute(asked, killedAt(pattern, nth))).toMatchObject({ state: 'failed' });
    expect(await rows()).toEqual(left === 'old' ? before : after);
    expect(await execute(asked)).toMatchObject({
      state: 'changed',
      slices: [{ before: { rows: 2 }, after: { rows: 2 } }],
    });
    expect(await rows()).toEqual(after);
    expect(await undo(asked)).toMatchObject({ state: 'changed' });
    expect(await rows()).toEqual(before);
    expect(await tables()).toEqual(['daily', 'hours']);
  });

  test.each<readonly [string, RegExp]>([
    ['after the comparison', /into backfill_ledger\.before_images/],
    ['right before the commit', publishes],
  ])('a write of somebody else %s stands, and the unit runs again', async (_, pattern) => {
    let written = false;
    const look: Look = async (text) => {
      if (written || !pattern.test(text)) return;
      written = true;
      await fixture.sql(foreign);
    };
    const asked = unit();
    expect(await execute(asked, look)).toMatchObject({ state: 'failed', error: { kind: 'conflict', retryable: true } });
    expect(written).toBe(true);
    expect((await rows()).map(([, page]) => page).sort()).toEqual(['foreign', 'kept', 'none', 'old', 'old']);
    expect(await execute(asked)).toMatchObject({ state: 'changed', slices: [{ before: { rows: 3 } }] });
    expect(await rows()).toEqual(after);
    expect(await undo(asked)).toMatchObject({ state: 'changed' });
    expect((await rows()).map(([, page]) => page)).toContain('foreign');
  });

  test('a write of somebody else after the commit and before the record is not taken for ours', async () => {
    const asked = unit();
    await execute(asked, killedAt(/^drop table if exists/, 1));
    await fixture.sql(foreign);
    expect(await execute(asked)).toMatchObject({ state: 'failed', error: { kind: 'conflict', retryable: true } });
    const ledger = sqlLedgerStore(warehouse);
    expect(await ledger.begun(asked.run)).toEqual([asked.unit]);
    await ledger.close();
    expect(await execute(asked)).toMatchObject({
      state: 'changed',
      slices: [{ before: { rows: 3 } }],
      notes: [expect.stringContaining('what is kept as before is what stood after that')],
    });
    expect(await rows()).toEqual(after);
  });

  test('half-open bounds of a timestamp, NULL, NaN and nested values, by the commands', async () => {
    await fixture.sql(
      `insert into ${raw}.events values (1, timestamp'2026-11-01 00:00:00'), (2, timestamp'2026-11-01 23:59:59.999999'), (3, timestamp'2026-11-02 00:00:00')`,
      `insert into ${schema}.hours values (9, timestamp'2026-11-02 00:00:00', 1, null, null), (8, timestamp'2026-10-31 23:59:59.999999', 1, null, null)`,
    );
    fixture.dag({
      hours:
        `INSERT INTO ${schema}.hours REPLACE WHERE at >= TIMESTAMP'{{ data_interval_start | ts_nodash }}' AND at < TIMESTAMP'{{ data_interval_end | ts_nodash }}'
              SELECT id, at, double('NaN'), array('x', null), map('k', cast(null as int)) FROM ${raw}.events
              WHERE at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}'`.replaceAll(
          /TIMESTAMP'\{\{ (\w+) \| ts_nodash \}\}'/g,
          "'{{ $1 }}'",
        ),
    });
    const asked = [
      'lake.hours',
      '--from',
      '2026-11-01',
      '--to',
      '2026-11-02',
      '--now',
      '2026-11-10T00:00',
      '--format',
      'json',
    ];
    const preview = await runCli(['run', ...asked, '--preview'], fixture.root);
    expect([preview.code, preview.err]).toEqual([0, '']);
    const ran = JSON.parse((await runCli(['run', ...asked, '--yes'], fixture.root)).out);
    expect(ran.units).toMatchObject([{ state: 'changed', slices: [{ added: 2, removed: 0 }] }]);
    const ids = () =>
      fixture.sql(`refresh table ${schema}.hours`, `select cast(id as string) from ${schema}.hours order by 1`);
    expect(await ids()).toEqual([['1'], ['2'], ['8'], ['9']]);
    const again = JSON.parse((await runCli(['run', ...asked, '--yes'], fixture.root)).out);
    expect(again.units).toMatchObject([{ state: 'unchanged' }]);
    const proof = JSON.parse((await runCli(['prove', ...asked], fixture.root)).out);
    expect(proof.units).toMatchObject([{ verdict: 'no-difference' }]);
    expect((await runCli(['undo', ran.runId, '--yes'], fixture.root)).code).toBe(0);
    expect(await ids()).toEqual([['8'], ['9']]);
  });
});

test('REPLACE WHERE is refused by name for a table that has no versions', async () => {
  const fixture = await lakeFixture(inject('spark').url, 'unversioned');
  await fixture.sql('create table unversioned.daily (page string, day date) using parquet partitioned by (day)');
  fixture.dag({
    daily: "INSERT INTO unversioned.daily REPLACE WHERE day = '{{ ds }}' SELECT 'a', DATE'{{ ds }}'",
  });
  const { out, code } = await runCli(
    ['run', 'lake.daily', '--from', '2026-11-01', '--to', '2026-11-02', '--now', '2026-11-10T00:00', '--yes'],
    fixture.root,
  );
  expect([code, out]).toEqual([1, expect.stringContaining('REPLACE WHERE is for tables of Delta and Iceberg')]);
  await fixture.close();
});
