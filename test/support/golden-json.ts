import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** As {@link expectGolden} for data: how the committed file is laid out is the formatter's. */
export function expectGoldenJson(file: URL, actual: unknown): void {
  const path = fileURLToPath(file);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, `${JSON.stringify(actual, undefined, 2)}\n`);
  if (!existsSync(path)) throw new Error(`${path} is missing; write it with UPDATE_GOLDEN=1 and read it`);
  expect(JSON.parse(JSON.stringify(actual))).toEqual(JSON.parse(readFileSync(path, 'utf8')));
}
