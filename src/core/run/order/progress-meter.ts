import type { Instant } from '../../time/zones/instant.ts';
import type { RunProgress } from '../unit/run-event.ts';
import type { RunUnit } from '../unit/run-result.ts';

/** Counts ended units and estimates the rest from this run's own pace. */
export interface ProgressMeter {
  /** A unit that an earlier run had finished. */
  before(): void;
  ended(unit: RunUnit): void;
  read(running: number, now: Instant): RunProgress;
}

export function progressMeter(total: number, startedAt: Instant): ProgressMeter {
  let finished = 0;
  let worked = 0;
  const bad = { failed: 0, held: 0, blocked: 0 };
  return {
    before() {
      finished += 1;
    },
    ended({ state }) {
      finished += 1;
      if (state === 'blocked') bad.blocked += 1;
      else worked += 1;
      if (state === 'failed' || state === 'unknown') bad.failed += 1;
      if (state === 'held') bad.held += 1;
    },
    read(running, now) {
      const elapsedMs = now - startedAt;
      const paced = worked > 0 && elapsedMs > 0;
      return {
        ...bad,
        finished,
        total,
        running,
        elapsedMs,
        unitsPerMinute: paced ? (worked * 60_000) / elapsedMs : undefined,
        remainingMs: paced ? Math.round((elapsedMs / worked) * (total - finished)) : undefined,
      };
    },
  };
}
