import type { TaskId } from '../../pipeline/model/model.ts';
import type { Instant } from '../../time/zones/instant.ts';
import type { RunProgress } from '../unit/run-event.ts';
import type { RunUnit } from '../unit/run-result.ts';

/** Counts ended units and estimates the rest: by this run's own pace, and by what units of a task usually take where that is known. */
export interface ProgressMeter {
  /** A unit that an earlier run had finished. */
  before(task: TaskId): void;
  ended(unit: Pick<RunUnit, 'state' | 'durationMs'>, task: TaskId): void;
  /** What units of tasks took before this run, in milliseconds. */
  expect(usual: ReadonlyMap<TaskId, number>): void;
  /** `running`: since when units of which tasks are at work. */
  read(running: readonly Running[], now: Instant): RunProgress;
}

export interface Running {
  readonly task: TaskId;
  readonly since: Instant;
}

/** `tasks`: of each unit. `sideBySide`: units that may run at once. */
export function progressMeter(tasks: readonly TaskId[], startedAt: Instant, sideBySide = 1): ProgressMeter {
  const total = tasks.length;
  let finished = 0;
  let worked = 0;
  const bad = { failed: 0, held: 0, blocked: 0 };
  const left = new Map<TaskId, number>();
  for (const task of tasks) left.set(task, (left.get(task) ?? 0) + 1);
  const took = new Map<TaskId, { units: number; ms: number }>();
  let usual: ReadonlyMap<TaskId, number> = new Map();

  /** What a unit of the task takes; only for tasks that somebody else runs, whose pace is not ours. */
  const expected = (task: TaskId): number | undefined => {
    const own = took.get(task);
    if (!usual.has(task)) return undefined;
    return own === undefined ? usual.get(task) : own.ms / own.units;
  };
  const remaining = (running: readonly Running[], now: Instant): number | undefined => {
    const elapsedMs = now - startedAt;
    const pace = worked > 0 && elapsedMs > 0 ? elapsedMs / worked : undefined;
    let unexpected = 0;
    let ms = 0;
    for (const [task, count] of left) {
      const each = expected(task);
      if (each === undefined) unexpected += count;
      else ms += each * count;
    }
    for (const { task, since } of running) ms -= Math.min(expected(task) ?? 0, now - since);
    if (unexpected > 0 && pace === undefined) return undefined;
    const others = Math.max(1, Math.min(sideBySide, total - finished - unexpected));
    return Math.round(ms / others + unexpected * (pace ?? 0));
  };
  const over = (task: TaskId): void => {
    finished += 1;
    left.set(task, Math.max(0, (left.get(task) ?? 0) - 1));
  };

  return {
    before: over,
    ended({ state, durationMs }, task) {
      over(task);
      if (state === 'blocked') bad.blocked += 1;
      else worked += 1;
      if (state === 'failed' || state === 'unknown') bad.failed += 1;
      if (state === 'held') bad.held += 1;
      if (state === 'blocked' || durationMs === undefined) return;
      const known = took.get(task) ?? { units: 0, ms: 0 };
      took.set(task, { units: known.units + 1, ms: known.ms + durationMs });
    },
    expect(known) {
      usual = known;
    },
    read(running, now) {
      const elapsedMs = now - startedAt;
      const paced = worked > 0 && elapsedMs > 0;
      return {
        ...bad,
        finished,
        total,
        running: running.length,
        elapsedMs,
        unitsPerMinute: paced ? (worked * 60_000) / elapsedMs : undefined,
        remainingMs: remaining(running, now),
      };
    },
  };
}
