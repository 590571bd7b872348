import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { lex } from '../../../src/core/sql/lex/lexer.ts';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import type { Statement, StatementKind } from '../../../src/core/sql/model/statement.ts';
import { plain, read, type SqlCase } from './support.ts';

const writing: ReadonlySet<StatementKind> = new Set([
  'insert',
  'insert_overwrite',
  'insert_replace_where',
  'replace',
  'delete',
  'update',
  'merge',
  'truncate',
  'create_table',
  'create_table_as',
  'create_view',
  'load',
]);

interface Sample {
  readonly dialect: DialectName;
  readonly text: string;
  readonly whole: Statement;
}

/** Every statement of the fixtures that writes a table, alone. */
const samples: readonly Sample[] = ['statements.json', 'more-statements.json', 'clauses.json'].flatMap((file) =>
  (JSON.parse(readFileSync(new URL(`../../fixtures/sql/${file}`, import.meta.url), 'utf8')) as SqlCase[])
    .filter(({ sql }) => !/\{\{|delimiter|stdin/i.test(sql))
    .flatMap(({ sql, dialect }) =>
      read(sql, dialect).statements.flatMap(({ start, end }) => {
        const text = sql.slice(start, end);
        const [whole] = read(text, dialect).statements;
        return whole?.target !== undefined && writing.has(whole.kind) ? [{ dialect, text, whole }] : [];
      }),
    ),
);

const neighbour = 'DELETE FROM mart.neighbour WHERE ds = 1';
const isNeighbour = (statement: Statement | undefined): boolean =>
  statement?.kind === 'delete' && statement.target?.name === 'mart.neighbour' && statement.where.length === 1;
const tokensOf = ({ text, dialect }: Sample) => lex(plain(text), dialect).tokens;

const aliasing: ReadonlySet<DialectName> = new Set(['mysql', 'ansi']);

/** A statement's kind as long as what tells it further is not typed yet. */
const soFar: Partial<Record<StatementKind, StatementKind>> = {
  create_table_as: 'create_table',
  insert_replace_where: 'insert',
};

test('there are enough samples', () => expect(samples.length).toBeGreaterThan(150));

describe('a statement cut behind any of its words', () => {
  test('has its kind and target from the target on', () => {
    const lost = samples.flatMap((sample) => {
      const { text, dialect, whole } = sample;
      // Behind several tables an alias tells which one is meant, and that comes later.
      if ((whole.kind === 'update' || whole.kind === 'delete') && aliasing.has(dialect) && whole.from.length > 0)
        return [];
      const target = whole.target?.end ?? 0;
      return tokensOf(sample).flatMap(({ end }) => {
        if (end < target) return [];
        const cut = text.slice(0, end);
        const [first] = read(cut, dialect).statements;
        const known = first !== undefined && (first.kind === whole.kind || first.kind === soFar[whole.kind]);
        const kept = known && first.target?.name === whole.target?.name;
        return kept ? [] : [`${dialect}: ${cut}`];
      });
    });
    expect(lost).toEqual([]);
  });

  test('leaves what is behind its semicolon alone', () => {
    const lost = samples.flatMap((sample) =>
      tokensOf(sample).flatMap(({ end }) => {
        const text = `${sample.text.slice(0, end)};\n${neighbour};\nSELECT 1;`;
        const { statements } = read(text, sample.dialect);
        const kept = isNeighbour(statements.at(-2)) && statements.at(-1)?.kind === 'select';
        return kept ? [] : [`${sample.dialect}: ${text}`];
      }),
    );
    expect(lost).toEqual([]);
  });

  /** Behind these a statement may well go on with the next line. */
  const goesOn = /(^|\b)(as|materialized)\s*\($|\b(do|for|key|on|no|or|from|with)$/i;

  test('does not take the next line without one', () => {
    const lost = samples.flatMap((sample) =>
      tokensOf(sample).flatMap(({ end }) => {
        const cut = sample.text.slice(0, end);
        if (goesOn.test(cut) || /^\s*(with|from|explain)\b/i.test(cut)) return [];
        const { statements } = read(`${cut}\n${neighbour};`, sample.dialect);
        return isNeighbour(statements.at(-1)) ? [] : [`${sample.dialect}: ${cut}`];
      }),
    );
    expect(lost).toEqual([]);
  });
});

describe('something that is never closed', () => {
  test.each(["'", '"', '`', '(', '[', '{', '/*', '$$', '$x$', 'CASE '])('%s hides no other statement', (open) => {
    const lost = samples.flatMap((sample) =>
      tokensOf(sample).flatMap(({ start }, index) => {
        // Every third place, so that all kinds of places come up and the run stays short.
        if (index % 3 !== 1) return [];
        const broken = `${sample.text.slice(0, start)}${open} ${sample.text.slice(start)}`;
        const { statements } = read(
          `${neighbour};\n${broken};\n${neighbour} AND a = 'b';\nSELECT 'c';`,
          sample.dialect,
        );
        const before = isNeighbour(statements[0]);
        const behind = statements
          .slice(1)
          .some(({ target, where }) => target?.name === 'mart.neighbour' && where.length === 2);
        return before && behind ? [] : [`${sample.dialect}: ${broken}`];
      }),
    );
    expect(lost).toEqual([]);
  });
});

describe('values that are named in WITH', () => {
  const tables = (sql: string): readonly string[] =>
    read(sql, 'ansi')
      .statements.flatMap(({ reads }) => reads.map(({ name }) => name))
      .sort();
  test.each([
    ['WITH toDecimal32(5.5, 1) AS w, c AS (SELECT a FROM r.c) SELECT w, a FROM c JOIN r.q USING (a)', ['r.c', 'r.q']],
    ["WITH 10 AS n, 'x' AS s SELECT n, s FROM r.q", ['r.q']],
    ['WITH (SELECT max(d) FROM r.w) AS newest SELECT a FROM r.q WHERE d <= newest', ['r.q', 'r.w']],
    ['WITH a + 1 AS b, c (x) AS (SELECT a FROM r.c) SELECT b FROM c', ['r.c']],
    ['WITH c (x, y) AS (SELECT a, b FROM r.c) SELECT x FROM c', ['r.c']],
  ])('%s', (sql, expected) => expect(tables(sql)).toEqual(expected));
});
