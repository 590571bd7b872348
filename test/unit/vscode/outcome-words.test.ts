import { expect, test } from 'vitest';
import type { UnitState } from '../../../src/core/ledger/ledger-store.ts';
import type { RunResult } from '../../../src/core/run/unit/run-result.ts';
import { outcomeInWords } from '../../../src/vscode/panel/words/outcome-words.ts';

const said = (outcome: RunResult['outcome'], ...states: readonly UnitState[]): string =>
  outcomeInWords({ outcome, units: states.map((state) => ({ state })) } as unknown as RunResult, 'preview');

test('a preview says also what would be held, and what a cancel left out', () => {
  expect(said('done', 'changed', 'unchanged')).toBe('1 would change, 1 would stay as they are. Nothing was written.');
  expect(said('held', 'changed', 'held', 'blocked')).toBe(
    '1 would change, 0 would stay as they are, 1 would be held, 1 not looked at. Nothing was written.',
  );
  expect(said('cancelled', 'changed', 'cancelled', 'waiting')).toBe(
    'Cancelled: 1 would change, 0 would stay as they are, 2 not looked at. Nothing was written.',
  );
  expect(said('failed', 'changed', 'failed', 'blocked')).toBe('The preview stopped: 1 failed. Nothing was written.');
});
