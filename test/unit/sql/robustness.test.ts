import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DialectName, dialectNames } from '../../../src/core/sql/model/dialect-name.ts';
import { walkExpressions, walkQueries } from '../../../src/core/sql/model/walk.ts';
import { lawRuns } from '../../support/laws.ts';
import { misplacedSpans } from './misplaced-spans.ts';
import { read, readJson, readOne, type SqlCase } from './support.ts';

const cases = ['statements.json', 'more-statements.json'].flatMap(
  (file) =>
    JSON.parse(readFileSync(new URL(`../../fixtures/sql/${file}`, import.meta.url), 'utf8')) as readonly SqlCase[],
);

describe('half-typed statements', () => {
  /** What a kind still is while the words that decide it are not typed. */
  const before: Readonly<Record<string, string>> = {
    create_table_as: 'create_table',
    insert_replace_where: 'insert',
    alter_partition: 'alter',
    alter_rename: 'alter',
    alter_swap: 'alter',
    alter_append: 'alter',
  };
  const single = cases.filter(({ sql, dialect }) => read(sql, dialect).statements.length === 1);

  test.each([0.5, 0.8])('keep kind and target when cut at %d', (share) => {
    let kept = 0;
    for (const { id, sql, dialect } of single) {
      const whole = readOne(sql, dialect);
      const cut = Math.floor(sql.length * share);
      const part = read(sql.slice(0, cut), dialect).statements[0];
      if (cut <= whole.head.end || whole.kind === 'copy' || whole.kind === 'other') continue;
      expect([whole.kind, before[whole.kind]], `${id} cut at ${cut}`).toContain(part?.kind);
      if (whole.target !== undefined && whole.target.end < cut && part?.kind === whole.kind) {
        expect(part.target, id).toEqual(whole.target);
        kept++;
      }
    }
    expect(kept).toBeGreaterThan(60);
  });

  test.each([
    ['DELETE FROM m.t WHERE ds >= ', 'delete', ['ds >=']],
    ['DELETE FROM m.t WHERE ds >= (', 'delete', ['ds >=']],
    ["INSERT INTO m.t SELECT a, FROM m.s WHERE ds = '", 'insert', ['ds =']],
    ['UPDATE m.t SET n = WHERE ds > 1', 'update', ['ds >']],
    ['INSERT INTO m.t SELECT a. FROM m.s', 'insert', []],
    ['DELETE FROM m.t WHERE ds BETWEEN 1', 'delete', ['ds between']],
  ] as const)('%s', (sql, kind, predicates) => {
    const [json] = readJson(`${sql}\n;\nCOMMIT;`, 'postgres');
    expect({ kind: json?.kind, predicates: json?.predicates, target: json?.target }).toEqual({
      kind,
      predicates,
      target: 'm.t',
    });
    expect(readJson(`${sql}\n;\nCOMMIT;`, 'postgres').at(-1)?.kind).toBe('commit');
  });
});

test.each([
  ['SELECT a, GROUP FROM m.t WHERE ds = 1', ['m.t'], ['ds =']],
  ['SELECT a, AND b FROM m.t WHERE ds = 1', ['m.t'], ['ds =']],
  ['SELECT a AS FROM m.t WHERE ds = 1 GROUP', ['m.t'], ['ds =']],
  ['SELECT start, end FROM m.t WHERE end > 1 AND CASE WHEN end THEN 1 END = 2', ['m.t'], ['end >']],
  ['SELECT a FROM WHERE ds = 1', [], ['ds =']],
  ['SELECT FROM m.t WHERE ds = 1', ['m.t'], ['ds =']],
  ['SELECT a FROM m.t JOIN WHERE ds = 1', ['m.t'], ['ds =']],
  ['SELECT a FROM m.t WHERE WHERE ds = 1', ['m.t'], []],
] as const)('a half-typed clause does not hide the next: %s', (sql, reads, predicates) => {
  const [json] = readJson(sql, 'mysql');
  expect({ reads: json?.reads, predicates: json?.predicates }).toEqual({ reads, predicates });
});

test('a broken statement hides none of its neighbours', () => {
  const broken = [
    "SELECT 'open",
    'SELECT (a, (b',
    'INSERT INTO',
    'DELETE FROM x WHERE )))',
    'CASE WHEN',
    '/* open',
    '"open',
    '$$ open',
    'CREATE TABLE t (a int,',
    'MERGE INTO t USING',
    'WITH a AS (SELECT',
    ') , (',
    '\u0000 \\ ` {',
  ];
  const text = broken.map((sql) => `${sql};\nDELETE FROM mart.good WHERE ds = 1;`).join('\n');
  const good = readJson(text, 'postgres').filter(({ target }) => target === 'mart.good');
  expect(good).toHaveLength(broken.length);
  for (const { predicates } of good) expect(predicates).toEqual(['ds =']);
});

