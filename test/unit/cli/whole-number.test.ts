import { expect, test } from 'vitest';
import { wholeNumber } from '../../../src/cli/terminal/whole-number.ts';
import { runCli } from '../../support/run-cli.ts';

test('a number has its least and its most', () => {
  expect(['1', '64'].map((text) => wholeNumber('--concurrency', text, 1, 64))).toEqual([1, 64]);
  for (const text of ['0', '65', '-1', '1.5', 'x', ''])
    expect(() => wholeNumber('--concurrency', text, 1, 64)).toThrow(
      `--concurrency ${text} is not a whole number from 1 to 64`,
    );
});

test('a list of no runs is not asked for: it would say that there are none', async () => {
  expect(await runCli(['history', '--limit', '0'], '/')).toMatchObject({ code: 2, out: '' });
});
