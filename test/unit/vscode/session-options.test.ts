import { expect, test } from 'vitest';
import { firstOptions } from '../../../src/vscode/panel/facts/session-options.ts';

const byFile = {
  concurrency: 6,
  compare: 'checksums',
  shrinkPercent: 5,
  earlyCutoff: true,
  keepBeforeDays: 30,
} as const;

test('what nobody has set in the editor is as backfill.yaml says', () => {
  expect(firstOptions(byFile, {})).toEqual({
    concurrency: 6,
    compare: 'checksums',
    shrinkPercent: 5,
    earlyCutoff: true,
    maxConcurrency: 32,
    stopAtFirstFailure: false,
  });
});

test('what somebody has set in the editor counts, a guard that is off as well', () => {
  expect(firstOptions(byFile, { concurrency: 2, shrinkPercent: null, earlyCutoff: false })).toMatchObject({
    concurrency: 2,
    shrinkPercent: undefined,
    earlyCutoff: false,
  });
  expect(firstOptions({ ...byFile, concurrency: 64 }, {}).concurrency).toBe(32);
});

test('skipping that the file has switched off is not switched on by the editor', () => {
  expect(firstOptions({ ...byFile, earlyCutoff: false }, { earlyCutoff: true }).earlyCutoff).toBe(false);
});
