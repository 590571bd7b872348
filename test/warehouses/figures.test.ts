import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareRows } from '../../src/core/diff/compare-rows.ts';
import type { SliceRelation } from '../../src/core/diff/slice-relation.ts';
import { comparedColumns, type TakenFigures, takeFigures, takeMovedFigures } from '../../src/core/diff/take-figures.ts';
import { relationOf } from '../../src/core/run/tables/target.ts';
import { describeTables } from '../../src/core/warehouse/catalog/describe-tables.ts';
import { versionHash } from '../../src/core/warehouse/dialects/postgres/slice/figures-sql.ts';
import type { Session } from '../../src/core/warehouse/port/ports.ts';
import { lawRuns } from '../support/laws.ts';
import { type Engine, engines, type Fixture, job, openFixture } from '../support/warehouse-fixture.ts';

const fixtures = new Map<Engine, Fixture>();
const sessions = new Map<Engine, Session>();

beforeAll(async () => {
  for (const engine of engines) {
    const fixture = await openFixture(engine);
    fixtures.set(engine, fixture);
    const session = await fixture.warehouse.connect('unit');
    sessions.set(engine, session);
    await session.query("create type mood as enum ('sad', 'ok', 'happy')");
    await session.query('create domain amount as numeric(12, 2) check (value > -1000000)');
    await session.query('create domain moods as mood[]');
    await session.query('create type point3 as (x int, y mood, z amount)');
  }
});
afterAll(async () => {
  for (const fixture of fixtures.values()) await fixture.close();
});

/** What the first list has more of than the second, each copy, sorted. */
function surplus(these: readonly string[], those: readonly string[]): readonly string[] {
  const left = [...those];
  return these
    .filter((one) => {
      const at = left.indexOf(one);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    })
    .sort();
}

const on = (engine: Engine) => sessions.get(engine) as Session;

async function relation(
  engine: Engine,
  table: string,
  parts: { key?: readonly string[]; volatile?: readonly string[] } = {},
): Promise<SliceRelation> {
  const [description] = await describeTables(on(engine), [table], new Map());
  const slice = {
    ...(job().slices[0] as ReturnType<typeof job>['slices'][number]),
    table,
    column: undefined,
    key: parts.key ?? [],
    volatile: parts.volatile ?? [],
  };
  if (description === undefined) throw new Error('no table');
  return relationOf(slice, description, (fixtures.get(engine) as Fixture).warehouse.description);
}

async function figures(
  engine: Engine,
  table: string,
  parts: Parameters<typeof relation>[2] = {},
): Promise<TakenFigures> {
  return takeFigures(on(engine), await relation(engine, table, parts), {
    sql: table,
    predicate: undefined,
    ownAge: undefined,
  });
}

/** The row checksum of some rows in a fresh table of these columns. */
async function checksum(engine: Engine, columns: string, values: string): Promise<string> {
  const session = on(engine);
  await session.query('drop table if exists probe');
  await session.query(`create table probe (${columns})`);
  if (values !== '') await session.query(`insert into probe values ${values}`);
  return (await figures(engine, 'probe')).figures.rowChecksum;
}

