import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { proveUnit } from '../../src/core/run/relational/prove/prove.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { JobSlice } from '../../src/core/run/unit/unit-job.ts';
import { type Fixture, job, neverAborted, openFixture, realClock, scalar, sql } from '../support/warehouse-fixture.ts';

const slice = job().slices[0] as JobSlice;
const logged: JobSlice = {
  ...slice,
  table: 'logged',
  column: undefined,
  mode: 'append',
  shared: 'others write it too',
};
const statements = [
  'create table if not exists extra (n int)',
  "delete from target where day = '2026-11-01'",
  "insert into target (id, day, n) select id, day, n from source where day = '2026-11-01'",
];

describe('a log of definitions that an event trigger writes and that is declared', () => {
  let fixture: Fixture;
  let runs = 0;
  const env = { clock: realClock, owner: 'tester' };
  const again = (text = statements) =>
    job({
      run: `run-${++runs}`,
      statements: text,
      slices: [{ ...slice, table: 'target' }, logged],
      options: { compare: 'rows', holdShrinkPercent: undefined },
    });
  const run = () => relationalExecutor(fixture.warehouse, env).execute(again(), neverAborted);

  beforeAll(async () => {
    fixture = await openFixture('postgres');
  });
  afterAll(async () => {
    await sql(fixture.warehouse, 'drop event trigger if exists logging');
    await fixture.close();
  });
  beforeEach(() =>
    sql(
      fixture.warehouse,
      'drop event trigger if exists logging',
      'drop table if exists target, source, extra, logged cascade',
      'create table source (id int, day date, n int)',
      'create table target (id int, day date, n int)',
      'create table logged (id serial, tag text, object text)',
      "insert into source select i, '2026-11-01', i from generate_series(1, 6) i",
      `create or replace function logging() returns event_trigger language plpgsql as $$ begin
         insert into logged (tag, object) select command_tag, object_identity from pg_event_trigger_ddl_commands(); end $$`,
      'create event trigger logging on ddl_command_end execute function logging()',
    ),
  );

  test('takes no rows of the task that are about tables of the run itself', async () => {
    const first = await run();
    expect(first).toMatchObject({
      state: 'changed',
      slices: [{ added: 6 }, { added: 1, removed: 0 }],
      notes: expect.arrayContaining([expect.stringContaining('temporary tables that a run makes for itself')]),
    });
    const rows = await scalar(fixture.warehouse, 'select count(*) from logged');
    const second = await run();
    expect(second).toMatchObject({ state: 'unchanged', slices: [{ added: 0 }, { added: 0 }] });
    expect(await scalar(fixture.warehouse, 'select count(*) from logged')).toBe(rows);
  });

  test('is no difference between two runs of a proof', async () => {
    await run();
    const proof = await proveUnit(fixture.warehouse, env, again(), { signal: neverAborted, timeBoxMs: 60_000 });
    expect(proof.verdict).toEqual({ kind: 'no-difference' });
  });

  test('is a difference where the task defines something each time', async () => {
    const text = [...statements, 'drop table if exists extra', 'create table extra (n int)'];
    const proof = await proveUnit(fixture.warehouse, env, again(text), { signal: neverAborted, timeBoxMs: 60_000 });
    expect(proof.verdict).toMatchObject({ kind: 'different', slices: [{ table: expect.stringContaining('logged') }] });
  });
});
