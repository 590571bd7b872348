import { describe, expect, it } from 'vitest';
import { readsOfSql } from './workspace.ts';

const before = 'days.day [day of start (UTC) - 1 day, day of start (UTC))';
const where = "FROM days WHERE day = date '{{ ds }}' - 1";

/** What a DO with these declarations and statements reads of `days`. */
const readsOfBody = (declared: string, statements: string): readonly string[] =>
  readsOfSql(`DO $$ DECLARE ${declared} BEGIN ${statements} END $$`);

describe('a query that stands in an expression of a body reads what its condition says', () => {
  it.each([
    [`n bigint := (SELECT count(*) ${where});`, 'NULL;'],
    ['n bigint;', `n := (SELECT count(*) ${where});`],
    ['n bigint;', `n := coalesce((SELECT count(*) ${where}), 0);`],
    // An expression is what a SELECT makes of it, with all that may follow one.
    ['n bigint;', `n := count(*) ${where};`],
    ['n bigint;', `n := extract(day from now()) + count(*) ${where};`],
    ['a int[];', `a := ARRAY(SELECT id ${where});`],
    ['r record;', `FOR r IN SELECT id ${where} LOOP NULL; END LOOP;`],
    ['c CURSOR FOR', `SELECT id ${where}; BEGIN OPEN c; END;`],
    ['n bigint;', `IF EXISTS (SELECT ${where}) THEN n := 1; END IF;`],
    ['n bigint;', `CASE WHEN (SELECT count(*) ${where}) > 0 THEN n := 1; ELSE n := 0; END CASE;`],
    ['n bigint;', `WHILE n < (SELECT count(*) ${where}) LOOP n := n + 1; END LOOP;`],
    ['n bigint;', `LOOP EXIT WHEN (SELECT count(*) ${where}) > 0; END LOOP;`],
    ['n bigint;', `ASSERT (SELECT count(*) ${where}) > 0;`],
    ['n bigint;', `PERFORM f(id) ${where};`],
    ['n bigint;', `RETURN count(*) ${where};`],
    [`x int; n bigint := (SELECT count(*) ${where});`, 'NULL;'],
    [`x int; n numeric(10, 2) DEFAULT (SELECT count(*) ${where});`, 'NULL;'],
    [`n bigint := count(*) ${where};`, 'NULL;'],
    ['n bigint;', `n = (SELECT count(*) ${where});`],
    ['r record;', `r.n := (SELECT count(*) ${where});`],
    ['a int[];', `a[1] = (SELECT count(*) ${where});`],
    ['n bigint;', `IF n > 0 THEN NULL; ELSIF count(*) > 0 ${where} THEN NULL; END IF;`],
    ['n bigint;', `FOREACH n IN ARRAY ARRAY[1, 2] LOOP PERFORM 1 ${where}; END LOOP;`],
    ['r record;', `FOR r IN EXECUTE 'SELECT id FROM days WHERE day = ''{{ ds }}''::date - 1' LOOP NULL; END LOOP;`],
    ['r record;', `RETURN QUERY EXECUTE 'SELECT id FROM days WHERE day = ''{{ ds }}''::date - 1';`],
  ])('DECLARE %s BEGIN %s', (declared, statements) => {
    expect(readsOfBody(declared, statements)).toEqual([before]);
  });

  it('each of several by its own', () => {
    const two =
      "n := (SELECT count(*) FROM days WHERE day = '{{ ds }}') - (SELECT count(*) FROM other WHERE day < '{{ ds }}');";
    expect(readsOfBody('n bigint;', two)).toEqual([
      'days.day [day of start (UTC), day of start (UTC) + 1 day)',
      'other.day everything before day of start (UTC)',
    ]);
  });

  it('and no table stands behind the FROM of a call or of a comparison', () => {
    expect(
      readsOfBody(
        'n int; d date; b bool;',
        "n := extract(day from d); b := d is distinct from n; RETURN trim(both from 'a');",
      ),
    ).toEqual([]);
  });
});

it('what EXECUTE is given by USING is not known, and said', () => {
  const looped = `FOR r IN EXECUTE 'SELECT id FROM days WHERE day = $1' USING date '{{ ds }}' LOOP NULL; END LOOP;`;
  expect(readsOfBody('r record;', looped)).toEqual(['days unknown: the bound on day cannot be read: $1']);
});

describe('a variable is no column', () => {
  it.each([
    ["v date := '{{ ds }}';", 'v := v - 1; PERFORM 1 FROM days WHERE day = v;', 'v'],
    ['v date;', 'SELECT max(d) INTO v FROM x; INSERT INTO t SELECT * FROM days WHERE (day >= v);', 'v'],
    [
      'd date;',
      'FOR d IN SELECT generate_series(1, 2) LOOP DELETE FROM t WHERE k IN (SELECT k FROM days WHERE day = d); END LOOP;',
      'd',
    ],
  ])('DECLARE %s BEGIN %s', (declared, statements, name) => {
    expect(readsOfBody(declared, statements)).toContain(`days unknown: the bound on day cannot be read: ${name}`);
  });

  it('but a column, an alias or a target of the same name stays one', () => {
    expect(
      readsOfBody(
        'n int;',
        "INSERT INTO t (day, n) SELECT day, count(*) AS n FROM days WHERE day = '{{ ds }}' GROUP BY day; UPDATE t SET n = 1 WHERE day = '{{ ds }}';",
      ),
    ).toContain('days.day [day of start (UTC), day of start (UTC) + 1 day)');
  });
});
