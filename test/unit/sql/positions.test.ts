import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lex } from '../../../src/core/sql/lex/lexer.ts';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import { lawRuns } from '../../support/laws.ts';
import { misplacedSpans } from './misplaced-spans.ts';
import { plain, read, readJson, type SqlCase } from './support.ts';

const gap = fc.constantFrom(
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\r\n\t ',
  '\u00a0',
  '\u3000',
  ' /* 🎉 ; delete from x */ ',
  ' -- première 👩‍👩‍👧 ; it\'s "\r\n',
);

/** The text with every space between two tokens replaced, behind a byte order mark and a comment. */
function spaced(sql: string, dialect: DialectName, gaps: readonly string[]): string {
  const { tokens } = lex(plain(sql), dialect);
  let text = '\ufeff/* 🎉 */ ';
  let at = 0;
  tokens.forEach(({ start, end }, index) => {
    text += (start > at && index > 0 ? (gaps[index % gaps.length] ?? ' ') : '') + sql.slice(start, end);
    at = end;
  });
  return text;
}

const factsOf = (sql: string, dialect: DialectName) => readJson(sql, dialect).map(({ range: _, ...facts }) => facts);
/** Statements without a `;` or with an open quote are told apart by their lines; all others must not need any. */
const cases = ['statements.json', 'more-statements.json', 'clauses.json'].flatMap((file) =>
  (JSON.parse(readFileSync(new URL(`../../fixtures/sql/${file}`, import.meta.url), 'utf8')) as SqlCase[]).filter(
    ({ sql, dialect }) =>
      !/\{\{|\{%|delimiter|stdin|COMMAND|\\|#|\/\/|--/i.test(sql) &&
      read(sql, dialect).problems.length === 0 &&
      read(spaced(sql, dialect, [' ']), dialect).statements.length === read(sql, dialect).statements.length,
  ),
);

test('most of the fixtures do not depend on their lines', () => expect(cases.length).toBeGreaterThan(200));

const spans = fc.tuple(fc.constantFrom(...cases), fc.array(gap, { minLength: 5, maxLength: 11 }));

describe('whatever stands between the words', () => {
  test('the facts are the same', () => {
    fc.assert(
      fc.property(spans, ([{ sql, dialect }, gaps]) => {
        const text = spaced(sql, dialect, gaps);
        expect(factsOf(text, dialect), text).toEqual(factsOf(sql, dialect));
      }),
      { numRuns: lawRuns(600) },
    );
  });

  test('every token, name and statement is where its text is', () => {
    fc.assert(
      fc.property(spans, ([{ sql, dialect }, gaps]) => {
        const text = spaced(sql, dialect, gaps);
        const before = lex(plain(sql), dialect).tokens;
        const behind = lex(plain(text), dialect).tokens;
        expect(behind.map(({ start, end }) => text.slice(start, end))).toEqual(
          before.map(({ start, end }) => sql.slice(start, end)),
        );
        const reading = read(text, dialect);
        expect(misplacedSpans(reading, text)).toEqual([]);
        const plainNames = reading.statements.flatMap(({ targets, reads }) => [...targets, ...reads]);
        for (const { name, start, end } of plainNames) {
          const written = text.slice(start, end).toLowerCase();
          if (/^[\w.]+$/.test(written)) expect(written).toBe(name.toLowerCase());
        }
      }),
      { numRuns: lawRuns(600) },
    );
  });
});