describe('hostile input', () => {
  test('deep nesting ends as opaque, not as an overflow', () => {
    const deep = (open: string, close: string, inside: string) => open.repeat(5_000) + inside + close.repeat(5_000);
    for (const sql of [
      `SELECT ${deep('(', ')', '1')} FROM m.t`,
      `SELECT ${deep('(', '', '1')} FROM m.t`,
      `SELECT ${deep('[', ']', '1')} FROM m.t`,
      `SELECT ${deep('f(', ')', '1')} FROM m.t`,
      `SELECT ${deep('CASE WHEN ', ' END', 'a')} FROM m.t`,
      `SELECT ${deep('NOT ', '', 'a')} FROM m.t`,
      `SELECT ${deep('- ', '', 'a')} FROM m.t`,
      `SELECT * FROM ${deep('(SELECT * FROM ', ') x', 'm.t')}`,
      `SELECT * FROM ${deep('(', ')', 'm.t')}`,
      `SELECT 1 ${'UNION SELECT 1 '.repeat(5_000)}`,
      `SELECT a FROM m.t WHERE ${'a = 1 OR '.repeat(5_000)} b`,
      `SELECT a FROM m.t WHERE ${'a = 1 AND '.repeat(5_000)} b`,
      `${'WITH a AS ('.repeat(5_000)}`,
      `SELECT ${deep('interval ', '', '1')}`,
      `SELECT a${'::int'.repeat(5_000)}${'[1]'.repeat(5_000)}`,
      `${'BEGIN '.repeat(5_000)}`,
    ]) {
      for (const dialect of ['postgres', 'ansi'] as const) {
        const { statements } = read(sql, dialect);
        expect(statements.length, sql.slice(0, 40)).toBeGreaterThan(0);
        for (const statement of statements.slice(0, 3)) walkExpressions(statement, () => undefined);
      }
    }
  });

  test('tables below many queries are found', () => {
    const nested = (levels: number) =>
      `INSERT INTO m.t ${'SELECT * FROM (SELECT * FROM m.a x JOIN ('.repeat(levels)}SELECT * FROM m.s${') y ON true) z'.repeat(levels)}`;
    for (const levels of [30, 60]) expect(readJson(nested(levels), 'postgres')[0]?.reads).toContain('m.s');
  });

  test('what is opened twenty thousand times is looked for once', () => {
    for (const opened of [
      '/* ',
      '/* a\n',
      '{% raw %}\n',
      '{# ',
      '{% if a %} ',
      '{{ ',
      '$a$ ',
      "' ",
      'WITH FUNCTION f() ',
    ])
      expect(read(`SELECT 1 FROM m.t\n${opened.repeat(20_000)}`).statements[0]?.kind).toBe('select');
    expect(read(`SELECT 1\n${'/* a\n'.repeat(20_000)}${'*/'.repeat(10_000)}`).statements).not.toEqual([]);
  });

  test.each(['', ' ', ';', '\ufeff', '--', '/*', "'", '"', '$$', '{{', 'SELECT', 'WITH', '\u0000', '\ud83d'])(
    '%j',
    (sql) => {
      for (const dialect of dialectNames) expect(misplacedSpans(read(sql, dialect), sql)).toEqual([]);
    },
  );

  test('random changes to real statements never throw, and every span stays in place', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...' ;(),.\'"`$${}[]:=<>|/*-\\\n\r\t'.split(''),
        '--',
        '/*',
        '*/',
        '$$',
        "''",
        '::',
        '🎉',
        '{{ ds }}',
      ),
      fc.constantFrom(
        ' select ',
        ' from ',
        ' where ',
        ' with x as (',
        ' insert into ',
        ' on conflict ',
        ' end ',
        ' case ',
        ' begin ',
        ' union ',
        ' interval ',
        ' when ',
        ' as ',
        ' not ',
        ' between ',
      ),
      fc.string({ maxLength: 5, unit: 'binary' }),
    );
    const change = fc.record({ at: fc.nat(2_000), remove: fc.nat(12), insert: piece });
    fc.assert(
      fc.property(
        fc.constantFrom(...cases),
        fc.constantFrom<DialectName>(...dialectNames),
        fc.array(change, { maxLength: 6 }),
        ({ sql: original }, dialect, changes) => {
          let sql = original;
          for (const { at, remove, insert } of changes) {
            const from = at % (sql.length + 1);
            sql = sql.slice(0, from) + insert + sql.slice(from + remove);
          }
          const reading = read(sql, dialect);
          expect(misplacedSpans(reading, sql)).toEqual([]);
          for (const statement of reading.statements) {
            walkExpressions(statement, () => undefined);
            walkQueries(statement, () => undefined);
          }
        },
      ),
      { numRuns: lawRuns(2_000) },
    );
  });
});

test('every span of every case is in place', () => {
  for (const { id, sql, dialect } of cases) expect(misplacedSpans(read(sql, dialect), sql), id).toEqual([]);
});
