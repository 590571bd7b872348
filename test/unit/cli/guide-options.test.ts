import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configShape } from '../../../src/node/config/config-shape.ts';
import type { JsonSchema } from '../../../src/node/config/shape.ts';
import { runCli } from '../../support/run-cli.ts';

const guide = readFileSync(new URL('../../../docs/guide.md', import.meta.url), 'utf8');
const isIn = (word: string): boolean => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(guide);
const firstWords = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, word]) => word ?? '');

test('the guide names every option of every command', async () => {
  const { out } = await runCli(['--help'], '/');
  const verbs = firstWords(out, /^ {2}([a-z-]+) \[options\]/gm);
  expect(verbs).toContain('make-safe');
  const helps = await Promise.all(verbs.map((verb) => runCli([verb, '--help'], '/')));
  const options = helps.flatMap((help) => firstWords(help.out, /^ {2}(--[a-z-]+)/gm));
  expect(options).toContain('--preview-on');
  expect(options.filter((option) => !isIn(option))).toEqual([]);
});

test('the guide names every setting of backfill.yaml', () => {
  const names = namesOf(configShape.schema);
  expect(names).toContain('shrinkPercent');
  expect([...new Set(names)].filter((name) => !isIn(name))).toEqual([]);
});

/** Names of members, wherever they stand in a schema. */
function namesOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties } = schema as JsonSchema;
  const own = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return [...own, ...Object.values(schema).flatMap(namesOf)];
}
