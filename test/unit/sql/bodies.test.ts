import { describe, expect, test } from 'vitest';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import type { Statement } from '../../../src/core/sql/model/statement.ts';
import { misplacedSpans } from './misplaced-spans.ts';
import { read } from './support.ts';

/** `delete m.t < m.s ?` for every statement of all bodies: kind, target, reads, and `?` where it is conditional. */
const lines = (statements: readonly Statement[]): string[] =>
  statements.flatMap((statement) => [
    [
      statement.kind,
      statement.target?.name ?? statement.routine?.name ?? '-',
      ...(statement.reads.length > 0 ? ['<', ...statement.reads.map(({ name }) => name)] : []),
      ...(statement.conditional ? ['?'] : []),
    ].join(' '),
    ...lines(statement.body),
  ]);

const bodies = (sql: string, dialect: DialectName): string[] =>
  read(sql, dialect).statements.flatMap(({ body }) => lines(body));

const cases: readonly (readonly [name: string, dialect: DialectName, sql: string, expected: readonly string[]])[] = [
  [
    'what stands first in a loop over an array',
    'postgres',
    `DO $$ BEGIN
  FOREACH v IN ARRAY ARRAY[1, 2] LOOP DELETE FROM m.t WHERE k = v; INSERT INTO m.t SELECT * FROM m.s; END LOOP;
  <<each>> FOREACH v SLICE 1 IN ARRAY a LOOP INSERT INTO m.u SELECT 1; END LOOP each;
  INSERT INTO m.v SELECT 1;
END $$`,
    ['delete m.t ?', 'insert m.t < m.s ?', 'insert m.u ?', 'insert m.v'],
  ],
  [
    'DO of PL/pgSQL',
    'postgres',
    `DO $$
DECLARE v int; r record;
BEGIN
  SELECT max(id) INTO v FROM m.src;
  IF v > 3 THEN
    DELETE FROM m.t WHERE ds = 'a';
  ELSIF v = 2 THEN UPDATE m.t SET a = 1;
  ELSE INSERT INTO m.t SELECT * FROM m.s;
  END IF;
  FOR r IN SELECT * FROM m.loop LOOP
    INSERT INTO m.u VALUES (r.id);
  END LOOP;
  PERFORM f(x) FROM m.p;
  v := (SELECT count(*) FROM m.c);
  CALL m.load(1);
  COMMIT;
EXCEPTION WHEN others THEN
  INSERT INTO m.failed VALUES (1);
END
$$ LANGUAGE plpgsql;`,
    [
      'select - < m.src',
      'delete m.t ?',
      'update m.t ?',
      'insert m.t < m.s ?',
      'other - < m.loop',
      'insert m.u ?',
      'other - < m.p',
      'other - < m.c',
      'other m.load',
      'commit -',
      'insert m.failed ?',
    ],
  ],
  ['language in front', 'postgres', 'DO LANGUAGE plpgsql $$ BEGIN TRUNCATE m.t; END $$;', ['truncate m.t']],
  [
    'a function in single quotes',
    'postgres',
    "CREATE FUNCTION f() RETURNS int AS 'DELETE FROM m.t WHERE a = ''b'' AND c IN (SELECT c FROM m.s)' LANGUAGE sql;",
    ['delete m.t < m.s'],
  ],
  ['a library', 'postgres', "CREATE FUNCTION f() RETURNS int AS 'delete', 'from' LANGUAGE c;", []],
  ['another language', 'postgres', 'CREATE FUNCTION f() RETURNS int AS $$ delete = 1 $$ LANGUAGE plpython3u;', []],
  [
    'BEGIN ATOMIC',
    'postgres',
    'CREATE PROCEDURE p() BEGIN ATOMIC INSERT INTO m.t VALUES (1); DELETE FROM m.u; END;',
    ['insert m.t', 'delete m.u'],
  ],
  [
    'EXECUTE of a literal',
    'postgres',
    "DO $$ BEGIN EXECUTE 'TRUNCATE m.t'; EXECUTE format('DROP TABLE %I', x); END $$;",
    ['other -', 'truncate m.t'],
  ],
  [
    'a procedure of MySQL with its delimiter',
    'mysql',
    `DELIMITER //
CREATE DEFINER=\`root\`@\`%\` PROCEDURE m.p(IN d DATE)
BEGIN
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; INSERT INTO m.log VALUES (1); END;
  START TRANSACTION;
  DELETE FROM m.t WHERE ds = d;
  again: WHILE i < 3 DO SET i = i + 1; REPLACE INTO m.w VALUES (i); END WHILE;
  CASE d WHEN 1 THEN DELETE FROM m.one; ELSE DELETE FROM m.two; END CASE;
  COMMIT;
END//
DELIMITER ;
CREATE TRIGGER g BEFORE INSERT ON m.t FOR EACH ROW INSERT INTO m.audit VALUES (1);
CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM m.old WHERE ts < NOW();
CREATE PROCEDURE q() DELETE FROM m.single;`,
    [
      'rollback - ?',
      'insert m.log ?',
      'begin -',
      'delete m.t',
      'replace m.w ?',
      'delete m.one ?',
      'delete m.two ?',
      'commit -',
      'insert m.audit',
      'delete m.old',
      'delete m.single',
    ],
  ],
  [
    'a procedure of BigQuery',
    'bigquery',
    `CREATE OR REPLACE PROCEDURE d.p(x DATE) OPTIONS (strict_mode = true)
BEGIN
  DECLARE y INT64 DEFAULT (SELECT max(a) FROM d.s);
  BEGIN TRANSACTION;
  DELETE FROM d.t WHERE ds = x;
  COMMIT TRANSACTION;
  EXECUTE IMMEDIATE "INSERT INTO d.e SELECT 1";
EXCEPTION WHEN ERROR THEN
  ROLLBACK TRANSACTION;
END;`,
    ['other - < d.s', 'begin -', 'delete d.t', 'commit -', 'other -', 'insert d.e', 'rollback - ?'],
  ],
  [
    'scripting of Snowflake',
    'snowflake',
    `CREATE OR REPLACE PROCEDURE m.load(d VARCHAR) RETURNS VARCHAR LANGUAGE SQL EXECUTE AS CALLER AS
$$
DECLARE c1 CURSOR FOR SELECT a FROM m.cur;
BEGIN
  DELETE FROM m.daily WHERE ds = :d;
  FOR r IN c1 DO INSERT INTO m.daily SELECT * FROM m.s; END FOR;
  WHILE (x < 1) LOOP UPDATE m.daily SET a = 1; END LOOP;
  RETURN 'ok';
END;
$$;
CREATE TASK m.k SCHEDULE = '60 MINUTE' AS MERGE INTO m.t USING m.s ON t.a = s.a WHEN MATCHED THEN DELETE;
EXECUTE IMMEDIATE $$ BEGIN DELETE FROM m.t; END; $$;
CREATE PROCEDURE j() RETURNS STRING LANGUAGE JAVASCRIPT AS $$ var x = "delete from t"; $$;`,
    [
      'other - < m.cur',
      'delete m.daily',
      'insert m.daily < m.s ?',
      'update m.daily ?',
      'merge m.t < m.s',
      'delete m.t',
    ],
  ],
  [
    'Redshift',
    'redshift',
    'CREATE PROCEDURE m.p() AS $$ BEGIN TRUNCATE m.t; INSERT INTO m.t SELECT * FROM m.s; END; $$ LANGUAGE plpgsql;',
    ['truncate m.t', 'insert m.t < m.s'],
  ],
];

