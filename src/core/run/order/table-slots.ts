import type { Plan, UnitId } from '../../plan/model/plan.ts';
import { minHeap } from '../../plan/units/min-heap.ts';
import { tableCap, type UnitJob } from '../unit/unit-job.ts';

/** Keeps units back while as many others as may write one of their tables at once. Units are positions in the plan. */
export interface TableSlots {
  /** Whether there is a place at each of the unit's tables. Where there is none, the unit is kept until one is free. */
  hasPlace(position: number): boolean;
  take(position: number): void;
  /** The unit has ended, or was put off for another reason: who may try in its stead, one for each place. */
  free(position: number): readonly number[];
  next(position: number): readonly number[];
}

export function tableSlots(plan: Plan, jobs: ReadonlyMap<UnitId, UnitJob>): TableSlots {
  const lanes = new Map<string, Lane>();
  const tables = plan.units.map(({ id }): readonly Lane[] => {
    const job = jobs.get(id);
    const names = new Set<string>();
    for (const slice of job?.slices ?? []) {
      const cap = job && tableCap(slice, job.options);
      if (cap === undefined) continue;
      names.add(slice.table);
      const lane = lanes.get(slice.table);
      if (lane === undefined) lanes.set(slice.table, { cap, taken: 0, kept: minHeap((a, b) => a - b) });
      else lane.cap = Math.min(lane.cap, cap);
    }
    return [...names].flatMap((name) => lanes.get(name) ?? []);
  });
  const lanesOf = (position: number): readonly Lane[] => tables[position] ?? [];
  const next = (position: number): readonly number[] =>
    lanesOf(position).flatMap((lane) => (lane.taken < lane.cap ? (lane.kept.pop() ?? []) : []));

  return {
    hasPlace(position) {
      const full = lanesOf(position).find(({ taken, cap }) => taken >= cap);
      full?.kept.push(position);
      return full === undefined;
    },
    take(position) {
      for (const lane of lanesOf(position)) lane.taken += 1;
    },
    free(position) {
      for (const lane of lanesOf(position)) lane.taken -= 1;
      return next(position);
    },
    next,
  };
}

/** One table: its units at work, and those that are kept back. */
interface Lane {
  cap: number;
  taken: number;
  readonly kept: ReturnType<typeof minHeap<number>>;
}
