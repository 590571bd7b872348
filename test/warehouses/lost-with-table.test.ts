import { beforeEach, describe, expect, test } from 'vitest';
import { previewRun } from '../../src/core/run/relational/preview/preview.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { JobSlice } from '../../src/core/run/unit/unit-job.ts';
import { engines, job, neverAborted, realClock, scalar, sql, useFixture } from '../support/warehouse-fixture.ts';

const env = { clock: realClock, owner: 'tester' };

describe.each(engines)('what goes with a table that is made anew, on %s', (engine) => {
  const fixture = useFixture(engine);
  let runs = 0;
  const whole = { column: undefined, from: undefined, to: undefined, predicate: undefined, key: [] };
  const jobOf = (statements: readonly string[]) =>
    job({
      run: `run-${++runs}`,
      statements,
      slices: [{ ...(job().slices[0] as JobSlice), ...whole, table: 'mart.My T', mode: 'full_replace' }],
      options: { holdShrinkPercent: undefined },
    });
  const lost =
    /takes away with it the right SELECT on mart\.My T of reader_\w+, NOT NULL of mart\.My T\.id, the unique index btree \(id\) on mart\.My T, the view mart\.seen, the view mart\.twice: make it again/;

  beforeEach(() =>
    sql(
      fixture.warehouse,
      'drop schema if exists mart cascade',
      `drop role if exists reader_${engine}`,
      `create role reader_${engine}`,
      'create schema mart',
      'create table mart."My T" (id int primary key, n int)',
      'insert into mart."My T" values (1, 1)',
      'create table mart.kids (id int, constraint refers foreign key (id) references mart."My T")',
      'create view mart.seen as select id from mart."My T"',
      'create view mart.twice as select id from mart.seen',
      `grant select on mart."My T" to reader_${engine}`,
    ),
  );

  const swap = [
    'create table mart.fresh as select id, n + 1 as n from mart."My T"',
    'drop table mart."My T" cascade',
    'alter table mart.fresh rename to "My T"',
  ];

  test('a preview and a run say it', async () => {
    // Of a table that loses its reference the unit is held.
    await sql(fixture.warehouse, 'alter table mart.kids drop constraint refers');
    const [previewed] = await previewRun(fixture.warehouse, env, [jobOf(swap)], {
      signal: neverAborted,
      timeBoxMs: 60_000,
    });
    expect(previewed).toMatchObject({
      state: 'previewed',
      notes: expect.arrayContaining([expect.stringMatching(lost)]),
    });
    expect(await scalar(fixture.warehouse, "select to_regclass('mart.twice') is not null")).toBe('t');
    const executor = relationalExecutor(fixture.warehouse, env);
    expect(await executor.execute(jobOf(swap), neverAborted)).toMatchObject({
      state: 'changed',
      notes: expect.arrayContaining([expect.stringMatching(lost)]),
    });
    expect(await scalar(fixture.warehouse, "select to_regclass('mart.twice') is null")).toBe('t');
  });

  test('what the task makes again is not lost', async () => {
    const again = [
      ...swap,
      'alter table mart."My T" add primary key (id)',
      'alter table mart.kids add constraint refers foreign key (id) references mart."My T"',
      'create view mart.seen as select id from mart."My T"',
      'create view mart.twice as select id from mart.seen',
      `grant select on mart."My T" to reader_${engine}`,
    ];
    const outcome = await relationalExecutor(fixture.warehouse, env).execute(jobOf(again), neverAborted);
    expect(JSON.stringify(outcome)).not.toMatch(/takes away with it/);
    expect(outcome).toMatchObject({ state: 'changed' });
  });

  test('indexes and triggers are said unless they are made again', async () => {
    await sql(
      fixture.warehouse,
      'alter table mart.kids drop constraint refers',
      `revoke all on mart."My T" from reader_${engine}`,
      'drop view mart.seen cascade',
      'create index n_of on mart."My T" (n) where n > 0',
      "create function mart.keep() returns trigger language plpgsql as 'begin return new; end'",
      'create trigger keep before insert on mart."My T" for each row execute function mart.keep()',
    );
    const executor = relationalExecutor(fixture.warehouse, env);
    const made = [
      'alter table mart."My T" add primary key (id)',
      'create index other_name on mart."My T" (n) where n > 0',
    ];
    const outcome = await executor.execute(jobOf([...swap, ...made]), neverAborted);
    expect(outcome).toMatchObject({
      state: 'changed',
      notes: expect.arrayContaining([
        expect.stringMatching(/takes away with it the trigger keep on mart\.My T: make it again/),
      ]),
    });
    expect(await executor.execute(jobOf(swap), neverAborted)).toMatchObject({
      notes: expect.arrayContaining([
        expect.stringMatching(
          /takes away with it NOT NULL of mart\.My T\.id, the index btree \(n\) WHERE \(n > 0\) on mart\.My T, the unique index btree \(id\) on mart\.My T: make it again/,
        ),
      ]),
    });
  });

  test.each([
    [
      'its row level security',
      'alter table mart."My T" enable row level security',
      'its row level security (ENABLE) on mart.My T',
    ],
    ['a policy', 'create policy seen_by on mart."My T" using (n > 0)', 'the policy seen_by on mart.My T'],
    ['its owner', `alter table mart."My T" owner to reader_${engine}`, `the owner reader_${engine} of mart.My T`],
    [
      'a right on a column',
      `grant update (n) on mart."My T" to reader_${engine}`,
      `the right UPDATE on mart.My T.n of reader_${engine}`,
    ],
    [
      'a check',
      'alter table mart."My T" add constraint c check (n > 0)',
      'the constraint CHECK ((n > 0)) on mart.My T',
    ],
    ['a default', 'alter table mart."My T" alter column n set default 7', 'the default of mart.My T.n'],
    ['a comment', `comment on column mart."My T".n is 'a number'`, 'the comment on mart.My T.n'],
    ['an option', 'alter table mart."My T" set (fillfactor = 50)', 'the options (fillfactor=50) of mart.My T'],
    [
      'its place in a publication',
      'create publication told for table mart."My T"',
      'its place in the publication told (mart.My T)',
    ],
    ['statistics', 'create statistics mart.both on id, n from mart."My T"', 'the statistics both on mart.My T'],
  ])('of what goes, nothing is left out: %s', async (_, before, said) => {
    await sql(
      fixture.warehouse,
      'drop publication if exists told',
      'alter table mart.kids drop constraint refers',
      before,
    );
    const outcome = await relationalExecutor(fixture.warehouse, env).execute(jobOf(swap), neverAborted);
    expect(outcome).toMatchObject({ state: 'changed' });
    expect('notes' in outcome ? outcome.notes.join('\n') : '').toContain(said);
  });
});