describe.each(engines)('the row checksum on %s', (engine) => {
  test.each([
    ['values swapped between rows', 'k int, v int', '(1, 10), (2, 20)', '(1, 20), (2, 10)'],
    ['values swapped between columns', 'a int, b int', '(1, 2)', '(2, 1)'],
    ['signs', 'v numeric', '(5)', '(-5)'],
    ['signs of bigint', 'v bigint', '(-1)', '(4294967295)'],
    ['signs inside jsonb', 'v jsonb', `('5')`, `('-5')`],
    ['NULL and 0', 'v int', '(null)', '(0)'],
    ['NULL and the empty text', 'v text', '(null)', `('')`],
    ['NULL in one of two columns', 'a int, b int', '(null, 1)', '(1, null)'],
    ['equal duplicates', 'v text', `('a'), ('b'), ('c'), ('c')`, `('a'), ('b'), ('z'), ('z')`],
    ['one row more of the same', 'v int', '(1)', '(1), (1), (1)'],
    ['enum labels', 'v mood', `('sad')`, `('ok')`],
    ['enum arrays', 'v mood[]', `('{sad,ok}')`, `('{ok,sad}')`],
    ['domains over arrays of enums', 'v moods', `('{sad}')`, `('{ok}')`],
    ['json text', 'v json', `('{"a":1}')`, `('{"a": 1}')`],
    ['the scale of numeric', 'v numeric', '(1.0)', '(1.00)'],
    ['zeros of floats', 'v float8', `('0')`, `('-0')`],
    ['NaN and NULL', 'v float8', `('NaN')`, '(null)'],
    ['bytes', 'v bytea', `('\\x00ff')`, `('\\xff00')`],
    ['bytes and their text', 'v bytea', `('\\x')`, '(null)'],
    ['arrays of other shape', 'v int[]', `('{1,2}')`, `('{{1,2}}')`],
    ['arrays with other bounds', 'v int[]', `('{1,2}')`, `('[0:1]={1,2}')`],
    [
      'all rows shifted alike',
      'k int, at timestamp',
      "(1, '2026-01-01 00:00'), (2, '2026-01-01 01:00'), (3, '2026-01-01 02:00'), (4, '2026-01-01 03:00'), (5, '2026-01-01 04:00'), (6, '2026-01-01 05:00')",
      "(1, '2026-01-01 07:00'), (2, '2026-01-01 08:00'), (3, '2026-01-01 09:00'), (4, '2026-01-01 10:00'), (5, '2026-01-01 11:00'), (6, '2026-01-01 12:00')",
    ],
    ['fields of composites', 'v point3', `(row(1, 'sad', 2))`, `(row(1, 'ok', 2))`],
    ['a composite that is NULL and one of NULLs', 'v point3', '(null)', '(row(null, null, null))'],
    ['intervals of other units', 'v interval', `('24 hours')`, `('1 day')`],
    ['trailing blanks', 'v text', `('a')`, `('a ')`],
    ['money', 'v money', `('1')`, `('2')`],
    ['ranges', 'v int4range', `('[1,3)')`, `('[1,4)')`],
    ['access lists, which have no binary form', 'v aclitem', `('postgres=r/postgres')`, `('postgres=w/postgres')`],
  ])('tells %s apart', async (_what, columns, one, other) => {
    expect(await checksum(engine, columns, one)).not.toBe(await checksum(engine, columns, other));
  });

  test('does not see the order of rows, and is the same again', async () => {
    const rows = ['(1, 10)', '(2, 20)', '(3, null)'];
    const forwards = await checksum(engine, 'a int, b int', rows.join());
    expect(await checksum(engine, 'a int, b int', rows.reverse().join())).toBe(forwards);
  });

  test('is zero for no rows, and not for rows of NULLs', async () => {
    expect(await checksum(engine, 'a int', '')).toBe('0'.repeat(48));
    expect(await checksum(engine, 'a int', '(null)')).not.toBe('0'.repeat(48));
  });

  test('is the same under any session settings, and changes none', async () => {
    const session = on(engine);
    const columns =
      'a timestamptz, b date, c interval, d float8, e bytea, f aclitem, g timestamptz[], h point3, i mood';
    const rows = `('2026-11-01 01:30+00', '2026-11-01', '1 day 02:03', 0.1, '\\x01', 'postgres=r/postgres', '{2026-11-01 01:30+00}', row(1, 'ok', 2.5), 'happy')`;
    const plain = await checksum(engine, columns, rows);
    for (const zone of ['UTC', 'America/New_York', 'Asia/Kathmandu']) {
      await session.query(`set timezone = '${zone}'`);
      await session.query('set datestyle = german');
      await session.query('set intervalstyle = iso_8601');
      await session.query('set extra_float_digits = -3');
      await session.query('set bytea_output = escape');
      expect((await figures(engine, 'probe')).figures.rowChecksum).toBe(plain);
    }
    await session.query('reset all');
  });

  test('leaves volatile columns out', async () => {
    const session = on(engine);
    await session.query('drop table if exists loads');
    await session.query('create table loads (id int primary key, loaded timestamptz)');
    await session.query("insert into loads values (1, '2026-01-01')");
    const before = await figures(engine, 'loads', { volatile: ['loaded'] });
    await session.query("update loads set loaded = '2026-01-02'");
    expect(await figures(engine, 'loads', { volatile: ['loaded'] })).toEqual(before);
    expect((await figures(engine, 'loads')).figures.rowChecksum).not.toBe(before.figures.rowChecksum);
  });

  test('takes 200 columns', async () => {
    const columns = Array.from({ length: 200 }, (_, index) => `c${index} int`).join();
    const row = (last: number) =>
      `(${Array.from({ length: 200 }, (_, index) => (index === 199 ? last : index)).join()})`;
    expect(await checksum(engine, columns, row(1))).not.toBe(await checksum(engine, columns, row(2)));
  });

  test('takes columns with any name', async () => {
    const columns =
      '"b" int, "k" text, "f" int, "backfill side" int, "kind" int, "a""b%" int, "select" int, "Über 🙂" int';
    expect(await checksum(engine, columns, `(1, 'a', 2, 3, 4, 5, 6, 7)`)).not.toBe(
      await checksum(engine, columns, `(1, 'a', 2, 3, 4, 5, 6, 8)`),
    );
  });
});

