import { expect, test } from 'vitest';
import { windowInWords } from '../../../src/core/lineage/facts/window-words.ts';
import type { TimeExpression } from '../../../src/core/time/expressions/time-expression.ts';

const hourMs = 3_600_000;
const start = (ms: number, days = 0): TimeExpression => ({
  anchor: 'start',
  steps: [
    ...(days === 0 ? [] : [{ kind: 'shift', offset: { months: 0, days, ms: 0 }, zone: 'UTC' } as const]),
    ...(ms === 0 ? [] : [{ kind: 'shift', offset: { months: 0, days: 0, ms }, zone: 'UTC' } as const]),
  ],
});

test.each<[string, readonly TimeExpression[], readonly TimeExpression[]]>([
  ['[start, start + 4 hours)', [start(0)], [start(4 * hourMs)]],
  ['[start, start + 4 hours]', [start(0)], [start(4 * hourMs + 1)]],
  ['[start + 4 hours, the same instant]', [start(4 * hourMs)], [start(4 * hourMs + 1)]],
  ['[start - 4 hours, the same instant]', [start(-4 * hourMs)], [start(-4 * hourMs + 1)]],
  ['[start, the same instant]', [start(0)], [start(1)]],
  ['[start + 1 day, the same instant]', [start(0, 1)], [start(1, 1)]],
  ['[start or start - 1 hour, the same instant]', [start(0), start(-hourMs)], [start(1), start(1 - hourMs)]],
  ['[start or start - 1 hour, start]', [start(0), start(-hourMs)], [start(1)]],
  ['[start, start + 1 hour or start + 1 millisecond)', [start(0)], [start(hourMs), start(1)]],
  ['everything up to and including start', [], [start(1)]],
  ['everything before start', [], [start(0)]],
])('%s', (words, lo, hi) =>
  expect(windowInWords({ kind: 'range', column: 'ts', lo, hi } as Parameters<typeof windowInWords>[0])).toBe(words),
);
