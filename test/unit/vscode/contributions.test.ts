import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { commands, manifestContributions, settings } from '../../../src/vscode/contributions.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const sources = readdirSync(`${root}src/vscode`, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/contributions?\.ts$/.test(file))
  .map((file) => readFileSync(`${root}src/vscode/${file}`, 'utf8'))
  .join('\n');

test('package.json contributes what the source says (npm run manifest rewrites it)', () => {
  const generated = JSON.parse(JSON.stringify(manifestContributions()));
  expect(Object.fromEntries(Object.keys(generated).map((key) => [key, manifest[key]]))).toEqual(generated);
});

test.each(Object.keys(commands))('%s is registered', (id) => {
  expect(sources).toMatch(new RegExp(`registerCommand\\(\\s*'${id}'|^ {4}'${id}': `, 'm'));
});

test.each(Object.keys(settings))('%s is read', (id) => {
  expect(sources).toContain(`'${id.replace(/^backfill\./, '')}'`);
});
