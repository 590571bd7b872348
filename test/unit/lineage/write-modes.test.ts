import { expect, test } from 'vitest';
import { type Files, factsOf } from '../../support/check-files.ts';

const written = (files: Files): readonly string[] =>
  [...factsOf(files).facts.values()].flatMap(({ writes }) =>
    writes.map(({ table, mode, slice }) => `${table} ${mode} ${slice.kind}`),
  );

const sql = (statements: string, dialect = 'postgres'): Files => ({
  'sql/a.sql': `-- backfill: schedule=@daily start=2024-01-01 dialect=${dialect}\n${statements}`,
});

test.each([
  ['a DELETE alone', "DELETE FROM m.t WHERE d = '{{ ds }}';", ['m.t delete range']],
  ['a purge', "DELETE FROM m.t WHERE at < now() - interval '30 days';", ['m.t delete unknown']],
  [
    'a DELETE with its INSERT',
    "DELETE FROM m.t WHERE d = '{{ ds }}'; INSERT INTO m.t SELECT * FROM r.t WHERE d = '{{ ds }}';",
    ['m.t delete+insert range'],
  ],
  [
    'a prune beside an upsert',
    "DELETE FROM m.t WHERE k IN (SELECT k FROM r.gone); INSERT INTO m.t (k, d) SELECT k, d FROM r.t WHERE d = '{{ ds }}' ON CONFLICT (k) DO UPDATE SET d = excluded.d;",
    ['m.t merge unknown'],
  ],
  [
    'the slice deleted before an upsert',
    "DELETE FROM m.t WHERE d = '{{ ds }}'; INSERT INTO m.t (k, d) SELECT k, d FROM r.t WHERE d = '{{ ds }}' ON CONFLICT (k) DO NOTHING;",
    ['m.t delete+insert range'],
  ],
  [
    'a table under its name with and without the schema',
    'DELETE FROM t; INSERT INTO m.t SELECT * FROM r.t;',
    ['m.t full_replace whole-table'],
  ],
  [
    'a table that is dropped and made under its name with and without the schema',
    'DROP TABLE IF EXISTS t; CREATE TABLE public.t (a int); INSERT INTO public.t VALUES (1);',
    ['public.t full_replace whole-table'],
  ],
  [
    'a table of the same name in another schema that is dropped',
    'DROP TABLE IF EXISTS old.t; CREATE TABLE public.t (a int); INSERT INTO public.t VALUES (1);',
    ['public.t append unknown'],
  ],
  ['a mutation of ClickHouse', "ALTER TABLE m.t ON CLUSTER c DELETE WHERE d = '{{ ds }}'", ['m.t delete range']],
  ['another', "ALTER TABLE m.t UPDATE a = 1, b = b + 1 WHERE d = '{{ ds }}'", ['m.t update range']],
  ['a column that is called like one', 'ALTER TABLE m.t DROP COLUMN update', []],
  [
    'a table under one name in the schemas that the text moves through',
    "SET search_path TO m, n; DELETE FROM t WHERE d = '{{ ds }}'; SET search_path TO public; DELETE FROM t; INSERT INTO t SELECT * FROM r.t;",
    ['t delete range', 'public.t full_replace whole-table'],
  ],
  [
    'tables of one name in two schemas',
    'DELETE FROM t; INSERT INTO m.t SELECT * FROM r.t; INSERT INTO n.t SELECT * FROM r.t;',
    ['t full_replace whole-table', 'm.t append unknown', 'n.t append unknown'],
  ],
  [
    'names in brackets',
    "DELETE FROM [m].[t] WHERE [d] = '{{ ds }}'; INSERT INTO [m].[t] SELECT [n], [d] FROM [r].[t] WHERE [d] = '{{ ds }}';",
    ['m.t delete+insert range'],
  ],
  [
    'arrays, which are no names',
    "INSERT INTO m.t SELECT a[1], array[[b], [c]] FROM r.t WHERE d = '{{ ds }}';",
    ['m.t append unknown'],
  ],
  [
    'a partition made anew',
    "DROP TABLE IF EXISTS m.t_{{ ds_nodash }}; CREATE TABLE m.t_{{ ds_nodash }} PARTITION OF m.t FOR VALUES IN ('{{ ds }}'); INSERT INTO m.t SELECT d, n FROM r.t WHERE d = '{{ ds }}';",
    ['m.t insert_overwrite range'],
  ],
  [
    'a table that is replaced, then filled',
    'CREATE OR REPLACE TABLE m.t (n int); INSERT INTO m.t SELECT n FROM r.t;',
    ['m.t full_replace whole-table'],
  ],
])('%s', (_, statements, expected) => expect(written(sql(statements))).toEqual(expected));