test.each(engines)('the way of servers before 14 tells the same apart on %s', async (engine) => {
  const session = on(engine);
  await session.query('drop table if exists live, old');
  await session.query('create table live (k int, v numeric)');
  await session.query('create table old (like live)');
  await session.query('insert into old values (1, 10), (2, 20), (3, -5), (3, -5)');
  await session.query('insert into live values (1, 20), (2, 10), (3, 5), (3, 5)');
  const md5 = { ...(await relation(engine, 'live', { key: ['k'] })), hash: 'md5' as const };
  const of = (sql: string) => takeFigures(session, md5, { sql, predicate: undefined, ownAge: undefined });
  const [before, after] = [await of('old'), await of('live')];
  expect(after.figures.rowChecksum).not.toBe(before.figures.rowChecksum);
  expect(after.figures.keyChecksum).toBe(before.figures.keyChecksum);
  expect(after.figures.algorithm).toContain('md5');
  const sides = { old: 'old', live: 'live', predicate: undefined };
  expect(await compareRows(session, md5, sides, { keyUsable: false, samples: 5 })).toMatchObject({
    added: 4,
    removed: 4,
  });
});

test('figures are the same on both engines', async () => {
  const columns = 'a int, b numeric, c text, d timestamptz, e mood, f point3, g jsonb, h float8[], i uuid';
  const rows = `(1, 1.50, 'ä🙂', '2026-11-01 01:30+00', 'sad', row(1, 'ok', 2), '{"a": [1, null]}', '{1.5,NaN}', '00000000-0000-0000-0000-000000000001')`;
  expect(await checksum('pglite', columns, rows)).toBe(await checksum('postgres', columns, rows));
});

describe.each(engines)('keys on %s', (engine) => {
  test('the key checksum sees the key only; duplicates are counted even where nothing changed', async () => {
    const session = on(engine);
    await session.query('drop table if exists keyed');
    await session.query('create table keyed (a int, b int, v int)');
    await session.query('insert into keyed values (1, 1, 1), (1, 1, 2), (1, 1, 3), (2, 2, 4)');
    const before = await figures(engine, 'keyed', { key: ['a', 'b'] });
    expect(before).toMatchObject({ keyUsable: false, figures: { duplicateKeys: 2, rows: 4 } });
    await session.query('update keyed set v = v + 1');
    const after = await figures(engine, 'keyed', { key: ['a', 'b'] });
    expect(after.figures.keyChecksum).toBe(before.figures.keyChecksum);
    expect(after.figures.rowChecksum).not.toBe(before.figures.rowChecksum);
  });

  test('a NULL in the key makes it unusable', async () => {
    const session = on(engine);
    await session.query('drop table if exists keyed');
    await session.query('create table keyed (a int unique, v int)');
    await session.query('insert into keyed values (1, 1), (null, 2)');
    expect(await relation(engine, 'keyed')).toMatchObject({ key: [] });
    expect(await figures(engine, 'keyed', { key: ['a'] })).toMatchObject({ keyUsable: false });
  });
});

