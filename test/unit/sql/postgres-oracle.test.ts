import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lawRuns } from '../../support/laws.ts';
import { oracle } from './postgres-oracle.ts';
import { postgresScript } from './postgres-scripts.ts';
import { read, type SqlCase } from './support.ts';

/** The facts of our reading in the oracle's terms. */
const facts = (sql: string) =>
  read(sql, 'postgres').statements.map((statement) => ({
    kind: statement.kind,
    target: statement.target?.name,
    reads: [...statement.reads].sort((a, b) => a.start - b.start).map((table) => `${table.name}@${table.start}`),
    columns: statement.query === undefined || statement.kind === 'merge' ? undefined : statement.outputColumns,
  }));

const cases = ['statements.json', 'more-statements.json'].flatMap((file) =>
  (JSON.parse(readFileSync(new URL(`../../fixtures/sql/${file}`, import.meta.url), 'utf8')) as SqlCase[]).filter(
    ({ dialect }) => dialect === 'postgres',
  ),
);

/** Where the product says something else than the grammar on purpose, or Postgres refuses the text as a whole. */
const notComparable = new Set([
  'postgres-18', // the table of an index is its target
  'postgres-23', // rows behind COPY
  'postgres-36', // LOCK and VACUUM read nothing
  'postgres-38', // parameters
  'postgres-39', // no terminator
  'postgres-40', // commands of psql
  'postgres-44', // no terminator
  'postgres-45', // a rule has no target
  'postgres-47', // no terminator
]);

describe('Postgres reads the same', () => {
  test.each(cases.filter(({ id }) => !notComparable.has(id)).map(({ id, sql }) => [id, sql] as const))(
    '%s',
    (id, sql) => {
      const expected = oracle(sql);
      if (expected === undefined) throw new Error(`Postgres refuses ${id}`);
      expect(comparable(facts(sql), expected)).toEqual(expected);
    },
  );

  test('in generated scripts, position by position', () => {
    let compared = 0;
    fc.assert(
      fc.property(postgresScript, (sql) => {
        const expected = oracle(sql);
        fc.pre(expected !== undefined);
        compared++;
        expect(comparable(facts(sql), expected ?? []), sql).toEqual(expected);
      }),
      { numRuns: lawRuns(400) },
    );
    expect(compared).toBeGreaterThan(lawRuns(300));
  });
});

/** A VALUES list has no select list in the grammar. */
const comparable = (ours: ReturnType<typeof facts>, theirs: NonNullable<ReturnType<typeof oracle>>) =>
  ours.map((fact, index) => (theirs[index]?.columns === undefined ? { ...fact, columns: undefined } : fact));
