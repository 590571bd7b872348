import type { Scheduler } from '../../scheduler/port/scheduler.ts';
import { SchedulerError } from '../../scheduler/port/scheduler-error.ts';
import type { CancelSignal } from '../unit/cancel-signal.ts';
import type { Clock } from '../unit/clock.ts';
import type { RunEvent } from '../unit/run-event.ts';
import { awayDelay, type RunOptions } from '../unit/run-options.ts';

interface Waiting {
  readonly clock: Clock;
  readonly signal: CancelSignal;
  readonly onEvent: (event: RunEvent) => void;
}

/**
 * Opens the scheduler of a run once it answers, for as long as the run has patience: one that is away for a while must not keep
 * a run from being gone on with. It is said once that it is waited for, with why, and that it is there. Throws
 * {@link SchedulerError}.
 */
export async function onceThere(
  open: () => Promise<Scheduler>,
  options: RunOptions,
  { clock, signal, onEvent }: Waiting,
): Promise<Scheduler> {
  const startedAt = clock.now();
  for (let attempt = 1; ; attempt++) {
    try {
      const scheduler = await open();
      if (attempt > 1) onEvent({ kind: 'server-back' });
      return scheduler;
    } catch (error) {
      if (!(error instanceof SchedulerError) || !error.retryable || signal.aborted) throw error;
      const delayMs = awayDelay(options, attempt, clock.now() - startedAt);
      if (delayMs === undefined) throw error;
      if (attempt === 1) onEvent({ kind: 'server-away', reason: error.message });
      await clock.sleep(delayMs, signal);
    }
  }
}
