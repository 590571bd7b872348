import type { Colors } from 'picocolors/types';
import type { CancelSignal } from '../../core/run/unit/cancel-signal.ts';
import type { Clock } from '../../core/run/unit/clock.ts';

/** Exit codes of every verb. */
export const exitCodes = {
  done: 0,
  /** Findings, or units that failed or stayed blocked. */
  findings: 1,
  usage: 2,
  /** Units are held for a decision. */
  held: 3,
  cancelled: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The world as a command sees it; tests hand in their own. */
export interface Shell {
  /** Absolute; relative paths of arguments start here. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /**
   * From this call on, the first Ctrl-C or request to end aborts the signal, and the next one ends the process. Without
   * it, and so in all that only reads, the first one ends the process, however busy it is.
   */
  listenForCancel(): CancelSignal;
  /** Whether standard error is a terminal that can rewrite its last lines. */
  readonly isTTY: boolean;
  /** Width of the terminal behind standard output and standard error; infinite where there is none. */
  readonly columns: number;
  readonly errColumns: number;
  /** Lines of the terminal behind standard error. */
  readonly errRows: number;
  readonly colors: Colors;
  /** Writes to standard output: the result. With `--format json` nothing else is written there. */
  out(text: string): void;
  /** Writes to standard error: problems and progress. */
  err(text: string): void;
  /** Asks on the terminal; `undefined` when there is none or it was left. */
  ask(question: string): Promise<string | undefined>;
  /** Called once by the command that ran; the highest code wins. */
  exit(code: ExitCode): void;
}

/** Thrown for a wrong call of a command; shown without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  constructor(
    message: string,
    /** What to do instead, on its own line. */
    readonly remedy?: string,
  ) {
    super(message);
  }
}