test('COPY from a URL without quotes reads no table', () => {
  const files = sql('CREATE OR REPLACE TABLE m.t (n int); COPY INTO m.t FROM s3://b/k.csv;', 'snowflake');
  expect(written(files)).toEqual(['m.t full_replace whole-table']);
  expect([...factsOf(files).facts.values()].flatMap(({ reads }) => reads)).toEqual([]);
});

const leavesOut = (statements: string): readonly unknown[] =>
  [...factsOf(sql(statements)).facts.values()].flatMap(({ writes }) => writes.map((write) => write.leavesOut));

test.each([
  'INSERT INTO m.t (k) SELECT k FROM r.t WHERE k NOT IN (SELECT k FROM m.t)',
  'INSERT INTO m.t (k) SELECT k FROM r.t WHERE n > 0 AND NOT EXISTS (SELECT 1 FROM m.t b WHERE b.k = r.t.k)',
  'INSERT INTO m.t (k) SELECT s.k FROM r.t s LEFT JOIN m.t b ON b.k = s.k WHERE b.k IS NULL',
  'INSERT INTO m.t (k) SELECT k FROM r.t EXCEPT SELECT k FROM m.t',
  'WITH fresh AS (SELECT k FROM r.t WHERE k NOT IN (SELECT k FROM m.t)) INSERT INTO m.t (k) SELECT k FROM fresh JOIN r.u USING (k)',
  'INSERT INTO m.t (k) WITH known AS (SELECT k FROM m.t) SELECT s.k FROM r.t s LEFT JOIN known USING (k) WHERE known.k IS NULL',
  'INSERT INTO m.t (k) SELECT k FROM (SELECT k FROM r.t WHERE k NOT IN (SELECT k FROM m.t)) s',
  'INSERT INTO m.t (k) SELECT k FROM r.t WHERE k NOT IN (SELECT k FROM m.t) UNION SELECT k FROM r.u WHERE k NOT IN (SELECT k FROM m.t)',
])('%s leaves out what is there', (statement) => expect(leavesOut(statement)).toEqual(['sure']));

test.each([
  'INSERT INTO m.t (k) SELECT k FROM r.t',
  'INSERT INTO m.t (k) SELECT k FROM r.t WHERE k IN (SELECT k FROM m.t)',
  'INSERT INTO m.t (k) SELECT k FROM r.t WHERE NOT (k NOT IN (SELECT k FROM m.t))',
  'INSERT INTO m.t (k) SELECT k FROM r.t WHERE k NOT IN (SELECT k FROM r.gone)',
  'INSERT INTO m.t (k) SELECT k FROM r.t WHERE k NOT IN (SELECT k FROM m.t) OR n > 3',
  'INSERT INTO m.t (k) SELECT s.k FROM r.t s LEFT JOIN m.t b ON b.k = s.k',
  'INSERT INTO m.t (k) SELECT s.k FROM r.t s LEFT JOIN (SELECT k FROM r.u WHERE k NOT IN (SELECT k FROM m.t)) u USING (k)',
  'INSERT INTO m.t (k) SELECT k FROM r.t WHERE k NOT IN (SELECT k FROM m.t) UNION ALL SELECT k FROM r.u',
  'INSERT INTO m.t (k) SELECT k FROM r.t WHERE k NOT IN (SELECT k FROM m.t); INSERT INTO m.t (k) SELECT k FROM r.u',
])('%s may add a row again', (statement) => expect(leavesOut(statement)).toEqual([undefined]));

