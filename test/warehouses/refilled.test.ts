import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../src/core/run/unit/unit-outcome.ts';
import {
  type Engine,
  engines,
  type Fixture,
  job,
  neverAborted,
  openFixture,
  realClock,
  scalar,
  sql,
} from '../support/warehouse-fixture.ts';

describe.each(engines)('a table that holds one interval at a time, on %s', (engine: Engine) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await openFixture(engine);
    const tables = ['create table stage (day date)', 'create table target (day date, held date)'];
    await sql(fixture.warehouse, ...tables);
  });
  afterEach(() => fixture.close());

  const execute = async (unit: UnitJob): Promise<UnitOutcome> => {
    const executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: unit.run });
    const outcome = await executor.execute(unit, neverAborted);
    await executor.close();
    return outcome;
  };
  const name = (task: string, day: number) => `shop.${task}@2026-11-0${day}T00:00:00Z`;
  const slice = { ...(job().slices[0] as UnitJob['slices'][number]), mode: 'full_replace' as const };
  const fill = (run: string, day: number): UnitJob =>
    job({
      run,
      task: 'shop.stage',
      unit: name('stage', day),
      statements: ['truncate stage', `insert into stage values ('2026-11-0${day}')`],
      slices: [{ ...slice, table: 'stage', column: undefined, from: undefined, to: undefined }],
    });
  const read = (run: string, day: number, parts: Partial<UnitJob> = {}): UnitJob => ({
    ...job({
      run,
      task: 'shop.target',
      unit: name('target', day),
      statements: [
        `delete from target where day = '2026-11-0${day}'`,
        `insert into target select '2026-11-0${day}', day from stage`,
      ],
      slices: [{ ...slice, table: 'target', from: `2026-11-0${day}T00:00:00Z`, to: `2026-11-0${day + 1}T00:00:00Z` }],
      inputs: [{ table: 'stage', column: undefined, from: undefined, to: undefined }],
      filledBy: [name('stage', day)],
    }),
    ...parts,
  });
  const held = () => scalar(fixture.warehouse, 'select held::text from target');

  test('is read for the interval that it was filled for, by whichever run', async () => {
    await execute(fill('a', 1));
    expect(await execute(read('a', 1))).toMatchObject({ state: 'changed' });
    await execute(fill('b', 1));
    expect(await execute(read('c', 1))).toMatchObject({ state: 'unchanged' });
    expect(await held()).toBe('2026-11-01');
  });

  test('is not read after another run has filled it for another interval', async () => {
    await execute(fill('a', 1));
    await execute(fill('b', 2));
    const outcome = await execute(read('a', 1));
    expect(outcome).toMatchObject({
      state: 'failed',
      error: {
        message: expect.stringMatching(
          /\.stage was filled for shop\.stage@2026-11-01\S+, and since then run b has filled/,
        ),
        remedy: expect.stringContaining('Run the selection again'),
        retryable: false,
      },
    });
    expect(await held()).toBeUndefined();
    expect(await scalar(fixture.warehouse, 'select count(*) from backfill_ledger.claims')).toBe('0');
    // Filled again, it is as it should be.
    await execute(fill('c', 1));
    expect(await execute(read('c', 1))).toMatchObject({ state: 'changed' });
    expect(await held()).toBe('2026-11-01');
  });

  test.runIf(engine === 'postgres')('nor while the task is at work', async () => {
    await execute(fill('a', 1));
    const other = await fixture.warehouse.connect('unit');
    await other.query('select pg_advisory_lock(525252)');
    const gated = read('a', 1);
    const statements = [{ text: 'select pg_advisory_xact_lock(525252)', at: undefined }, ...gated.statements];
    const reading = execute({ ...gated, statements });
    const waits = `select count(*) from pg_locks where locktype = 'advisory' and objid = 525252 and not granted`;
    while ((await scalar(fixture.warehouse, waits)) === '0') await realClock.sleep(20);
    await execute(fill('b', 2));
    await other.query('select pg_advisory_unlock(525252)');
    await other.close();
    expect(await reading).toMatchObject({ state: 'failed' });
    expect(await held()).toBeUndefined();
  });
});
