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
  backoffMs: 500,
  maxBackoffMs: 30_000,
};

/** Wait after the given failed try (1-based), in milliseconds. */
export const backoffDelay = (options: RunOptions, attempt: number): number =>
  Math.min(options.maxBackoffMs, options.backoffMs * 2 ** (attempt - 1));