test('common tables that build on two before them are each looked into once', () => {
  const common = Array.from({ length: 60 }, (_, index) => {
    const from = index < 2 ? 'm.t' : `c${index - 1} JOIN c${index - 2} USING (k)`;
    return `c${index} AS (SELECT k FROM ${from} WHERE k > ${index})`;
  });
  expect(leavesOut(`WITH ${common.join(', ')} INSERT INTO m.t (k) SELECT k FROM c59`)).toEqual([undefined]);
});

test('what an UPDATE ends before an INSERT looks for it is not known where nobody has said the columns', () => {
  const ends = "UPDATE m.t d SET until = 'x' FROM src s WHERE s.id = d.id AND d.until IS NULL AND d.v <> s.v";
  const adds = (columns: string) =>
    `INSERT INTO m.t ${columns} SELECT id, v, 'x', NULL FROM src s WHERE NOT EXISTS (SELECT 1 FROM m.t d WHERE d.id = s.id AND d.until IS NULL)`;
  expect(leavesOut(`${ends}; ${adds('(id, v, since, until)')}`)).toEqual(['sure']);
  expect(leavesOut(`${ends}; ${adds('')}`)).toEqual(['open']);
  expect(leavesOut(`${ends}; INSERT INTO m.t SELECT id, v, 'x', NULL FROM src`)).toEqual([undefined]);
});

test.each([
  ['a branch of the name', "m.t_{% if ds > '2024-01-05' %}eu{% else %}us{% endif %}"],
  ['a branch of its first part', "m.{% if ds > '2024-01-05' %}eu{% else %}us{% endif %}_t"],
  ['a loop', 'm.t_{{ r }}'],
])('%s leaves the table unknown, and makes no other of it', (_, name) => {
  const loop = name.includes('{{ r }}') ? ["{% for r in ['a', 'b'] %}", '{% endfor %}'] : ['', ''];
  expect(written(sql(`${loop[0]}DELETE FROM ${name} WHERE d = '{{ ds }}';${loop[1]}`))).toEqual([]);
});

test.each([
  ["{% if ds > '2024-01-05' %} WHERE d = '{{ ds }}'{% endif %}", 'm.t unknown'],
  ["{%- if true %} WHERE d = '{{ ds }}'{% endif %}", 'm.t delete'],
])('a tag right behind a table is no part of its name: %s', (rest, expected) => {
  expect(written(sql(`DELETE FROM m.t${rest};`)).join()).toContain(expected);
});

test('a text of format() that makes a part of a name names no table', () => {
  const body = (text: string) => `DO $$ BEGIN EXECUTE format('${text}', to_char(now(), 'YYYY')); END $$;`;
  expect(written(sql(body('INSERT INTO m.t_%s SELECT 1')))).toEqual([]);
  expect(written(sql(body('INSERT INTO m.t SELECT %s')))).toHaveLength(1);
});

test('a prepared statement does its work where it is executed, with what it is given', () => {
  const clear = 'PREPARE clear(date) AS DELETE FROM m.t WHERE d = $1;';
  const fill = "PREPARE fill AS INSERT INTO m.t SELECT * FROM r.t WHERE d = '{{ ds }}';";
  expect(written(sql(`${clear} ${fill} EXECUTE clear('{{ ds }}'); EXECUTE fill;`))).toEqual([
    'm.t delete+insert range',
  ]);
  expect(written(sql(`${clear} ${fill} EXECUTE fill;`))).toEqual(['m.t append range']);
  expect(written(sql(`${clear} ${fill}`))).toEqual([]);
  expect(written(sql(`${clear} EXECUTE other('{{ ds }}');`))).toEqual([]);
});

test.each([
  ['U&"d\\0061t"', 'm.dat'],
  ['u&"d!00e4t" UESCAPE \'!\'', 'm.dät'],
  ['U&"a""b\\\\c"', 'm."a""b\\c"'],
  ['U&"\\+01F600"', 'm.😀'],
])('%s is the name that it stands for', (name, table) => {
  expect(written(sql(`DELETE FROM m.${name} WHERE d = '{{ ds }}';`))).toEqual([`${table} delete range`]);
});
