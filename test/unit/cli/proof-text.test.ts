import { createColors } from 'picocolors';
import { expect, test } from 'vitest';
import { proofText } from '../../../src/cli/reporters/run/proof-text.ts';
import type { UnitProof } from '../../../src/core/run/relational/prove/prove.ts';

const same: UnitProof['verdict'] = { kind: 'no-difference' };
const outside: UnitProof['verdict'] = { kind: 'outside', reason: 'one row of mart.b changed' };
const failed: UnitProof['verdict'] = {
  kind: 'failed',
  error: {
    kind: 'refused',
    message: 'no such table',
    remedy: undefined,
    retryable: false,
    sqlState: '42P01',
    statement: undefined,
  },
};

const sumOf = (...verdicts: readonly UnitProof['verdict'][]): string | undefined => {
  const proofs = verdicts.map((verdict, index) => ({
    unit: `d.t@${index}`,
    task: 'd.t',
    verdict,
    varied: [],
    notCovered: [],
    notEmptied: [],
    leftOut: [],
  }));
  const report = { proofs, refused: new Map(), findings: [], target: 'wh', text: () => undefined };
  return proofText(report, createColors(false)).trimEnd().split('\n').at(-1);
};
const different: UnitProof['verdict'] = { kind: 'different', under: 'another plan', slices: [], statements: [] };

test.each<[readonly UnitProof['verdict'][], string]>([
  [[same], '1 unit run twice on wh: 1 without a difference; nothing was kept'],
  [[same, different], '2 units run twice on wh: 1 without a difference; nothing was kept'],
  [
    [same, outside, failed, outside],
    '1 unit run twice on wh: 1 without a difference; 3 units not compared: 2 wrote outside of their slices, 1 failed; nothing was kept',
  ],
  [[outside], 'no unit run twice on wh; 1 unit not compared: 1 wrote outside of its slice; nothing was kept'],
  [[{ kind: 'cancelled' }], 'no unit run twice on wh; 1 unit not compared: 1 cancelled; nothing was kept'],
])('the sum of a proof counts as run twice what was compared: %#', (verdicts, expected) => {
  expect(sumOf(...verdicts)).toBe(expected);
});
