import { existsSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { partitionedExecutor } from '../../src/core/run/partitioned/partitioned-executor.ts';
import type { CancelSignal } from '../../src/core/run/unit/cancel-signal.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { systemClock } from '../../src/node/system-clock.ts';
import { type LakeFixture, lakeFixture } from '../support/lake-fixture.ts';
import { job } from '../support/warehouse-fixture.ts';
import { executeOn, killedAt, type Look, watchedLake } from '../support/watched-lake.ts';

let fixture: LakeFixture;
let warehouse: Warehouse;
let count = 0;

const before = [
  ['AT', 'old', '2026-11-01'],
  ['DE', 'old', '2026-11-01'],
  ['DE', 'kept', '2026-11-02'],
];
const after = [
  ['DE', 'new', '2026-11-01'],
  ['FR', 'new', '2026-11-01'],
  ['DE', 'kept', '2026-11-02'],
];

beforeAll(async () => {
  fixture = await lakeFixture(inject('spark').url, 'protocol');
  await fixture.sql(
    'create table protocol.daily (page string, day date, country string) using parquet partitioned by (day, country)',
  );
  warehouse = await fixture.open();
});
beforeEach(async () => {
  // Without PARTITION it empties the whole table, and its partitions with folders elsewhere too.
  await fixture.sql(
    `insert overwrite protocol.daily values ${before.map(([country, page, day]) => `('${page}', date'${day}', '${country}')`).join(', ')}`,
  );
});
afterAll(async () => {
  await warehouse.close();
  await fixture.close();
});

const rows = () =>
  fixture.sql('select country, page, cast(day as string) from protocol.daily order by day, country, page');
const tables = async () => (await fixture.sql('show tables in protocol')).map(([, name]) => name);

const unit = (parts: { readonly run?: string; readonly query?: string } = {}): UnitJob =>
  job({
    run: parts.run ?? `run-${++count}`,
    statements: [
      `insert overwrite protocol.daily partition (day = '2026-11-01', country) ${parts.query ?? "values ('new', 'DE'), ('new', 'FR')"}`,
    ],
    slices: [
      {
        table: 'protocol.daily',
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

const watched = (look: Look) => watchedLake(warehouse, look);

interface How {
  readonly look?: Look;
  readonly owner?: string;
  readonly signal?: CancelSignal;
  /** Where several are at work at once: an embedded ledger is held by one opening of it. */
  readonly on?: ReturnType<typeof watched>;
}

const execute = (asked: UnitJob, { look = () => {}, owner, signal, on = watched(look) }: How = {}) =>
  executeOn(on, asked, { owner, ...(signal && { signal }) });

test.each<readonly [string, RegExp, number, 'old' | 'between' | 'new']>([
  ['before the task', /^insert overwrite/, 1, 'old'],
  ['before what is to be published is written down', /into backfill_ledger\.carried/, 2, 'old'],
  ['before the first partition', / set location | add if not exists partition/, 1, 'old'],
  ['between two partitions', / set location | add if not exists partition/, 2, 'between'],
  ['before it is looked at again', /^drop table if exists/, 1, 'new'],
  ['before the record', /insert into backfill_ledger\.versions/, 1, 'new'],
])('killed %s: old or new, and right once it is gone on with', async (_, pattern, nth, left) => {
  const asked = unit();
  expect(await execute(asked, { look: killedAt(pattern, nth) })).toMatchObject({ state: 'failed' });
  const found = await rows();
  if (left !== 'between') expect(found).toEqual(left === 'old' ? before : after);
  expect(await execute(asked)).toMatchObject({
    state: 'changed',
    slices: [{ before: { rows: 2 }, after: { rows: 2 } }],
  });
  expect(await rows()).toEqual(after);
  expect(await execute(asked)).toMatchObject({ state: 'done-before' });
  expect(await tables()).toEqual(['daily']);
});

const undo = (of: UnitJob, run = `undo-${of.run}`) =>
  execute({ ...of, run, statements: [], restores: { run: of.run, unit: of.unit } });

const foreignRow = "insert into protocol.daily values ('foreign', date'2026-11-01', 'DE')";

/** Everything is published, and the process is gone; then somebody else writes, which whoever goes on finds. */
async function spoiled(): Promise<UnitJob> {
  const asked = unit();
  await execute(asked, { look: killedAt(/^drop table if exists/, 1) });
  await fixture.sql(foreignRow);
  expect(await execute(asked)).toMatchObject({ state: 'failed', error: { kind: 'conflict', retryable: true } });
  return asked;
}

test('between two tries somebody else writes: an undo gives what is recorded as before, and it is said what that is', async () => {
  const asked = unit();
  await execute(asked, { look: killedAt(/ set location | add if not exists partition/, 2) });
  const ledger = sqlLedgerStore(warehouse);
  expect(await ledger.begun(asked.run)).toEqual([asked.unit]);
  await fixture.sql(foreignRow);
  expect(await execute(asked)).toMatchObject({ state: 'failed', error: { kind: 'conflict', retryable: true } });
  expect(await ledger.begun(asked.run)).toEqual([asked.unit]);
  const stood = await rows();
  expect(await execute(asked)).toMatchObject({
    state: 'changed',
    slices: [{ before: { rows: stood.length - 1 }, after: { rows: 2 } }],
    notes: [expect.stringContaining('what is kept as before is what stood after that'), expect.anything()],
  });
  expect(await ledger.begun(asked.run)).toEqual([]);
  expect(await ledger.changedSlices(asked.run)).toMatchObject([
    { rowsBefore: stood.length - 1, kept: stood.length - 1 },
  ]);
  await ledger.close();
  expect(await undo(asked)).toMatchObject({ state: 'changed' });
  expect(await rows()).toEqual(stood);
});

test('what an earlier try has published, and nothing is left to publish of, is a change that can be undone', async () => {
  const asked = await spoiled();
  await fixture.sql("insert overwrite protocol.daily partition (day = '2026-11-01', country = 'DE') values ('new')");
  expect(await execute(asked)).toMatchObject({
    state: 'changed',
    slices: [{ before: { rows: 2 }, after: { rows: 2 } }],
  });
  expect(await undo(asked)).toMatchObject({ state: 'changed' });
  expect(await rows()).toEqual(before);
});

test('a hold after such a try says what it left, and does not end it', async () => {
  const asked = await spoiled();
  const strict = { ...asked, options: { ...asked.options, holdShrinkPercent: 10 } };
  expect(await execute(strict)).toMatchObject({
    state: 'held',
    reason: expect.stringContaining('An earlier try of it had begun to publish'),
  });
  const ledger = sqlLedgerStore(warehouse);
  expect(await ledger.begun(asked.run)).toEqual([asked.unit]);
  await ledger.close();
});

const folder = async (country = 'DE') =>
  (await fixture.sql(`describe extended protocol.daily partition (day = '2026-11-01', country = '${country}')`)).find(
    ([name]) => name === 'Location',
  )?.[1] ?? '';

test('folders of before that are too old are deleted, but for those that something is in', async () => {
  const forget = async (days: number) =>
    partitionedExecutor(warehouse, async () => watched(() => {}).lake, {
      clock: systemClock,
      owner: 'sweeper',
    }).forget?.(days);
  const isThere = (location: string) => existsSync(location.replace(/^file:/, ''));
  await execute(unit());
  const first = await folder();
  const second = unit({ query: "values ('newer', 'DE')" });
  await execute(second);
  const now = await folder();
  await forget(1);
  expect([first, now].map(isThere)).toEqual([true, true]);
  const ledger = await warehouse.connect('ledger');
  await ledger.query("update backfill_ledger.before_images set kept_at = kept_at - interval '2 days'");
  await ledger.close();
  await forget(1);
  expect([first, now].map(isThere)).toEqual([false, true]);
  expect((await rows()).map(([, page]) => page)).toEqual(['newer', 'kept']);
  expect(await undo(second)).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining('were not kept') },
  });
  expect(await tables()).toEqual(['daily']);
});

test('an undo is refused where the folders of before hold other rows than were recorded', async () => {
  const kept = await folder();
  const asked = unit();
  expect(await execute(asked)).toMatchObject({ state: 'changed' });
  await fixture.sql(`insert overwrite directory '${kept}' using parquet values ('other'), ('rows')`);
  expect(await undo(asked)).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining('hold 3 rows instead of the 2 rows that were counted then') },
  });
  expect(await rows()).toEqual(after);
});

