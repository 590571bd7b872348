import type { TaskId } from '../../../pipeline/model/model.ts';
import type { UnitId } from '../../../plan/model/plan.ts';
import type { JobSlice, UnitJob } from '../../unit/unit-job.ts';

/**
 * Says of jobs, in the order of their plan, whose rows a later one of the same task puts others in the place of: such rows
 * are there on the way only, and are told from what was there before by nobody but the last of them.
 */
export function withTurns(jobs: ReadonlyMap<UnitId, UnitJob>): ReadonlyMap<UnitId, UnitJob> {
  const later = new Map<string, JobSlice[]>();
  const turned = new Map<UnitId, UnitJob>();
  for (const [unit, job] of [...jobs].reverse()) {
    const slices = job.slices.map((slice): JobSlice => {
      const key = keyOf(job.task, slice);
      const known = later.get(key) ?? [];
      // Of a task whose slices lie side by side only the one that was looked at last can cover this one.
      const passes = replacing.has(slice.mode) && known.some((other) => covers(other, slice));
      later.set(key, passes ? known : [slice, ...known.slice(0, mostLooked - 1)]);
      return passes ? { ...slice, turn: 'passing' } : slice;
    });
    turned.set(unit, slices.some(({ turn }) => turn !== undefined) ? { ...job, slices } : job);
  }
  const passed = new Map<string, JobSlice[]>();
  const result = new Map<UnitId, UnitJob>();
  for (const [unit, plain] of jobs) {
    const job = turned.get(unit) ?? plain;
    const slices = job.slices.map((slice): JobSlice => {
      const key = keyOf(job.task, slice);
      const before = passed.get(key) ?? [];
      if (slice.turn === 'passing') {
        passed.set(key, [slice, ...before].slice(0, mostLooked));
        return slice;
      }
      return before.some((other) => sameRows(slice, other)) ? { ...slice, turn: 'last' } : slice;
    });
    result.set(unit, slices.some(({ turn }) => turn !== undefined) ? { ...job, slices } : job);
  }
  return result;
}

const mostLooked = 64;

/** Modes that leave nothing of what was there before. */
const replacing: ReadonlySet<JobSlice['mode']> = new Set(['full_replace', 'delete+insert', 'insert_overwrite']);

const keyOf = (task: TaskId, { table, column }: JobSlice): string => JSON.stringify([task, table, column ?? null]);

function covers(later: JobSlice, slice: JobSlice): boolean {
  if (!replacing.has(later.mode) || later.stage === true || slice.stage === true) return false;
  const from = later.from === undefined || (slice.from !== undefined && later.from <= slice.from);
  const to = later.to === undefined || (slice.to !== undefined && slice.to <= later.to);
  return from && to && (later.values === undefined || JSON.stringify(later.values) === JSON.stringify(slice.values));
}

const sameRows = (one: JobSlice, other: JobSlice): boolean => one.from === other.from && one.to === other.to;