describe.each(engines)('the row diff on %s', (engine) => {
  async function diff(
    columns: string,
    old: string,
    live: string,
    options: {
      key?: readonly string[];
      keyUsable?: boolean;
      samples?: number;
      volatile?: readonly string[];
      floatTolerance?: number;
    } = {},
  ) {
    const session = on(engine);
    await session.query('drop table if exists live, old');
    await session.query(`create table live (${columns})`);
    await session.query('create table old (like live)');
    if (old !== '') await session.query(`insert into old ${old}`);
    if (live !== '') await session.query(`insert into live ${live}`);
    const compared = {
      ...(await relation(engine, 'live', { key: options.key ?? ['id'], volatile: options.volatile ?? [] })),
      floatTolerance: options.floatTolerance,
    };
    expect(comparedColumns(compared).length).toBeGreaterThan(0);
    return compareRows(
      session,
      compared,
      { old: 'old', live: 'live', predicate: undefined },
      { keyUsable: options.keyUsable ?? true, samples: options.samples ?? 20 },
    );
  }

  test('counts added, removed and changed rows, and changes per column', async () => {
    const result = await diff(
      'id int, v numeric, w text',
      "values (1, 1.0, 'a'), (2, 2, 'b'), (3, 3, null), (4, 4, 'd')",
      "values (1, 1.00, 'a'), (3, 3, null), (4, 5, 'e'), (5, 5, 'f')",
    );
    expect(result).toMatchObject({
      added: 1,
      removed: 1,
      changed: 2,
      columns: [
        { column: 'v', rows: 2 },
        { column: 'w', rows: 1 },
      ],
    });
    expect(result.samples).toEqual([
      { kind: 'added', key: { id: '5' }, before: undefined, after: { id: '5', v: '5', w: 'f' } },
      { kind: 'removed', key: { id: '2' }, before: { id: '2', v: '2', w: 'b' }, after: undefined },
      {
        kind: 'changed',
        key: { id: '1' },
        before: { id: '1', v: '1.0', w: 'a' },
        after: { id: '1', v: '1.00', w: 'a' },
      },
      { kind: 'changed', key: { id: '4' }, before: { id: '4', v: '4', w: 'd' }, after: { id: '4', v: '5', w: 'e' } },
    ]);
  });

  test('six rows shifted by seven hours are six changed rows', async () => {
    const rows = (hours: number) =>
      `select n, timestamp '2026-01-01' + n * interval '1 hour' + interval '${hours} hours' from generate_series(1, 6) n`;
    expect(await diff('id int, at timestamp', rows(0), rows(7))).toMatchObject({ added: 0, removed: 0, changed: 6 });
  });

  test('no more than the asked samples of each kind, at most twenty', async () => {
    const many = 'select n, n from generate_series(1, 100) n';
    const other = 'select n, -n from generate_series(51, 150) n';
    expect((await diff('id int, v int', many, other, { samples: 3 })).samples.map(({ kind }) => kind)).toEqual([
      'added',
      'added',
      'added',
      'removed',
      'removed',
      'removed',
      'changed',
      'changed',
      'changed',
    ]);
    expect((await diff('id int, v int', many, other, { samples: 500 })).samples).toHaveLength(60);
    expect((await diff('id int, v int', many, other, { samples: 0 })).samples).toEqual([]);
  });

  test('keys of several columns and of any type find their samples', async () => {
    const result = await diff(
      `"d'ay" date, who mood, name text, v int`,
      "values ('2026-01-01', 'ok', 'a''b\\c', 1)",
      "values ('2026-01-01', 'ok', 'a''b\\c', 2)",
      { key: ["d'ay", 'who', 'name'] },
    );
    expect(result).toMatchObject({
      changed: 1,
      samples: [{ before: { v: '1' }, after: { v: '2' }, key: { name: "a'b\\c" } }],
    });
  });

  test('without a usable key rows are counted as multisets', async () => {
    const result = await diff(
      'id int, v int',
      'values (1, 1), (1, 1), (2, 2), (null, 3)',
      'values (1, 1), (2, 2), (2, 2), (null, 3), (4, 4)',
      { keyUsable: false },
    );
    expect(result).toMatchObject({ method: 'multiset', added: 2, removed: 1, changed: 0 });
    expect(result.samples.map(({ kind, before, after }) => ({ kind, row: before ?? after }))).toEqual(
      expect.arrayContaining([
        { kind: 'added', row: { id: '2', v: '2' } },
        { kind: 'added', row: { id: '4', v: '4' } },
        { kind: 'removed', row: { id: '1', v: '1' } },
      ]),
    );
    expect(result.samples).toHaveLength(3);
  });

  test('of repeated rows the samples are the copies that came or went, first one of each row', async () => {
    const copies = (v: number, times: number) => Array.from({ length: times }, () => `(1, ${v})`);
    const result = await diff(
      'id int, v int',
      `values ${[...copies(1, 3), ...copies(2, 1), ...copies(3, 9), ...copies(4, 5)].join()}`,
      `values ${[...copies(1, 5), ...copies(2, 2), ...copies(3, 8), ...copies(4, 5), ...copies(5, 4)].join()}`,
      { keyUsable: false },
    );
    const shown = (kind: 'added' | 'removed') =>
      result.samples.flatMap((row) => (row.kind === kind ? [(row.after ?? row.before)?.v] : []));
    expect(result).toMatchObject({ added: 7, removed: 1 });
    expect(shown('added').slice(0, 3).sort()).toEqual(['1', '2', '5']);
    expect(shown('added').slice(3, 5).sort()).toEqual(['1', '5']);
    expect(shown('added').slice(5)).toEqual(['5', '5']);
    expect(shown('removed')).toEqual(['3']);
  });

  test('the samples of multisets are their difference, and a few of them its beginning', async () => {
    const rows = fc.array(fc.constantFrom("(1, 'a')", "(1, 'b')", "(2, 'a')", '(null, null)', "(2, '')"), {
      maxLength: 10,
    });
    const few = fc.integer({ min: 0, max: 4 });
    await fc.assert(
      fc.asyncProperty(rows, rows, few, async (old, live, samples) => {
        const of = (list: readonly string[]) => (list.length === 0 ? '' : `values ${list.join()}`);
        const compare = (most: number) =>
          diff('id int, v text', of(old), of(live), { keyUsable: false, samples: most });
        const all = await compare(20);
        const text = (row: Readonly<Record<string, string | null>> | undefined) =>
          `(${row?.id ?? 'null'}, ${row?.v === null ? 'null' : `'${row?.v}'`})`;
        const shown = (kind: 'added' | 'removed') =>
          all.samples.flatMap((row) => (row.kind === kind ? [text(row.after ?? row.before)] : []));
        expect(shown('added').sort()).toEqual(surplus(live, old));
        expect(shown('removed').sort()).toEqual(surplus(old, live));
        const fewer = (await compare(samples)).samples;
        for (const kind of ['added', 'removed'] as const) {
          const own = all.samples.filter((row) => row.kind === kind);
          expect(fewer.filter((row) => row.kind === kind)).toEqual(own.slice(0, samples));
        }
      }),
      { numRuns: lawRuns(60) },
    );
  });

  test('columns with the names that the statement uses itself', async () => {
    const columns = 'f int, b int, kind int, k0 int, x0 int, h0 int, n int, s int, r int, o int, only_near int, y0 int';
    const row = (v: number) => `values (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ${v}, 12)`;
    expect(await diff(columns, row(1), row(2), { key: ['f'] })).toMatchObject({
      changed: 1,
      columns: [{ column: 'only_near', rows: 1 }],
    });
    expect(await diff(columns, row(1), row(2), { key: ['f'], keyUsable: false })).toMatchObject({
      added: 1,
      removed: 1,
    });
  });

  describe('tells every type by its bytes', () => {
    test.each([
      ['json text', 'json', `'{"a":1}'`, `'{"a": 1}'`],
      ['jsonb', 'jsonb', `'{"a":[1,null]}'`, `'{"a":[1,0]}'`],
      ['arrays', 'int[]', `'{1,2}'`, `'{2,1}'`],
      ['arrays of other shape', 'int[]', `'{1,2}'`, `'{{1,2}}'`],
      ['bytea', 'bytea', `'\\x00ff'`, `'\\xff00'`],
      ['the scale of numeric', 'numeric', '1.0', '1.00'],
      ['-0', 'float8', `'0'`, `'-0'`],
      ['NaN', 'float8', `'NaN'`, '1'],
      ['NaN of numeric', 'numeric', `'NaN'`, '1'],
      ['instants', 'timestamptz', `'2026-10-25 02:30+02'`, `'2026-10-25 02:30+01'`],
      ['times with zone', 'timetz', `'02:30+02'`, `'01:30+01'`],
      ['enums', 'mood', `'sad'`, `'ok'`],
      ['arrays of enums', 'mood[]', `'{sad,ok}'`, `'{ok,sad}'`],
      ['domains', 'amount', '1', '2'],
      ['domains over arrays', 'moods', `'{sad}'`, `'{ok}'`],
      ['composites', 'point3', `row(1, 'sad', 2)`, `row(1, 'ok', 2)`],
      ['a composite of NULLs', 'point3', 'null', 'row(null, null, null)'],
      ['NULL', 'text', 'null', `''`],
      ['xml', 'xml', `'<a/>'`, `'<b/>'`],
      ['access lists', 'aclitem', `'postgres=r/postgres'`, `'postgres=w/postgres'`],
    ])('%s', async (_what, type, one, other) => {
      const [old, live] = [`values (1, ${one}::${type})`, `values (1, ${other}::${type})`];
      expect(await diff(`id int, v ${type}`, old, live)).toMatchObject({
        added: 0,
        removed: 0,
        changed: 1,
        columns: [{ column: 'v', rows: 1 }],
        samples: [{ kind: 'changed', key: { id: '1' } }],
      });
      expect(await diff(`id int, v ${type}`, old, live, { keyUsable: false })).toMatchObject({ added: 1, removed: 1 });
      expect(await diff(`id int, v ${type}`, old, old)).toMatchObject({ added: 0, removed: 0, changed: 0 });
    });

    test('and takes what is the same for the same', async () => {
      const columns = 'id int, at timestamptz, doc jsonb, n float8, big text';
      expect(
        await diff(
          columns,
          `values (1, '2026-10-25 02:30+02'::timestamptz, '{"a":1,"b":2}'::jsonb, 'NaN'::float8, repeat('x', 100000))`,
          `values (1, '2026-10-25 00:30+00'::timestamptz, '{"b": 2, "a": 1}'::jsonb, 'NaN'::float8, repeat('x', 100000))`,
        ),
      ).toMatchObject({ added: 0, removed: 0, changed: 0, columns: [] });
    });
  });

  test('counts each of 200 columns', async () => {
    const columns = Array.from({ length: 200 }, (_, index) => `c${index} int`).join();
    const row = (value: (index: number) => number) =>
      `values (1, ${Array.from({ length: 200 }, (_, index) => value(index)).join()})`;
    const result = await diff(
      `id int, ${columns}`,
      row((index) => index),
      row((index) => (index % 50 === 0 ? -1 : index)),
    );
    expect(result.columns.map(({ column }) => column)).toEqual(['c0', 'c50', 'c100', 'c150']);
  });

  test('leaves volatile columns out', async () => {
    const [old, live] = ["values (1, 1, timestamp '2026-01-01')", "values (1, 1, timestamp '2026-01-02')"];
    const columns = 'id int, v int, loaded timestamp';
    expect(await diff(columns, old, live, { volatile: ['loaded'] })).toMatchObject({ changed: 0, samples: [] });
    expect(await diff(columns, old, live)).toMatchObject({ changed: 1 });
  });

  test('floats that moved in their last bits only are told', async () => {
    const result = await diff(
      'id int, v float8, w float4, t text',
      "values (1, 0.3, 1, 'a'), (2, 1, 1, 'a'), (3, 1, 1, 'a'), (4, 1e-300, 1, 'a'), (5, 1, 1, 'a')",
      "values (1, 0.1 + 0.2::float8, 1, 'a'), (2, 1.0001, 1, 'a'), (3, 1.0000000000000002, 1, 'b'), (4, -1e-300, 1, 'a'), (5, 1.0000000000000002, 1.0000001::float4, 'a')",
    );
    expect(result).toMatchObject({
      changed: 5,
      withinTolerance: 2,
      columns: [
        { column: 'v', rows: 5, withinTolerance: 3 },
        { column: 'w', rows: 1, withinTolerance: 1 },
        { column: 't', rows: 1, withinTolerance: undefined },
      ],
    });
  });

  test('a tolerance of its own counts floats that moved by no more, and takes no other rows away', async () => {
    const columns = 'id int, v float8, w numeric';
    const old = 'values (1, 100::float8, 1), (2, 100, 1), (3, 100, 1), (4, -100, 1), (5, 0, 1)';
    const live = 'values (1, 100.0001::float8, 1), (2, 100.2, 1), (3, 100.0001, 2), (4, 100, 1), (5, 1e-9, 1)';
    expect(await diff(columns, old, live, { floatTolerance: 1e-5 })).toMatchObject({
      changed: 5,
      withinTolerance: 1,
      columns: [{ column: 'v', rows: 5, withinTolerance: 2 }, { column: 'w' }],
    });
    expect(await diff(columns, old, live, { floatTolerance: 0.01 })).toMatchObject({ changed: 5, withinTolerance: 2 });
    const bits = 'values (1, 1::float8, 1)';
    const moved = 'values (1, 1.0000000000000002::float8, 1)';
    expect(await diff(columns, bits, moved, { floatTolerance: 0 })).toMatchObject({ changed: 1, withinTolerance: 0 });
    expect(await diff(columns, bits, moved, { floatTolerance: 1e-30 })).toMatchObject({ withinTolerance: 1 });
  });

  test('neither NaN nor an infinity is near anything else, and the ends of the range do not break the diff', async () => {
    const values = ['NaN', 'Infinity', '-Infinity', '1e308', '-1e308', '5e-324', '-0', '1'];
    const pairs = values.flatMap((a) => values.filter((b) => b !== a).map((b) => [a, b]));
    const side = (index: 0 | 1) =>
      `values ${pairs.map((pair, id) => `(${id}, '${pair[index]}'::float8, '${Math.abs(Number(pair[index])) < 1e38 && Math.abs(Number(pair[index])) > 1e-38 ? pair[index] : 0}'::float4)`).join()}`;
    const result = await diff('id int, v float8, w float4', side(0), side(1), { floatTolerance: 1 });
    expect(result).toMatchObject({ changed: pairs.length, withinTolerance: 0 });
    const zeros = await diff('id int, v float8', "values (1, '0'::float8)", "values (1, '-0'::float8)");
    expect(zeros).toMatchObject({ changed: 1, withinTolerance: 1 });
  });
});

