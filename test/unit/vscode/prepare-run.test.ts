import { expect, test } from 'vitest';
import { inDatabase } from '../../../src/vscode/host/workspace/prepare-run.ts';

const asked = { connection: 'spark', database: undefined, speaksSpark: true };

test('tasks of a lake beside the database are not run from the page, and say where they are', () => {
  expect(inDatabase(() => ({ place: { kind: 'lake', connection: 'lake' } }))(asked)).toMatchObject({
    code: 'not-runnable',
    message: expect.stringContaining('files of lake'),
    remedy: expect.stringContaining('backfill run'),
  });
  const here = { place: { kind: 'database' } } as const;
  expect(inDatabase(() => here)(asked)).toBe(here);
  expect(inDatabase(() => undefined)(asked)).toBeUndefined();
});
