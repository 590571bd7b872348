import { expect, test } from 'vitest';
import { adviceOn } from '../../../src/cli/reporters/run/on-connection.ts';

test.each([
  ['list them with: backfill history', 'list them with: backfill history --connection lake'],
  [
    'look; if that is right: backfill resume r1 --accept-held; to hold no more, in backfill.yaml: tasks: { a: { hold: false } }',
    'look; if that is right: backfill resume r1 --accept-held --connection lake; to hold no more, in backfill.yaml: tasks: { a: { hold: false } }',
  ],
  [
    'backfill run a --logical-dates x..y; then backfill run b --logical-dates x..z',
    'backfill run a --logical-dates x..y --connection lake; then backfill run b --logical-dates x..z --connection lake',
  ],
  ['give the task a statement', 'give the task a statement'],
])('%s', (advice, named) => {
  expect(adviceOn('lake', advice)).toBe(named);
  expect(adviceOn(undefined, advice)).toBe(advice);
});
