import { describe, expect, test } from 'vitest';
import { makeTaskSql } from '../../../src/core/pipeline/model/make-task-sql.ts';
import type { FileSet } from '../../../src/core/pipeline/model/model.ts';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { readSqlFile } from '../../../src/core/pipeline/readers/sql-file/read-sql-file.ts';
import { sqlfluffDialect } from '../../../src/core/pipeline/readers/sql-file/sqlfluff-dialect.ts';
import { readConfig } from '../../../src/node/config/read-config.ts';
import { readerOptions } from '../../../src/node/load-workspace.ts';

const filesOf = (texts: Readonly<Record<string, string>>): FileSet => ({
  paths: () => Object.keys(texts),
  read: (path) => texts[path],
});

const optionsOf = (yaml: string) => {
  const { config, problems } = readConfig('backfill.yaml', `version: 1\n${yaml}`);
  expect(problems).toEqual([]);
  return readerOptions(config);
};

describe('settings', () => {
  test('the dialect of everything that does not tell its own', () => {
    expect(optionsOf('').defaultDialect).toBe('postgres');
    expect(optionsOf('dialect: snowflake').defaultDialect).toBe('snowflake');
  });

  test('dialects by connection id; a database that runs use is what it is', () => {
    const { connections } = optionsOf(
      'dialects: { lake: spark, shop: mysql }\nconnections: { main: { host: db, airflowIds: [shop] } }',
    );
    expect(connections).toMatchObject({
      lake: { dialect: 'spark' },
      shop: { dialect: 'postgres' },
      main: { dialect: 'postgres' },
    });
  });

  test('a dialect that is not known is said', () => {
    expect(readConfig('backfill.yaml', 'version: 1\ndialect: oracle').problems).toHaveLength(1);
  });
});

describe('.sqlfluff', () => {
  test.each([
    ['[sqlfluff]\ndialect = snowflake\n', 'snowflake'],
    ['[sqlfluff]\r\ntemplater = jinja\r\ndialect=databricks\r\n', 'spark'],
    ['[sqlfluff:rules]\ndialect = mysql\n[sqlfluff]\n dialect : ATHENA', 'trino'],
    ['[sqlfluff:templater:dbt]\ndialect = mysql', undefined],
    ['# dialect = mysql', undefined],
    ['[sqlfluff]\ndialect = oracle', undefined],
  ])('%j', (settings, expected) => {
    expect(sqlfluffDialect('sql/a.sql', filesOf({ '.sqlfluff': settings }))).toBe(expected);
  });

  test('the nearest one that names a dialect counts', () => {
    const files = filesOf({
      '.sqlfluff': '[sqlfluff]\ndialect = snowflake',
      'sql/.sqlfluff': '[sqlfluff]\nmax_line_length = 80',
      'sql/lake/.sqlfluff': '[sqlfluff]\ndialect = hive',
    });
    expect(sqlfluffDialect('sql/lake/deep/a.sql', files)).toBe('spark');
    expect(sqlfluffDialect('sql/a.sql', files)).toBe('snowflake');
  });

  test('the file itself is asked first, the setting last', () => {
    const files = filesOf({ '.sqlfluff': '[sqlfluff]\ndialect = mysql' });
    const options = {
      ...defaultReaderOptions,
      defaultDialect: 'trino' as const,
      connections: { lake: { dialect: 'spark' as const } },
    };
    const dialectOf = (text: string, around: FileSet) =>
      readSqlFile('a.sql', text, around, options, makeTaskSql).pipelines[0]?.tasks[0]?.sql[0]?.dialect;
    expect(dialectOf('-- backfill: dialect=duckdb connection=lake\nSELECT 1', files)).toBe('duckdb');
    expect(dialectOf('-- backfill: connection=lake\nSELECT 1', files)).toBe('spark');
    expect(dialectOf('SELECT 1', files)).toBe('mysql');
    expect(dialectOf('SELECT 1', filesOf({}))).toBe('trino');
  });
});
