import { describe, expect, test } from 'vitest';
import type { SliceFact, WriteFact } from '../../../src/core/lineage/facts/facts.ts';
import type { PlanUnit } from '../../../src/core/plan/model/plan.ts';
import { sharedSlice } from '../../../src/core/run/jobs/slices/shared-slice.ts';
import type { TimeExpression } from '../../../src/core/time/expressions/time-expression.ts';

const at = (anchor: 'start' | 'end', floor?: 'day' | 'month', days = 0): TimeExpression => ({
  anchor,
  steps: [
    ...(floor === undefined ? [] : [{ kind: 'floor' as const, unit: floor, zone: 'UTC' as never }]),
    ...(days === 0 ? [] : [{ kind: 'shift' as const, offset: { months: 0, days, ms: 0 }, zone: 'UTC' as never }]),
  ],
});
const range = (lo: TimeExpression, hi: TimeExpression): SliceFact => ({
  kind: 'range',
  column: 'day',
  lo,
  hi,
  predicate: undefined,
});
const own = range(at('start'), at('end'));
const unit = (start: string, end: string, next = end): PlanUnit =>
  ({
    start: Date.parse(start),
    next: Date.parse(next),
    data: { start: Date.parse(start), end: Date.parse(end) },
  }) as never;
const day = unit('2026-11-28T00:00:00Z', '2026-11-29T00:00:00Z');
const hour = unit('2026-11-28T05:00:00Z', '2026-11-28T06:00:00Z');
const month = unit('2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z');
const moment = unit('2026-11-28T00:00:00Z', '2026-11-28T00:00:00Z', '2026-11-29T00:00:00Z');
const write = (slice: SliceFact, mode: WriteFact['mode'] = 'merge'): WriteFact => ({
  table: 'mart.t',
  slice,
  mode,
  key: [],
  provenance: 'sql',
  at: undefined,
});

describe('whether the rows of a slice are the unit’s alone', () => {
  test.each<[string, WriteFact, PlanUnit]>([
    ['the interval itself', write(own), day],
    ['a month', write(own), month],
    ['the day of a run that is a moment', write(range(at('start', 'day'), at('start', 'day', 1))), moment],
    ['the day before', write(range(at('start', undefined, -1), at('start'))), day],
    ['a table that every interval rewrites', write({ kind: 'whole-table' }, 'full_replace'), day],
    ['rows that are added and guarded', write(own, 'append'), day],
  ])('they are: %s', (_, fact, of) => {
    expect(sharedSlice(fact, of, [])).toBeUndefined();
  });

  test.each<[string, WriteFact, PlanUnit, readonly string[], RegExp]>([
    ['another task writes the table', write(own), day, ['shop.other'], /^shop.other writes mart.t too$/],
    [
      'the hours of a day write its slice',
      write(range(at('start', 'day'), at('start', 'day', 1))),
      hour,
      [],
      /^other intervals/,
    ],
    ['month to date', write(range(at('start', 'month'), at('end'))), day, [], /^other intervals/],
    ['the last seven days', write(range(at('end', undefined, -7), at('end'))), day, [], /^other intervals/],
    [
      'nobody knows which',
      write({ kind: 'unknown', reason: 'no column' }),
      day,
      [],
      /no column; declare column, or slice: all/,
    ],
    ['each interval adds to the whole', write({ kind: 'whole-table' }, 'append'), day, [], /adds its rows/],
    ['rows are only changed', write(own, 'update'), day, [], /only changes rows/],
    ['a declared table that no statement writes', write({ kind: 'whole-table' }, 'unknown'), day, [], /is not known$/],
  ])('they are not: %s', (_, fact, of, writers, why) => {
    expect(sharedSlice(fact, of, writers)).toMatch(why);
  });
});
