import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { differences, type SqlCase } from './support.ts';

const load = (name: string): SqlCase[] =>
  JSON.parse(readFileSync(new URL(`../../fixtures/sql/${name}`, import.meta.url), 'utf8')) as SqlCase[];

describe('statements of eight dialects', () => {
  const cases = load('statements.json');
  test('all are there', () => expect(cases).toHaveLength(102));
  test.each(cases.map((one) => [one.id, one] as const))('%s', (_, one) => {
    expect(differences(one)).toEqual([]);
  });
});
