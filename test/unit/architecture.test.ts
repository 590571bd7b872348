import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Paths in backquotes that start at a folder of the repository and hold no placeholder. */
function pathsIn(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const paths = [...text.matchAll(/`((?:src|webview|test|scripts|bench|docs|examples)\/[^`\s<*]*)`/g)];
  return paths.map((match) => match[1] as string);
}

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md'])('every path that %s names is there', (page) => {
  expect(pathsIn(page).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('the two ways of ARCHITECTURE.md name files', () => {
  expect(pathsIn('ARCHITECTURE.md').filter((path) => path.endsWith('.ts')).length).toBeGreaterThan(25);
});
