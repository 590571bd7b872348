import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/core/lint/model/finding.ts';
import type { ProblemView, UnknownView } from '../../../src/core/view/document/document-view.ts';
import { onePerCause } from '../../../src/core/view/document/one-per-cause.ts';

const at = (start: number, end: number) => ({ start, end });
const unknown = (start: number, end: number, patch: Partial<UnknownView> = {}): UnknownView => ({
  task: 'a.t',
  about: 'window',
  at: at(start, end),
  message: 'not known',
  ...patch,
});
const problem = (severity: ProblemView['severity'], start: number, end: number): ProblemView => ({
  at: at(start, end),
  message: severity,
  severity,
});
const finding = (start: number, end: number): Finding => ({ at: { file: 'a.py', ...at(start, end) } }) as Finding;
const shown = (...input: Parameters<typeof onePerCause>) => {
  const { problems, unknowns } = onePerCause(...input);
  return [...problems, ...unknowns].map(({ message }) => message);
};

describe('one mark for a cause', () => {
  test('what is not known where something is wrong waits until that is right', () => {
    expect(shown([finding(0, 9)], [], [unknown(3, 5)])).toEqual([]);
    for (const severity of ['error', 'warning'] as const) {
      expect(shown([], [problem(severity, 0, 9)], [unknown(3, 5)])).toEqual([severity]);
      expect(shown([], [problem(severity, 0, 9), problem('info', 3, 5)], [])).toEqual([severity]);
    }
    // Beside it, it is a cause of its own.
    expect(
      shown([finding(0, 3)], [problem('error', 6, 9), problem('info', 3, 6)], [unknown(3, 6, { about: 'slice' })]),
    ).toEqual(['error', 'not known']);
    expect(shown([finding(0, 3)], [problem('error', 6, 9), problem('info', 4, 6)], [])).toEqual(['error', 'info']);
  });

  test('two things that are wrong at one place are two', () => {
    expect(shown([finding(0, 9)], [problem('error', 0, 9), problem('warning', 0, 9)], [])).toEqual([
      'error',
      'warning',
    ]);
  });

  test('what tasks of a loop have in common is said once, what they have not in one mark', () => {
    const loop = [unknown(0, 9), unknown(0, 9, { task: 'a.u' })];
    expect(onePerCause([], [], loop).unknowns).toEqual([unknown(0, 9)]);
    expect(
      shown([], [], [unknown(0, 9, { message: 'of raw.clicks' }), unknown(0, 9, { message: 'of raw.views' })]),
    ).toEqual(['of raw.clicks\nof raw.views']);
    expect(shown([], [], [unknown(0, 9), unknown(0, 9, { about: 'slice', message: 'other' })])).toEqual([
      'not known',
      'other',
    ]);
  });
});
