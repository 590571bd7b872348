import { describe, expect, test } from 'vitest';
import type { PlanView } from '../../../src/protocol/assistant-state.ts';
import { timeAxis } from '../../../webview/components/grid/time-axis.ts';

const dayMs = 86_400_000;

function plan(days: number, first = '2026-10-01'): PlanView {
  const start = Date.parse(`${first}T00:00:00Z`);
  const iso = (at: number): string => new Date(at).toISOString();
  const units = Array.from({ length: days }, (_, index) => ({
    start: iso(start + index * dayMs),
    end: iso(start + (index + 1) * dayMs),
    label: iso(start + index * dayMs).slice(0, 10),
  }));
  return { units, rows: [{ units: units.map((_, index) => index) }] } as unknown as PlanView;
}

describe('the time line', () => {
  test.each([
    [31, 'glyph', 1],
    [60, 'small', 1],
    [100, 'plain', 1],
    [1062, 'bucket', 28],
  ] as const)('of %i days at 938 pixels draws %s', (days, density, intervals) => {
    const axis = timeAxis(plan(days), { width: 938, zoom: undefined });
    expect(axis.density).toBe(density);
    if (density === 'bucket') expect(axis.bucket.intervals).toBe(intervals);
  });

  test('has ticks on Mondays, and the month where it is another one', () => {
    const { ticks } = timeAxis(plan(37), { width: 938, zoom: undefined });
    expect(ticks.map(({ label }) => label)).toEqual(['Oct 1', '5', '12', '19', '26', 'Nov 2']);
    for (const { left } of ticks) expect(left).toBeLessThan(1);
  });

  test('zoomed in shows what lies in the part, cut to it', () => {
    const whole = plan(1062, '2024-01-01');
    const from = Date.parse('2024-06-01T00:00:00Z');
    const axis = timeAxis(whole, { width: 938, zoom: { from, to: from + 20 * dayMs } });
    expect(axis.density).toBe('glyph');
    expect(whole.units.filter((unit) => axis.isShown(unit))).toHaveLength(20);
    expect(whole.units.filter((unit) => axis.isShown(unit)).map((unit) => axis.place(unit).left)[0]).toBe(0);
  });
});
