import { describe, expect, it } from 'vitest';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import { readJson } from './support.ts';

/** Kind, target and reads of each statement. */
const inWords = (sql: string, dialect: DialectName = 'ansi'): readonly string[] =>
  readJson(sql, dialect).map(({ kind, target, reads }) =>
    [kind, target, reads.length > 0 ? `< ${reads.join(', ')}` : undefined].filter((word) => word).join(' '),
  );

describe('scripts of SQL Server', () => {
  it('ends a statement at a line GO, with or without a terminator before it', () => {
    const script =
      'CREATE TABLE [x] ([id] int);\nGO\nINSERT INTO [y] SELECT a FROM [z]\ngo 3 -- again\nTRUNCATE TABLE y\nGO';
    for (const dialect of ['ansi', 'postgres'] as const)
      expect(inWords(script, dialect)).toEqual(['create_table x', 'insert y < z', 'truncate y']);
  });

  it('keeps names that are no such line', () => {
    expect(inWords('SELECT * FROM go')).toEqual(['select < go']);
    expect(inWords('SELECT * FROM a go WHERE go.x = 1')).toEqual(['select < a']);
    expect(inWords('INSERT INTO t SELECT\ngoal FROM a')).toEqual(['insert t < a']);
    expect(inWords('SELECT *\nFROM a\ngo', 'bigquery')).toEqual(['select < a']);
  });

  it.each(['ansi', 'postgres', 'redshift'] as const)('writes the table whose alias an UPDATE names (%s)', (dialect) => {
    expect(inWords('UPDATE a SET a.p = NULL FROM ods.dbo.hei a', dialect)).toEqual(['update ods.dbo.hei']);
    expect(inWords('UPDATE a SET p = s.q FROM dbo.hei AS a JOIN dbo.src s ON a.id = s.id', dialect)).toEqual([
      'update dbo.hei < dbo.src',
    ]);
    expect(inWords('UPDATE a SET p = s.q FROM dbo.src s WHERE a.id = s.id', dialect)).toEqual(['update a < dbo.src']);
  });

  it('reads names that sqlcmd puts together, and loads of files', () => {
    expect(inWords('INSERT INTO [dbo].[e] SELECT * FROM [$(SERVER)].[$(DB)].[dbo].[t] t')).toEqual([
      'insert dbo.e < $(server).$(db).dbo.t',
    ]);
    expect(inWords("BULK INSERT dbo.t FROM '$(path)' WITH (FORMATFILE = 'x')")).toEqual(['copy dbo.t']);
    expect(inWords('SELECT bulk FROM t')).toEqual(['select < t']);
  });

  it.each(['CREATE PROC', 'CREATE OR ALTER PROC', 'CREATE PROCEDURE'])(
    'keeps what %s holds to it, up to GO',
    (head) => {
      const body =
        'BEGIN\nDECLARE rows_of CURSOR FOR SELECT id FROM dbo.s\nOPEN rows_of;\nIF @x = 1 BEGIN UPDATE t SET n = 1 FROM dbo.t t; END\nBEGIN TRY DELETE FROM dbo.t; END TRY';
      expect(inWords(`${head} dbo.p(@x int) AS\n${body}\nEND\nGO\nTRUNCATE TABLE dbo.u\nGO`, 'postgres')).toEqual([
        'create_procedure',
        'truncate dbo.u',
      ]);
    },
  );
});
