/** How a run goes about its units; stored with the run, so that a resume uses the options of then. */
export interface RunOptions {
  /** Units side by side, at least 1; the executor's own limit holds as well. */
  readonly concurrency: number;
  /** After the first failed or held unit nothing new is started. */
  readonly stopAtFirstFailure: boolean;
  /** Old rows that runs kept are forgotten after this many days. */
  readonly keepBeforeDays: number;
  /** Whether VACUUM is advised or run after the last unit where many dead rows were left. */
  readonly vacuum?: 'advise' | 'run' | 'off' | undefined;
  /** Tries of one unit whose errors are retryable, the first included. */
  readonly maxAttempts: number;
  /** Tries of one unit whose slice another run holds, the first included. */
  readonly maxBusyAttempts: number;
  /** How long a server may be away or take no work, by all units together, until they fail for it. Milliseconds. */
  readonly patienceMs?: number | undefined;
  /** Wait before the second try; doubles from try to try up to `maxBackoffMs`. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
}

export const defaultRunOptions: RunOptions = {
  concurrency: 4,
  stopAtFirstFailure: false,
  keepBeforeDays: 30,
  vacuum: 'advise',
  maxAttempts: 4,
  maxBusyAttempts: 12,
  patienceMs: 300_000,
  backoffMs: 500,
  maxBackoffMs: 30_000,
};

/** Wait after the given failed try (1-based), in milliseconds. */
export const backoffDelay = (options: RunOptions, attempt: number): number =>
  Math.min(options.maxBackoffMs, options.backoffMs * 2 ** (attempt - 1));

/** A server that is up again is waited for no longer than this. */
const longestAwayMs = 5000;

/**
 * Wait after the given failed try (1-based) for a server that has been away for so long; `undefined`: the run has no more
 * patience. Milliseconds.
 */
export function awayDelay(options: RunOptions, attempt: number, awayMs: number): number | undefined {
  const delayMs = Math.min(longestAwayMs, backoffDelay(options, attempt));
  // A run that was stored before there was a limit has it, too.
  const patienceMs = options.patienceMs ?? defaultRunOptions.patienceMs ?? 0;
  return awayMs + delayMs <= patienceMs ? delayMs : undefined;
}
