import type { Plan, UnitId } from '../../plan/model/plan.ts';
import { tableCap, type UnitJob } from '../unit/unit-job.ts';
import { type ReadyUnits, readyUnits } from './ready-units.ts';

/** Keeps units back while as many others as may write one of their tables at once. Units are positions in the plan. */
export interface TableSlots {
  /** Whether there is a place at each of the unit's tables. Where there is none, the unit is kept until one is free. */
  hasPlace(position: number): boolean;
  take(position: number): void;
  /** The unit has ended, or was put off for another reason: who may try in its stead, one for each place. */
  free(position: number): readonly number[];
  next(position: number): readonly number[];
  /** Whether the unit is kept back. */
  has(position: number): boolean;
  /** Keeps it back no longer: it goes with another one that has a place. */
  remove(position: number): void;
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
      if (lane === undefined) lanes.set(slice.table, { cap, taken: 0, kept: readyUnits() });
      else lane.cap = Math.min(lane.cap, cap);
    }
    return [...names].flatMap((name) => lanes.get(name) ?? []);
  });
  const lanesOf = (position: number): readonly Lane[] => tables[position] ?? [];
  const next = (position: number): readonly number[] =>
    lanesOf(position).flatMap((lane) => (lane.taken < lane.cap ? (lane.kept.take() ?? []) : []));

  return {
    hasPlace(position) {
      const full = lanesOf(position).find(({ taken, cap }) => taken >= cap);
      full?.kept.put(position);
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
    has: (position) => lanesOf(position).some(({ kept }) => kept.has(position)),
    remove(position) {
      for (const { kept } of lanesOf(position)) kept.remove(position);
    },
  };
}

/** One table: its units at work, and those that are kept back. */
interface Lane {
  cap: number;
  taken: number;
  readonly kept: ReadyUnits;
}
