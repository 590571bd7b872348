import type { LedgerSlice } from '../../../ledger/ledger-store.ts';
import type { Plan, UnitId } from '../../../plan/model/plan.ts';
import type { UnitJob } from '../../unit/unit-job.ts';

/**
 * What a run will write: one range per table and column where slices touch, so that thousands of units ask the ledger a
 * short question.
 */
export function writtenSlices(plan: Plan, jobs: ReadonlyMap<UnitId, UnitJob>): readonly LedgerSlice[] {
  const byColumn = new Map<string, { table: string; column: string | undefined; ranges: Range[] }>();
  for (const unit of plan.units) {
    if (!jobs.has(unit.id)) continue;
    for (const { table, column, from, to } of unit.slices) {
      const bounded = from === undefined && to === undefined ? undefined : column;
      const name = JSON.stringify([table, bounded]);
      const slices = byColumn.get(name) ?? { table, column: bounded, ranges: [] };
      byColumn.set(name, slices);
      slices.ranges.push({ from: from ?? Number.NEGATIVE_INFINITY, to: to ?? Number.POSITIVE_INFINITY });
    }
  }
  return [...byColumn.values()].flatMap(({ table, column, ranges }) => {
    const merged: Range[] = [];
    for (const range of ranges.sort((a, b) => a.from - b.from)) {
      const last = merged.at(-1);
      if (last !== undefined && range.from <= last.to) last.to = Math.max(last.to, range.to);
      else merged.push({ ...range });
    }
    return merged.map(({ from, to }) => ({ table, column, from: isoBound(from), to: isoBound(to) }));
  });
}

interface Range {
  from: number;
  to: number;
}

const isoBound = (bound: number): string | undefined =>
  Number.isFinite(bound) ? new Date(bound).toISOString() : undefined;
