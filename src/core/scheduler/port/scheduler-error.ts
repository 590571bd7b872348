/** `login`: another user, password or token may do; `permission`: who is logged in may not do this. */
export type SchedulerErrorKind = 'connection' | 'login' | 'permission' | 'missing' | 'conflict' | 'refused' | 'other';

/** What a scheduler, or the way to it, said. Never holds a secret. Thrown by a {@link Scheduler}, caught at the edge of a unit. */
export class SchedulerError extends Error {
  override readonly name = 'SchedulerError';
  constructor(
    readonly kind: SchedulerErrorKind,
    message: string,
    /** Asking the same again may succeed: it could not be reached, or was too busy to answer. */
    readonly retryable: boolean,
    readonly hint?: string,
  ) {
    super(message);
  }
}