test('rows outside of the slice are held, and never published', async () => {
  const asked = unit();
  const [statement] = asked.statements;
  const text = (statement?.text ?? '').replace(
    /partition .*/,
    "partition (day, country) values ('new', date'2026-11-01', 'DE'), ('out', date'2026-11-02', 'DE')",
  );
  const outcome = await execute({ ...asked, statements: [{ text, at: undefined }] });
  expect(outcome).toMatchObject({
    state: 'held',
    code: 'escaped',
    reason: expect.stringContaining('day=2026-11-02/country=DE'),
  });
  expect(await rows()).toEqual(before);
});

test('a write of somebody else in between is seen: the unit runs again', async () => {
  let written = false;
  const look: Look = async (text) => {
    if (written || !text.startsWith('show partitions') || !text.includes('backfill_')) return;
    written = true;
    await fixture.sql("insert into protocol.daily values ('foreign', date'2026-11-01', 'DE')");
  };
  const asked = unit();
  expect(await execute(asked, { look })).toMatchObject({
    state: 'failed',
    error: { kind: 'conflict', retryable: true },
  });
  expect((await rows()).map(([, page]) => page)).toContain('foreign');
  expect(await tables()).toEqual(['daily']);
  expect(await execute(asked)).toMatchObject({ state: 'changed', slices: [{ before: { rows: 3 } }] });
  expect(await rows()).toEqual(after);
});

test('of two runs of one slice the second one waits', async () => {
  let second: Awaited<ReturnType<typeof execute>> | undefined;
  const on = watched(async (text) => {
    if (text.startsWith('insert overwrite') && second === undefined)
      second = await execute(unit(), { on, owner: 'same' });
  });
  expect(await execute(unit(), { on, owner: 'same' })).toMatchObject({ state: 'changed' });
  expect(second).toMatchObject({ state: 'busy' });
});

test('a cancel stops the statement, and leaves what was there', async () => {
  const cancel = new AbortController();
  const look: Look = (text) => {
    if (text.startsWith('insert overwrite')) void systemClock.sleep(1000).then(() => cancel.abort());
  };
  const asked = unit({ query: "select 'late', 'DE' from range(1000000000000) where hash(id) % 7 = 11" });
  expect(await execute(asked, { look, signal: cancel.signal })).toMatchObject({ state: 'cancelled', confirmed: true });
  expect(await rows()).toEqual(before);
  expect(await tables()).toEqual(['daily']);
});

test('a statement that fails says what Spark says', async () => {
  const outcome = await execute(unit({ query: "select raise_error('no rates'), 'DE'" }));
  expect(outcome).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining('no rates'), retryable: false },
  });
  expect(await tables()).toEqual(['daily']);
});
