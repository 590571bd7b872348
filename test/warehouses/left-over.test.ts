import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { previewRun } from '../../src/core/run/relational/preview/preview.ts';
import { proveUnit } from '../../src/core/run/relational/prove/prove.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import type { JobSlice } from '../../src/core/run/unit/unit-job.ts';
import {
  engines,
  type Fixture,
  job,
  neverAborted,
  openFixture,
  realClock,
  scalar,
  sql,
} from '../support/warehouse-fixture.ts';

const source = "select id, day, n from source where day = '2026-11-01'";
const upsert = `insert into target (id, day, n) ${source} on conflict (id) do update set n = excluded.n`;
const nothing = `insert into target (id, day, n) ${source} on conflict (id) do nothing`;
const absent = `insert into target (id, day, n) ${source} and not exists (select from target t where t.id = source.id)`;
const merge =
  `merge into target t using (${source}) s on t.id = s.id when matched then update set n = s.n ` +
  'when not matched then insert (id, day, n) values (s.id, s.day, s.n)';

describe.each(engines)('rows that earlier runs left, on %s', (engine) => {
  let fixture: Fixture;
  let executor: UnitExecutor;
  let runs = 0;
  const env = { clock: realClock, owner: 'tester' };
  const jobOf = (statements: readonly string[], slice: Partial<JobSlice> = {}, parts: Parameters<typeof job>[0] = {}) =>
    job({
      run: `run-${++runs}`,
      statements,
      slices: [{ ...(job().slices[0] as JobSlice), table: 'target', mode: 'merge', ...slice }],
      ...parts,
      options: { holdShrinkPercent: 50, ...parts.options },
    });
  const run = (...given: Parameters<typeof jobOf>) => executor.execute(jobOf(...given), neverAborted);
  const prove = (...given: Parameters<typeof jobOf>) =>
    proveUnit(fixture.warehouse, env, jobOf(...given), { signal: neverAborted, timeBoxMs: 60_000 });
  const database = (...statements: readonly string[]) => sql(fixture.warehouse, ...statements);
  const rows = () => scalar(fixture.warehouse, "select string_agg(t::text, ' ' order by id) from target t");
  const onPg15 = async () => Number(await scalar(fixture.warehouse, 'show server_version_num')) >= 150_000;

  beforeAll(async () => {
    fixture = await openFixture(engine);
    executor = relationalExecutor(fixture.warehouse, env);
  });
  afterAll(() => fixture.close());
  beforeEach(() =>
    database(
      'drop table if exists target, source, child, audit cascade',
      'create table source (id int primary key, day date, n int)',
      'create table target (id int primary key, day date, n int)',
      "insert into source select i, '2026-11-01', i * 10 from generate_series(1, 6) i",
      "insert into target values (90, '2026-10-31', 1), (91, '2026-11-02', 1)",
    ),
  );

  const ways: readonly [string, readonly string[]][] = [
    ['an upsert', [upsert]],
    ['an upsert that writes what differs', [`${upsert} where target.n is distinct from excluded.n`]],
    ['an upsert that changes nothing', [nothing]],
    ['an insert of absent rows', [absent]],
    ['a merge', [merge]],
    ['a merge that only inserts', [merge.replace('when matched then update set n = s.n', '')]],
    [
      'a delete by key',
      [`delete from target using (${source}) s where target.id = s.id`, `insert into target ${source}`],
    ],
    ['an update and an insert', [`update target set n = s.n from (${source}) s where target.id = s.id`, absent]],
    ['a stage', [`create temp table stage as ${source}`, upsert.replace(source, 'select * from stage where true')]],
  ];

  test.each(ways)(
    '%s: told by count and sample, kept, found by a proof, and deleted where that is declared',
    async (_, statements) => {
      if (statements.some((text) => text.startsWith('merge')) && !(await onPg15())) return;
      expect(await run(statements)).toMatchObject({ state: 'changed', slices: [{ added: 6, leftOver: undefined }] });
      expect(await run(statements)).toMatchObject({ state: 'unchanged', slices: [{ leftOver: undefined }] });
      expect(await prove(statements)).toMatchObject({ verdict: { kind: 'no-difference' }, notEmptied: [] });
      await database('delete from source where id = 2');
      const before = await rows();
      const told = { rows: 1, stale: 0, samples: [{ id: '2', day: '2026-11-01', n: '20' }], deleted: false };
      expect(await run(statements)).toMatchObject({ state: 'unchanged', slices: [{ leftOver: told }] });
      expect(await run(statements, { orphans: 'keep' })).toMatchObject({
        state: 'unchanged',
        slices: [{ leftOver: told }],
      });
      expect(await rows()).toBe(before);
      expect(await prove(statements)).toMatchObject({
        verdict: { kind: 'not-clean', slices: [{ added: 0, removed: 1, changed: 0, samples: [{ kind: 'removed' }] }] },
      });
      const [previewed] = await previewRun(fixture.warehouse, env, [jobOf(statements, { orphans: 'delete' })], {
        signal: neverAborted,
        timeBoxMs: 60_000,
      });
      expect(previewed).toMatchObject({
        state: 'previewed',
        changed: true,
        slices: [{ removed: 1, leftOver: { deleted: true } }],
      });
      expect(await rows()).toBe(before);
      const id = `run-${runs + 1}`;
      expect(await run(statements, { orphans: 'delete' })).toMatchObject({
        state: 'changed',
        slices: [{ added: 0, removed: 1, changed: 0, leftOver: { rows: 1, deleted: true } }],
      });
      expect(await rows()).toBe(
        '(1,2026-11-01,10) (3,2026-11-01,30) (4,2026-11-01,40) (5,2026-11-01,50) (6,2026-11-01,60) (90,2026-10-31,1) (91,2026-11-02,1)',
      );
      expect(await run(statements, { orphans: 'delete' })).toMatchObject({
        state: 'unchanged',
        slices: [{ leftOver: undefined }],
      });
      expect(await prove(statements)).toMatchObject({ verdict: { kind: 'no-difference' } });
      const restores = { run: id, unit: job().unit };
      const undone = await run([], {}, { restores, options: { holdShrinkPercent: undefined } });
      expect(undone).toMatchObject({ state: 'changed' });
      expect(await rows()).toBe(before);
    },
  );

  test.each([nothing, absent])(
    'rows that the source has with other values are told, and not deleted: %s',
    async (statement) => {
      await run([statement]);
      await database('update source set n = 77 where id in (2, 3)');
      expect(await run([statement], { orphans: 'delete' })).toMatchObject({
        state: 'unchanged',
        slices: [{ leftOver: { rows: 0, stale: 2, deleted: false } }],
      });
      expect(await prove([statement])).toMatchObject({
        verdict: {
          kind: 'not-clean',
          slices: [{ added: 0, removed: 0, changed: 2, columns: [{ column: 'n', rows: 2 }] }],
        },
      });
    },
  );

  test('rows of tables that inherit are nobody’s left-overs, and stay', async () => {
    await database('create table child () inherits (target)', "insert into child values (99, '2026-11-01', 1)");
    const outcome = await run(["delete from only target where day = '2026-11-01'", `insert into target ${source}`], {
      orphans: 'delete',
    });
    expect(outcome).toMatchObject({
      state: 'changed',
      notes: expect.arrayContaining([expect.stringMatching(/was not done: other tables inherit from public\.target/)]),
    });
    expect('slices' in outcome ? outcome.slices[0]?.leftOver : 'none').toBeUndefined();
    expect(await scalar(fixture.warehouse, 'select count(*) from child')).toBe('1');
  });

  test('rows of an older shape are told: a column that came later', async () => {
    await run([nothing]);
    await database('alter table target add column twice int', 'delete from target where id > 4');
    const shaped = `insert into target (id, day, n, twice) select id, day, n, 2 * n from (${source}) s on conflict (id) do nothing`;
    expect(await run([shaped])).toMatchObject({ state: 'changed', slices: [{ leftOver: { rows: 0, stale: 4 } }] });
  });

  test('load times of kept rows are no other values', async () => {
    await database('alter table target add column loaded_at timestamptz');
    const loads = `insert into target (id, day, n, loaded_at) select id, day, n, now() from (${source}) s on conflict (id) do nothing`;
    await run([loads]);
    expect(await run([loads])).toMatchObject({ state: 'unchanged', slices: [{ leftOver: undefined }] });
  });

  test('rows without a key are counted as often as they are too many', async () => {
    await database('alter table target drop constraint target_pkey');
    const some = `insert into target ${source} and not exists (select from target t where t.day = '2026-11-01' and t.id = source.id)`;
    await run([some]);
    await database("insert into target values (1, '2026-11-01', 10)", 'delete from source where id = 2');
    expect(await run([some])).toMatchObject({ slices: [{ leftOver: { rows: 2, deleted: false } }] });
    expect(await run([some], { orphans: 'delete' })).toMatchObject({
      slices: [{ removed: 2, leftOver: { deleted: true } }],
    });
    expect(await scalar(fixture.warehouse, "select count(*) from target where day = '2026-11-01'")).toBe('5');
  });

  test('the guard of shrinking slices holds a deletion', async () => {
    await run([upsert]);
    await database('delete from source where id > 2');
    const before = await rows();
    expect(await run([upsert], { orphans: 'delete' })).toMatchObject({ state: 'held', code: 'shrunk' });
    expect(await rows()).toBe(before);
    const accepted = { options: { holdShrinkPercent: undefined } };
    expect(await run([upsert], { orphans: 'delete' }, accepted)).toMatchObject({
      state: 'changed',
      slices: [{ removed: 4 }],
    });
  });

  test.each<[string, string, RegExp]>([
    ['a cascade', 'create table child (id int references target on delete cascade)', /child/],
    [
      'a trigger',
      `create table audit (id int); create or replace function gone() returns trigger language plpgsql as
       $$ begin insert into audit values (old.id); return old; end $$;
       create trigger gone after delete on target for each row execute function gone()`,
      /audit/,
    ],
  ])('what a deletion does elsewhere is held: %s', async (_, ddl, named) => {
    for (const statement of ddl.split(/;\s*\n?\s*(?=create )/)) await database(statement);
    await run([upsert]);
    if (/child/.test(ddl)) await database('insert into child values (2)');
    await database('delete from source where id = 2');
    const before = await rows();
    expect(await run([upsert], { orphans: 'delete' })).toMatchObject({
      state: 'held',
      code: 'escaped',
      reason: expect.stringMatching(named),
    });
    expect(await rows()).toBe(before);
    expect((await prove([upsert])).notEmptied.join()).toMatch(named);
  });

  test('rows that others refer to cannot be taken away: a proof says so, a run keeps them', async () => {
    await run([upsert]);
    await database(
      'create table child (id int references target)',
      'insert into child values (2)',
      'delete from source where id = 2',
    );
    expect(await run([upsert])).toMatchObject({ state: 'unchanged', slices: [{ leftOver: undefined }], notes: [] });
    expect(await run([upsert], { orphans: 'delete' })).toMatchObject({
      state: 'unchanged',
      notes: [expect.stringMatching(/^orphans: delete of target was not done: .*foreign key/)],
    });
    expect(await prove([upsert])).toMatchObject({
      verdict: { kind: 'no-difference' },
      notEmptied: [expect.stringMatching(/foreign key/)],
    });
  });

  test('rows that are not the unit’s alone are not looked at', async () => {
    await run([upsert]);
    await database('delete from source where id = 2');
    const shared = 'shop.other writes target too';
    expect(await run([upsert], { shared })).toMatchObject({ slices: [{ leftOver: undefined }], notes: [] });
    expect(await run([upsert], { shared, orphans: 'delete' })).toMatchObject({
      state: 'unchanged',
      notes: [`orphans: delete of target was not done: ${shared}`],
    });
    expect(await prove([upsert], { shared })).toMatchObject({
      verdict: { kind: 'no-difference' },
      notEmptied: [`a clean run of target: ${shared}`],
    });
  });

  test('a slice that is deleted and filled again has nothing left over, however it is compared', async () => {
    const statements = ["delete from target where day = '2026-11-01'", `insert into target ${source}`];
    await run(statements);
    await database('delete from source where id = 2', 'update source set n = 0 where id = 3');
    for (const compare of ['rows', 'checksums', 'none'] as const) {
      expect(await run(statements, {}, { options: { compare } })).toMatchObject({ slices: [{ leftOver: undefined }] });
    }
    await database('delete from source where id = 4');
    for (const compare of ['checksums', 'none'] as const) {
      expect(await run([upsert], {}, { options: { compare } })).toMatchObject({ slices: [{ leftOver: { rows: 1 } }] });
    }
  });

  describe('what two runs from nothing fill differently says nothing of earlier runs', () => {
    const keyed = (id: string) => [
      'drop table target',
      `create table target (id ${id}, src int not null unique, day date, n int)`,
    ];
    const fills = (columns: string, values: string, action: string) =>
      `insert into target (${columns}src, day, n) select ${values}id, day, n from (${source}) s on conflict (src) do ${action}`;
    test.each<[string, readonly string[], string]>([
      ['a random key by default', keyed('uuid default gen_random_uuid() primary key'), fills('', '', 'nothing')],
      ['a random key', keyed('uuid primary key'), fills('id, ', 'gen_random_uuid(), ', 'nothing')],
      ['a serial key', keyed('serial primary key'), fills('', '', 'nothing')],
      ['an identity', keyed('int generated always as identity primary key'), fills('', '', 'nothing')],
      [
        'a key from a sequence',
        [...keyed('int primary key'), 'drop sequence if exists ids', 'create sequence ids'],
        fills('id, ', "nextval('ids'), ", 'nothing'),
      ],
      [
        'a day that is loaded, as text',
        keyed('text'),
        fills('id, ', "to_char(now(), 'YYYY-MM-DD HH24:MI:SS.US'), ", 'nothing'),
      ],
      [
        'a time that a trigger sets',
        [
          ...keyed('timestamptz'),
          'create or replace function stamp() returns trigger language plpgsql as $$ begin new.id = clock_timestamp(); return new; end $$',
          'create trigger stamp before insert on target for each row execute function stamp()',
        ],
        fills('', '', 'nothing'),
      ],
    ])('%s', async (_, ddl, statement) => {
      await database('select 1', ...ddl);
      await run([statement]);
      expect(await run([statement])).toMatchObject({ state: 'unchanged', slices: [{ leftOver: undefined }] });
      expect(await run([statement], { orphans: 'delete' })).toMatchObject({ state: 'unchanged', notes: [] });
      expect(await prove([statement])).toMatchObject({ verdict: { kind: 'no-difference' } });
      await database('delete from source where id = 2');
      const told = await run([statement]);
      expect(told).toMatchObject({ state: 'unchanged', slices: [{ leftOver: { rows: 1, samples: [{ src: '2' }] } }] });
      expect(await prove([statement])).toMatchObject({
        verdict: { kind: 'not-clean', slices: [{ removed: 1, added: 0 }] },
      });
      expect(await run([statement], { orphans: 'delete' })).toMatchObject({
        state: 'changed',
        slices: [{ removed: 1, leftOver: { rows: 1, deleted: true } }],
      });
      expect(await scalar(fixture.warehouse, "select string_agg(src::text, ' ' order by src) from target")).toBe(
        '1 3 4 5 6',
      );
    });

    test('where no column is the same twice, nothing is told and nothing deleted', async () => {
      await database('drop table target', 'create table target (id uuid primary key, n float8)');
      const some = 'insert into target select gen_random_uuid(), random() from source on conflict do nothing';
      const whole = { column: undefined, from: undefined, to: undefined, key: [] };
      // It is held otherwise, because each run adds its rows.
      const unheld = { options: { holdShrinkPercent: undefined } };
      await run([some], whole, unheld);
      expect(await run([some], { ...whole, orphans: 'delete' }, unheld)).toMatchObject({
        slices: [{ leftOver: undefined }],
        notes: expect.arrayContaining([
          expect.stringMatching(/^orphans: delete of target was not done: no column of .*target/),
        ]),
      });
      expect(await scalar(fixture.warehouse, 'select count(*) from target')).toBe('12');
    });
  });
});
