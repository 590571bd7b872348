import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type AstParser, loadAstParser } from '../../../src/core/sql/ast/ast-parser.ts';
import { createAstReader } from '../../../src/core/sql/ast/ast-reader.ts';
import { type DialectName, dialectNames } from '../../../src/core/sql/model/dialect-name.ts';
import { readSql } from '../../../src/core/sql/read-sql.ts';
import { plain, type SqlCase } from './support.ts';

const cases = ['statements.json', 'more-statements.json'].flatMap(
  (file) =>
    JSON.parse(readFileSync(new URL(`../../fixtures/sql/${file}`, import.meta.url), 'utf8')) as readonly SqlCase[],
);

describe('second opinion of the full grammar', () => {
  const parsers = new Map<DialectName, AstParser | undefined>();
  let asked: string[] = [];
  let understood = 0;
  const reader = createAstReader((dialect) => {
    const parser = parsers.get(dialect);
    return (
      parser && {
        parse(sql) {
          const tree = parser.parse(sql);
          asked.push(sql);
          if (tree !== undefined) understood++;
          return tree;
        },
      }
    );
  });
  beforeAll(async () => {
    for (const dialect of dialectNames) parsers.set(dialect, await loadAstParser(dialect));
  });

  test('agrees with the tokens wherever it can read', () => {
    asked = [];
    const doubted = cases.flatMap(({ id, sql, dialect }) =>
      readSql(plain(sql), dialect, reader).statements.flatMap((statement, index) =>
        statement.trust.answer === 'envelope' ? [`${id}/${index}`] : [],
      ),
    );
    // Its grammar loses columns of semi-structured data.
    expect(doubted).toEqual(['snowflake-14/0']);
    expect(understood).toBeGreaterThan(50);
  });

  test('is asked once, and only when somebody wants to know', () => {
    asked = [];
    const [statement] = readSql(plain('DELETE FROM m.asked WHERE a = 1'), 'postgres', reader).statements;
    expect(statement?.kind).toBe('delete');
    expect(asked).toEqual([]);
    expect([statement?.trust.answer, statement?.trust.answer]).toEqual(['full', 'full']);
    expect(asked).toEqual(['DELETE FROM m.asked WHERE a = 1']);
    const again = readSql(plain('SELECT 1; DELETE FROM m.asked WHERE a = 1'), 'postgres', reader).statements[1];
    expect([again?.trust.answer, asked.length]).toEqual(['full', 1]);
  });

  test('is not asked about long statements', () => {
    asked = [];
    const sql = `SELECT ${'a, '.repeat(2000)}b`;
    expect(readSql(plain(sql), 'postgres', reader).statements[0]?.trust.answer).toBe('full');
    expect(asked).toEqual([]);
  });

  test.each([
    ['another kind', { type: 'update', table: [{ table: 't' }] }, 'envelope'],
    ['another target', { type: 'insert', table: [{ table: 'u' }] }, 'envelope'],
    [
      'another select list',
      { type: 'insert', table: [{ table: 't' }], values: { type: 'select', columns: [{}], groupby: null, where: {} } },
      'envelope',
    ],
    [
      'the same',
      {
        type: 'insert',
        table: [{ table: 't' }],
        values: { type: 'select', columns: [{}, {}], groupby: { columns: [{}] }, where: {} },
      },
      'full',
    ],
    ['nothing', undefined, 'full'],
  ] as const)('doubts the expressions when it sees %s', (_, tree, trust) => {
    const doubting = createAstReader(() => ({ parse: () => tree }));
    const sql = 'INSERT INTO m.t SELECT a, count(*) FROM s WHERE b = 1 GROUP BY a';
    expect(readSql(plain(sql), 'postgres', doubting).statements[0]?.trust.answer).toBe(trust);
  });

  test.each([
    ['bigquery', 'DELETE FROM m.t WHERE a = 1'],
    ['snowflake', 'DELETE FROM m.t WHERE a = 1'],
    ['postgres', 'MERGE INTO m.t USING s ON true WHEN MATCHED THEN DELETE'],
    ['trino', 'SELECT 1'],
    ['spark', 'SELECT 1'],
  ] as const)('%s is not asked about %s', (dialect, sql) => {
    asked = [];
    expect(readSql(plain(sql), dialect, reader).statements[0]?.trust.answer).toBe('full');
    expect(asked).toEqual([]);
  });
});
