import { expect, test } from 'vitest';
import { workspace } from './workspace.ts';

/** The places of unknown tables in a task of one DO block, as its text has them. */
function unknownIn(body: string): readonly string[] {
  const sql = `DO $$ ${body} $$;`;
  const { facts } = workspace({ d: { tasks: { t: sql } } });
  const found = facts.get('d.t')?.unknowns ?? [];
  return found.flatMap(({ about, message, at }) =>
    about === 'tables' && message.endsWith('it runs SQL that it makes.') ? [sql.slice(at?.start, at?.end)] : [],
  );
}

test.each([
  [
    "DECLARE n text; BEGIN n := 'a'; EXECUTE format('INSERT INTO %I SELECT 1', n); END",
    "EXECUTE format('INSERT INTO %I SELECT 1', n)",
  ],
  [
    "DECLARE q text := 'DELETE FROM a WHERE day = '; BEGIN EXECUTE q || quote_literal('{{ ds }}'); END",
    "EXECUTE q || quote_literal('{{ ds }}')",
  ],
  [
    "DECLARE r record; w text; BEGIN FOR r IN EXECUTE 'SELECT * FROM a ' || w LOOP DELETE FROM b; END LOOP; END",
    "EXECUTE 'SELECT * FROM a ' || w",
  ],
  [
    "BEGIN EXECUTE format('INSERT INTO %I SELECT 1', 'a'); EXECUTE format('DELETE FROM %s', tg_name); END",
    "EXECUTE format('DELETE FROM %s', tg_name)",
  ],
  [
    "BEGIN EXECUTE 'DELETE FROM a WHERE ' || tg_argv[0] || ' AND n = 1'; END",
    "EXECUTE 'DELETE FROM a WHERE ' || tg_argv[0] || ' AND n = 1'",
  ],
  ["DECLARE w text; BEGIN EXECUTE 'DELETE FROM a ' || w; END", "EXECUTE 'DELETE FROM a ' || w"],
  [
    "DECLARE c text; BEGIN EXECUTE 'INSERT INTO a (' || c || ') SELECT x, y FROM b'; END",
    "EXECUTE 'INSERT INTO a (' || c || ') SELECT x, y FROM b'",
  ],
  [
    "DECLARE c text; BEGIN EXECUTE 'DELETE FROM a WHERE ' || c || ' = 1'; END",
    "EXECUTE 'DELETE FROM a WHERE ' || c || ' = 1'",
  ],
  [
    "DECLARE n text; BEGIN EXECUTE format('DELETE FROM %I', 'a' || n); END",
    "EXECUTE format('DELETE FROM %I', 'a' || n)",
  ],
])('what a body makes of a name that only its run has is not known: %s', (body, place) =>
  expect(unknownIn(body)).toEqual([place]),
);

test.each([
  "BEGIN EXECUTE 'DELETE FROM a'; EXECUTE format('INSERT INTO %I VALUES (%L)', 'a', '{{ ds }}'); END",
  "DECLARE n text; BEGIN EXECUTE format('ANALYZE %I', n); EXECUTE 'CREATE INDEX ON ' || n; END",
  "DECLARE n text; BEGIN EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF a FOR VALUES IN (1)', n); INSERT INTO a SELECT 1; END",
  "BEGIN RAISE NOTICE 'execute %', 1; DELETE FROM a; END",
])('what is read, or touches no rows, is none of it: %s', (body) => expect(unknownIn(body)).toEqual([]));

/** The tables that a task of one DO block writes and reads, and the names that only the run has. */
function tablesIn(body: string): unknown {
  const { facts } = workspace({ d: { tasks: { t: `DO $$ BEGIN ${body} END $$;` } } });
  const own = facts.get('d.t');
  return {
    writes: own?.writes.map(({ table, mode, slice }) => [table, mode, slice.kind]),
    reads: own?.reads.map(({ table }) => table),
    unknown: own?.unknowns.flatMap(({ about, message }) => (about === 'table-name' ? [message] : [])),
  };
}

const onlyKnown = (name: string): string => `The table ${name} is only known when the task runs.`;
const day = "''{{ ds }}''";

test.each([
  [`'DELETE FROM m.s' || '_' || to_char(d, 'YYYY') || ' WHERE day = ${day}'`, 'm.s_…'],
  [`'DELETE FROM m.s_' || n || ' WHERE day = ${day}'`, 'm.s_…'],
  [`'DELETE FROM m.s_' || substr('{{ ds_nodash }}', 1, 6) || '_x WHERE day = ${day}'`, 'm.s_…_x'],
  [`'DELETE FROM m.' || r.tablename || ' WHERE day = ${day}'`, 'm.…'],
  [`'DELETE FROM m."' || n || '" WHERE day = ${day}'`, 'm.…'],
  [`'DELETE FROM ' || s || '.t WHERE day = ${day}'`, '….t'],
  ["'TRUNCATE m.s_' || n", 'm.s_…'],
  ["('DELETE FROM m.s_' || n)", 'm.s_…'],
])('a name of which an expression decides a part is not known: %s', (text, name) =>
  expect(tablesIn(`EXECUTE ${text};`)).toEqual({ writes: [], reads: [], unknown: [onlyKnown(name)] }),
);

test.each([
  `'DELETE FROM m.s' || 'ales WHERE day = ${day}'`,
  `'DELETE FROM m' || '.' || 'sales WHERE day = ${day}'`,
  "'DELETE FROM m.sales' || ' WHERE day = ''' || '{{ ds }}' || ''' AND n > ' || x",
  `'DELETE FROM m.sales WHERE day = date ${day} AND k = ''' || k || ''''`,
  `'DELETE FROM m.sales'\n' WHERE day = date ${day}'`,
  `format('DELETE FROM m.%I' || ' WHERE day = ${day}', 's' || 'ales')`,
])('constants that are put together are one text, whatever values stand in it: %s', (text) => {
  expect(tablesIn(`EXECUTE ${text};`)).toMatchObject({ writes: [['m.sales', 'delete', 'range']], unknown: [] });
  const inserted = 'INSERT INTO m.sales SELECT * FROM raw.o';
  expect(tablesIn(`EXECUTE ${text}; ${inserted};`)).toMatchObject({ reads: ['raw.o'] });
});

test('no statement is lost whose table only the run names', () =>
  expect(
    tablesIn(`EXECUTE 'INSERT INTO m.s_' || n || ' SELECT * FROM raw.o WHERE day = ${day}'; DELETE FROM m.t;`),
  ).toEqual({
    writes: [['m.t', 'full_replace', 'whole-table']],
    reads: ['raw.o'],
    unknown: [onlyKnown('m.s_…')],
  }));
