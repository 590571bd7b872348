import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { lawRuns } from '../../support/laws.ts';
import { oracle } from './postgres-oracle.ts';
import { read } from './support.ts';

/**
 * Every word that some engine lists, in every place where a name may stand, read as the engines read it. Their answers
 * are recorded by scripts/sql-words/record.py; Postgres' own grammar is asked here.
 */
interface Position {
  readonly sql: string;
  /** Tables that the sentence reads or writes, WORD for the word itself. */
  readonly tables: readonly string[];
}
/** `refused`: the engine takes no such name there. `otherwise`: the word is grammar there, and these are the tables. */
type Recorded = Readonly<
  Record<string, { readonly refused: string; readonly otherwise: Readonly<Record<string, readonly string[]>> }>
>;

const load = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/sql/words/${name}.json`, import.meta.url), 'utf8'));

const listed = (load('words') as string).split(' ');
/** `npm test` takes a share of the words, the whole suite all of them. */
const words = listed.filter((_, index) => index % Math.round(listed.length / lawRuns(listed.length)) === 0);
const positions = Object.entries(load('positions') as Readonly<Record<string, Position>>);
const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort();

const ours = (sql: string, dialect: 'postgres' | 'duckdb' | 'spark'): readonly string[] =>
  sorted(read(sql, dialect).statements.flatMap(({ reads, targets }) => [...reads, ...targets].map(({ name }) => name)));

const postgresTables = (sql: string): readonly string[] | undefined => {
  const statements = oracle(sql);
  if (statements === undefined) return undefined;
  return sorted(
    statements.flatMap(({ reads, target }) => [
      ...reads.map((read) => read.replace(/@\d+$/, '')),
      ...(target === undefined ? [] : [target]),
    ]),
  );
};

const tablesIn = (recorded: Recorded, position: string, word: string, named: readonly string[]) => {
  const said = recorded[position];
  if (said === undefined || ` ${said.refused} `.includes(` ${word} `)) return undefined;
  return said.otherwise[word] ?? named;
};

/** Where an engine takes a sentence for what nobody means by it. */
const knownDifferences = new Set([
  // `a rlike from`: the keyword as a column.
  ...['rlike', 'regexp', 'div'].flatMap((word) => [
    `spark item alias ${word}`,
    `spark item alias behind a call ${word}`,
  ]),
  // `WITH RECURSIVE as (`, `JOIN STREAM on`: names that are keywords behind a keyword that is a name.
  'spark common table recursive',
  'spark joined table stream',
]);

describe.each(['postgres', 'duckdb', 'spark'] as const)('a word as a name in %s', (dialect) => {
  const recorded = dialect === 'postgres' ? undefined : (load(dialect) as Recorded);

  test.each(positions)('%s', (position, { sql, tables }) => {
    let compared = 0;
    const different: string[] = [];
    for (const word of words) {
      const text = sql.replaceAll('WORD', word);
      const named = sorted(tables.map((name) => name.replace('WORD', word)));
      const expected = recorded === undefined ? postgresTables(text) : tablesIn(recorded, position, word, named);
      if (expected === undefined || expected.includes('unknown')) continue;
      if (knownDifferences.has(`${dialect} ${position} ${word}`)) continue;
      compared++;
      const got = ours(text, dialect);
      if (got.join() !== expected.join()) different.push(`${text}: ${got.join(', ')}; not ${expected.join(', ')}`);
    }
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(0.7 * words.length);
  });
});
