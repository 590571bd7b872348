import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { differences, type SqlCase } from './support.ts';

const load = (name: string): SqlCase[] =>
  JSON.parse(readFileSync(new URL(`../../fixtures/sql/${name}`, import.meta.url), 'utf8')) as SqlCase[];

describe.each([
  ['statements.json', 102],
  ['more-statements.json', 131],
  ['clauses.json', 69],
  ['names.json', 46],
])('statements of all dialects: %s', (file, count) => {
  const cases = load(file);
  test('all are there', () => expect(cases).toHaveLength(count));
  test.each(cases.map((one) => [one.id, one] as const))('%s', (_, one) => {
    expect(differences(one)).toEqual([]);
  });
});
