import { expect, test } from 'vitest';
import { dialectNames } from '../../../src/core/sql/model/dialect-name.ts';
import type { Statement } from '../../../src/core/sql/model/statement.ts';
import { readSql } from '../../../src/core/sql/read-sql.ts';
import { plainText } from '../../../src/core/template/mask/plain-text.ts';

const said = ({ kind, target, conditional, body }: Statement): readonly string[] => [
  ...(target === undefined ? [] : [`${kind} ${target.name}${conditional === true ? '?' : ''}`]),
  ...body.flatMap(said),
];
const written = (text: string, dialect: (typeof dialectNames)[number] = 'ansi'): readonly string[] =>
  readSql(plainText(text), dialect).statements.flatMap(said);

const scripts: readonly (readonly [text: string, writes: readonly string[]])[] = [
  [
    'DECLARE @n int = 0\nWHILE @n < 3\nBEGIN\n  INSERT INTO a (n) VALUES (@n)\n  DELETE FROM b WHERE n = @n\n  SET @n = @n + 1\nEND\nTRUNCATE TABLE c',
    ['insert a?', 'delete b?', 'truncate c'],
  ],
  [
    "IF OBJECT_ID('a') IS NOT NULL\n  DROP TABLE a\nSELECT x INTO a FROM s\nDROP TABLE IF EXISTS b",
    ['drop a?', 'create_table_as a', 'drop b'],
  ],
  [
    'SET NOCOUNT ON\nIF EXISTS (SELECT 1 FROM s)\nBEGIN\n  UPDATE a SET n = 1\n  INSERT b VALUES (1)\nEND\nELSE\nBEGIN\n  DELETE a\nEND\nINSERT INTO c SELECT 1',
    ['update a?', 'insert b?', 'delete a?', 'insert c'],
  ],
  [
    'BEGIN TRY\n  BEGIN TRANSACTION\n  DELETE FROM a WHERE d = 1\n  INSERT INTO a SELECT * FROM s WHERE d = 1\n  COMMIT TRANSACTION\nEND TRY\nBEGIN CATCH\n  ROLLBACK\n  INSERT INTO errors VALUES (1)\n  THROW\nEND CATCH\nUPDATE b SET n = 2',
    ['delete a', 'insert a', 'insert errors?', 'update b'],
  ],
  [
    'DECLARE @d date\nIF @d IS NULL INSERT INTO a VALUES (1) ELSE INSERT INTO b VALUES (2)\nINSERT INTO c EXEC p @d\nINSERT INTO d SELECT 1 UNION ALL SELECT 2',
    ['insert a?', 'insert b?', 'insert c', 'insert d'],
  ],
  [
    "DECLARE @d date\nINSERT INTO a SELECT CASE WHEN x = 1 THEN 'y' ELSE 'z' END, w FROM s WITH (NOLOCK) WHERE x IN (SELECT x FROM t)\nUPDATE u SET n = CASE WHEN n = 1 THEN 2 ELSE 3 END FROM a u\n;WITH k AS (SELECT 1 AS x) DELETE FROM b WHERE x IN (SELECT x FROM k)\nMERGE c USING s ON c.i = s.i WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT (i) VALUES (s.i) WHEN NOT MATCHED BY SOURCE THEN DELETE;",
    ['insert a', 'update a', 'delete b', 'merge c'],
  ],
  [
    'CREATE OR ALTER PROCEDURE dbo.p @d date AS\nSET NOCOUNT ON\nDELETE FROM a WHERE d = @d;\nINSERT INTO a SELECT * FROM s WHERE d = @d\nIF @d IS NULL\nBEGIN\n  TRUNCATE TABLE b\nEND\nGO\nDROP TABLE c',
    ['delete a', 'insert a', 'truncate b?', 'drop c'],
  ],
  [
    'CREATE PROC p AS\nBEGIN\n  DECLARE c CURSOR FOR SELECT x FROM s\n  OPEN c\n  FETCH NEXT FROM c INTO @x\n  WHILE @@FETCH_STATUS = 0\n  BEGIN\n    INSERT INTO a VALUES (@x)\n    FETCH NEXT FROM c INTO @x\n  END\n  CLOSE c\n  DEALLOCATE c\nEND',
    ['insert a?'],
  ],
];
test.each(scripts)('statements of SQL Server end where the next one begins: %s', (text, writes) => {
  expect(written(text)).toEqual(writes);
});

test.each(scripts)('as they do with `;` and in a file of which no dialect is known: %s', (text, writes) => {
  expect(written(text, 'postgres')).toEqual(writes);
});

test('other scripts are cut as before', () => {
  for (const dialect of dialectNames)
    expect(written('INSERT INTO a SELECT x AS "if" FROM s; DELETE FROM b WHERE c = 1', dialect)).toEqual([
      'insert a',
      'delete b',
    ]);
});

test('a query that stands behind another one without a sign reads what it reads', () => {
  const { statements } = readSql(plainText('select * from [dbo].[a]\n-- next\nselect max(x) from dbo.b'), 'ansi');
  expect(statements.map(({ reads }) => reads.map(({ name }) => name))).toEqual([['dbo.a'], ['dbo.b']]);
});

test.each([
  ['AS', '/', 'DROP TABLE c;'],
  ['IS', '', 'DROP TABLE c;'],
])('a procedure of Oracle declares between %s and BEGIN, and does nothing by being made', (as, slash, behind) => {
  const made = (name: string): string =>
    `CREATE OR REPLACE PROCEDURE ${name}(day DATE DEFAULT NULL)\n${as}\n  n INT := 0;\n  CURSOR rows IS SELECT x FROM s;\n  one rows%ROWTYPE;\nBEGIN\n  SELECT max(x) INTO n FROM s;\n  IF n > 0 THEN\n    DELETE FROM a;\n  END IF;\n  LOOP\n    FETCH rows INTO one;\n    EXIT WHEN rows%NOTFOUND;\n    INSERT INTO a VALUES (one.x);\n  END LOOP;\n  COMMIT;\nEXCEPTION\n  WHEN OTHERS THEN\n    ROLLBACK;\nEND ${name};\n${slash}\n`;
  const { statements } = readSql(plainText(`${made('p')}${made('q')}${behind}`), 'ansi');
  expect(statements.map(({ kind, target }) => [kind, target?.name])).toEqual([
    ['create_procedure', undefined],
    ['create_procedure', undefined],
    ['drop', 'c'],
  ]);
});