describe('bodies', () => {
  test.each(cases)('%s', (_, dialect, sql, expected) => {
    expect(bodies(sql, dialect)).toEqual(expected);
  });

  test.each(cases)('%s: every target is where its text is', (_, dialect, sql) => {
    const reading = read(sql, dialect);
    expect(misplacedSpans(reading, sql)).toEqual([]);
    const check = (statement: Statement): void => {
      for (const { name, start, end } of [...statement.targets, ...statement.reads])
        expect(sql.slice(start, end)).toBe(name);
      statement.body.forEach(check);
    };
    reading.statements.forEach(check);
  });

  test('what stands inside is no statement of the script', () => {
    for (const [, dialect, sql] of cases)
      for (const statement of read(sql, dialect).statements)
        expect(['do', 'create_procedure', 'other']).toContain(statement.kind);
  });

  test('a body that is never closed hides nothing behind it', () => {
    const targets = read('DO $$ BEGIN DELETE FROM m.t;\nDELETE FROM m.u;\nDELETE FROM m.v;').statements.map(
      ({ target }) => target?.name,
    );
    expect(targets).toContain('m.u');
    expect(targets).toContain('m.v');
  });

  test('a script without a body knows its branches', () => {
    const statements = read(
      'BEGIN DELETE FROM m.a; IF (x) THEN DELETE FROM m.b; ELSE DELETE FROM m.c; END IF; DELETE FROM m.d; END; DELETE FROM m.e;',
      'snowflake',
    ).statements.filter(({ kind }) => kind === 'delete');
    expect(lines(statements)).toEqual(['delete m.a', 'delete m.b ?', 'delete m.c ?', 'delete m.d', 'delete m.e']);
  });

  test('templates in a body keep their place', () => {
    const sql = "DO $$ BEGIN DELETE FROM {{ params.schema }}.t WHERE ds = '{{ ds }}'; DELETE FROM m.u; END $$;";
    const [first, second] = read(sql).statements[0]?.body ?? [];
    expect(first?.target?.templated).toBe(true);
    expect(second?.target && sql.slice(second.target.start, second.target.end)).toBe('m.u');
  });
});
