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
    "DECLARE r record; BEGIN FOR r IN EXECUTE 'SELECT * FROM ' || 'a' LOOP DELETE FROM b; END LOOP; END",
    "EXECUTE 'SELECT * FROM ' || 'a'",
  ],
  [
    "BEGIN EXECUTE format('INSERT INTO %I SELECT 1', 'a'); EXECUTE format('DELETE FROM %s', tg_name); END",
    "EXECUTE format('DELETE FROM %s', tg_name)",
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