describe('a slice that was measured before it was written', () => {
  const rest = 'id not in (1, 2)';
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['nobody else writes it', undefined],
    ['somebody else gives a row another value', `update moved set n = 99 where id = 5`],
    ['somebody else writes a row again as it was', `update moved set n = n where id = 5`],
    [
      'somebody else takes a row away and puts another one in its place',
      `with d as (delete from moved where id = 5) insert into moved values (50, 5, 'e')`,
    ],
    ['somebody else takes a row away', `delete from moved where id = 5`],
    ['somebody else adds a row', `insert into moved values (60, 6, 'f')`],
    ['somebody else moves a row to another partition', `update moved set id = id + 1000 where id = 5`],
    ['somebody else only locks a row', `select from moved where id = 5 for update`],
  ];

  test.each(cases)('is told from what came since, or read again: %s', async (_, foreign) => {
    const { warehouse } = fixtures.get('postgres') as Fixture;
    const [session, other] = [await warehouse.connect('unit'), await warehouse.connect('unit')];
    await session.query('drop table if exists moved');
    await session.query('create table moved (id int primary key, n int, t text) partition by range (id)');
    await session.query('create table moved_low partition of moved for values from (0) to (30)');
    await session.query('create table moved_high partition of moved for values from (30) to (10000)');
    await session.query("insert into moved select i, i, repeat('x', i) from generate_series(1, 40) i");
    const target = await relation('postgres', 'moved');
    await session.query('begin isolation level read committed');
    const [ownAge = ''] =
      (
        await session.query(
          'select (pg_catalog.txid_current() - pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot()))::text',
        )
      ).rows[0] ?? [];
    const of = (sql: string, predicate?: string) =>
      takeFigures(session, target, { sql, predicate, ownAge: undefined, versions: versionHash });
    const before = await of('moved');
    const gone = await of('moved', `not (${rest})`);
    if (foreign !== undefined) await other.query(foreign);
    await session.query('delete from moved where id in (1, 2)');
    await session.query("insert into moved values (1, 100, 'y'), (41, 41, null)");
    const from = { sql: 'moved', predicate: undefined, ownAge: String(ownAge) };
    const [moved] = await takeMovedFigures(session, target, from, [{ before, gone }]);
    const read = await takeFigures(session, target, from);
    // A row that comes in beside the own ones is read with them.
    const isTold = foreign === undefined || /^(?:select|insert)/.test(foreign);
    expect(moved?.figures).toEqual(isTold ? read.figures : undefined);
    if (isTold) expect(moved?.ownRows).toBe(read.ownRows);
    await session.query('rollback');
    await Promise.all([session.close(), other.close()]);
  });
});
