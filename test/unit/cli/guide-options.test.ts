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

test.each(['README.md', 'docs/guide.md', 'docs/first-steps.md'])(
  'what %s tells to type is what the commands take',
  async (page) => {
    const text = readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8');
    const help = new Map<string, string>();
    const wrong: string[] = [];
    for (const [typed = '', verb = '', rest = ''] of text.matchAll(/(?<=^|`|\$ )backfill +([a-z-]+)([^\n`#]*)/gm)) {
      if (!help.has(verb)) help.set(verb, (await runCli([verb, '--help'], '/')).out);
      const known = new Set(firstWords(help.get(verb) ?? '', /(--[a-z-]+)/g));
      if (known.size === 0 || firstWords(rest, /(--[a-z-]+)/g).some((option) => !known.has(option))) wrong.push(typed);
    }
    expect(help.size).toBeGreaterThan(3);
    expect(wrong).toEqual([]);
  },
);

/** Names of members, wherever they stand in a schema. */
function namesOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties } = schema as JsonSchema;
  const own = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return [...own, ...Object.values(schema).flatMap(namesOf)];
}
