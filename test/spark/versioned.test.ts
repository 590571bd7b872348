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
  let isOpen = false;
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
      `create table ${schema}.hours (id int, at timestamp, ratio double, share decimal(20,4), tags array<string>, m map<string,int>, s struct<a:string,b:int>) using ${format} ${format === 'iceberg' ? 'partitioned by (days(at))' : ''}`,
      `drop database if exists ${raw} cascade`,
      `create database ${raw}`,
      `create table ${raw}.events (id int, at timestamp) using parquet`,
    );
    warehouse = await fixture.open();
    isOpen = true;
  });
  const close = async () => {
    if (isOpen) await warehouse.close();
    isOpen = false;
  };
  beforeEach(async () => {
    const values = before.map(
      ([country, page, day]) => `('${page}', ${day === null ? 'null' : `date'${day}'`}, '${country}')`,
    );
    await fixture.sql(`delete from ${daily}`, `insert into ${daily} values ${values.join(', ')}`);
  });
  afterAll(async () => {
    await close();
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
      .join('[.]')}[.].daily.(?: with \\(.*?\\))? replace where`,
  );
  const forgetVersions =
    format === 'delta'
      ? [
          'set spark.databricks.delta.retentionDurationCheck.enabled = false',
          'set spark.sql.sources.parallelPartitionDiscovery.parallelism = 1',
          `vacuum ${daily} retain 0 hours`,
        ]
      : [
          `call ice.system.expire_snapshots(table => '${daily}', older_than => timestamp'2999-01-01 00:00:00', retain_last => 1)`,
        ];
  const foreign = `insert into ${daily} values ('foreign', date'2026-11-01', 'DE')`;

  test.each<readonly [string, RegExp, number, 'old' | 'new']>([
    ['before the commit', publishes, 1, 'old'],
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

  test('an undo is refused once somebody else has written the slice, and once its version is gone', async () => {
    const asked = unit();
    await execute(asked);
    await fixture.sql(foreign);
    expect(await undo(asked)).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining(`no longer what run ${asked.run} left`) },
    });
    const again = unit();
    expect(await execute(again)).toMatchObject({ state: 'changed', slices: [{ before: { rows: 3 } }] });
    await fixture.sql(...forgetVersions);
    expect(await undo(again)).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('which has its rows of before, is no longer kept') },
    });
    expect(await rows()).toEqual(after);
    expect(await tables()).toEqual(['daily', 'hours']);
  });

  /** Half-open bounds of a timestamp, NULL, NaN, decimals and nested values, as a user goes through them. */
  describe('by the commands', () => {
    const now = ['--now', '2026-11-10T00:00'];
    const day = ['lake.hours', '--from', '2026-11-01', '--to', '2026-11-02', ...now];
    const command = async (...words: readonly string[]) => {
      const { out, err, code } = await runCli(words, fixture.root);
      return { out, err, code, json: words.includes('json') ? JSON.parse(out || '{}') : {} };
    };
    const json = ['--format', 'json'];
    const ids = () =>
      fixture.sql(`refresh table ${schema}.hours`, `select cast(id as string) from ${schema}.hours order by 1`);
    const select = (where = 'true') =>
      `INSERT INTO ${schema}.hours REPLACE WHERE at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}'
       SELECT id, at, double('NaN'), cast(id / 3 as decimal(20,4)), array('x', null), map('k', cast(null as int)), named_struct('a', null, 'b', id)
       FROM ${raw}.events WHERE at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}' AND ${where}`;
    let run: string;

    beforeAll(async () => {
      // An embedded ledger is held by one opening of it.
      await close();
      await fixture.sql(
        `insert into ${raw}.events values (1, timestamp'2026-11-01 00:00:00'), (2, timestamp'2026-11-01 23:59:59.999999'), (3, timestamp'2026-11-02 00:00:00')`,
        `insert into ${schema}.hours values ${[
          ['9', "timestamp'2026-11-02 00:00:00'"],
          ['8', "timestamp'2026-10-31 23:59:59.999999'"],
          ['7', 'null'],
        ]
          .map(([id, at]) => `(${id}, ${at}, 1, null, null, null, null)`)
          .join(', ')}`,
      );
      fixture.dag({ hours: select() });
    });

    test('a preview publishes nothing; a run takes the rows of its interval alone, and a second one changes nothing', async () => {
      const preview = await command('run', ...day, '--preview', ...json);
      expect([preview.code, preview.err]).toEqual([0, '']);
      expect(preview.json.units).toMatchObject([{ slices: [{ added: 2, removed: 0 }] }]);
      expect(await ids()).toEqual([['7'], ['8'], ['9']]);
      const first = await command('run', ...day, '--yes', ...json);
      expect(first.json.units).toMatchObject([{ state: 'changed', slices: [{ added: 2, removed: 0 }] }]);
      run = first.json.runId;
      expect(await ids()).toEqual([['1'], ['2'], ['7'], ['8'], ['9']]);
      const again = await command('run', ...day, '--yes', ...json);
      expect(again.json.units).toMatchObject([{ state: 'unchanged' }]);
    });

    test('a proof finds no difference, gaps are counted, and what ran is told', async () => {
      const proof = await command('prove', ...day, ...json);
      expect(proof.json.units).toMatchObject([{ verdict: 'no-difference' }]);
      const gaps = await command('gaps', 'lake.hours', '--now', '2026-11-04T00:00');
      expect(gaps.out).toMatch(/^2026-11-03 {2}missing/m);
      expect(gaps.out).not.toMatch(/^2026-11-0[12] {2}missing/m);
      const history = await command('history', run, '--units');
      expect(history.out).toContain(`${schema}.hours`);
      expect((await command('show', '--stale')).out).not.toContain('lake.hours');
      fixture.dag({ hours: select('id > 0') });
      expect((await command('show', '--stale')).out).toContain('lake.hours');
      fixture.dag({ hours: select() });
    });

    test('an empty result is held, and empties the slice once it is let through; undone, the rows are there again', async () => {
      fixture.dag({ hours: select('id > 100') });
      const held = await command('run', ...day, '--yes', ...json);
      expect([held.code, held.json.units]).toMatchObject([3, [{ state: 'held' }]]);
      expect((await command('resume', held.json.runId, '--accept-held')).code).toBe(0);
      expect(await ids()).toEqual([['7'], ['8'], ['9']]);
      expect((await command('undo', held.json.runId, '--yes')).code).toBe(0);
      expect((await command('undo', run, '--yes')).code).toBe(0);
      expect(await ids()).toEqual([['7'], ['8'], ['9']]);
    });
  });
});

test('Iceberg replaces whole files: a table whose files may hold rows of two intervals is refused before anything runs', async () => {
  const fixture = await lakeFixture(inject('spark').url, 'whole_files');
  await fixture.sql(
    'create namespace if not exists ice.whole_files',
    'drop table if exists ice.whole_files.daily',
    'create table ice.whole_files.daily (page string, day date) using iceberg partitioned by (months(day))',
  );
  fixture.dag({
    daily: "INSERT INTO ice.whole_files.daily REPLACE WHERE day = '{{ ds }}' SELECT 'a', DATE'{{ ds }}'",
  });
  const run = () =>
    runCli(
      ['run', 'lake.daily', '--from', '2026-11-01', '--to', '2026-11-02', '--now', '2026-11-10T00:00', '--yes'],
      fixture.root,
    );
  const { out, code } = await run();
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/is partitioned by months\(day\), and the slice is cut by day.*REPLACE PARTITION FIELD/),
  ]);
  await fixture.sql('alter table ice.whole_files.daily replace partition field months(day) with day');
  expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining('1 changed') });
  await fixture.close();
});
