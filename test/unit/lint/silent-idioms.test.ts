import { expect, test } from 'vitest';
import { checkFiles, inWords } from '../../support/check-files.ts';
import { silentIdioms } from './silent-idioms.ts';

test.each(Object.entries(silentIdioms))('%s', (_, files) => {
  const serious = checkFiles(files).filter(({ severity }) => severity === 'error' || severity === 'warning');
  expect(serious.map((finding) => inWords(files, finding))).toEqual([]);
});
