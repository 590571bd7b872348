import { expect, test } from 'vitest';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import { readOne } from './support.ts';

const drawn: readonly [string, DialectName][] = [
  ['t TABLESAMPLE BERNOULLI (10)', 'postgres'],
  ['t TABLESAMPLE SYSTEM (1 PERCENT) AS a', 'bigquery'],
  ['t AS a TABLESAMPLE (5 ROWS)', 'spark'],
  ['t SAMPLE (10)', 'snowflake'],
  ['t USING SAMPLE 10%', 'duckdb'],
  ['(SELECT 1 AS a) AS q TABLESAMPLE (1 PERCENT)', 'spark'],
];

const fixed: readonly [string, DialectName][] = [
  ['t TABLESAMPLE BERNOULLI (10) REPEATABLE (7)', 'postgres'],
  ['t SAMPLE (10) SEED (3)', 'snowflake'],
  ['t TABLESAMPLE (BUCKET 3 OUT OF 10)', 'spark'],
  ['t TABLESAMPLE SYSTEM (100)', 'postgres'],
  ['t SAMPLE 0.1', 'ansi'],
  ['t AS sample', 'postgres'],
];

const sampleOf = (from: string, dialect: DialectName): string | undefined => {
  const sql = `INSERT INTO m SELECT * FROM ${from} WHERE 1 = 1`;
  const span = readOne(sql, dialect).query?.from[0]?.drawn;
  return span && sql.slice(span.start, span.end);
};

test.each(drawn)('rows of %s are drawn anew', (from, dialect) => {
  expect(from).toContain(sampleOf(from, dialect) ?? 'nothing');
});

test.each(fixed)('rows of %s are the same ones again', (from, dialect) => {
  expect(sampleOf(from, dialect)).toBeUndefined();
});
