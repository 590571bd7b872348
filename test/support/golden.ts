import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/**
 * Compares a text with the file that holds what it should be. A missing file fails; `UPDATE_GOLDEN=1` writes it, to be
 * read as a diff before it is committed.
 */
export function expectGolden(file: URL, actual: string): void {
  const path = fileURLToPath(file);
  if (process.env.UPDATE_GOLDEN === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, actual);
  }
  if (!existsSync(path)) throw new Error(`${path} is missing; write it with UPDATE_GOLDEN=1 and read it`);
  expect(actual).toBe(readFileSync(path, 'utf8'));
}
