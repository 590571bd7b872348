import type { Session } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import type { CancelSignal } from '../unit/cancel-signal.ts';

/** A session whose statements end when asked for, and how that went. */
export interface Cancellable {
  readonly session: Session;
  /** Stops the running statement and all later ones. */
  stop(): void;
  /** The commit: once sent it is not cancelled, because its outcome would be unknown. */
  commit(): Promise<void>;
  /** Whether the server said that nothing runs any more. */
  confirmed(): Promise<boolean>;
  release(): void;
}

/** Cleaning up goes over the session itself: only the unit's own steps are stopped. */
export function cancellable(session: Session, signal: CancelSignal): Cancellable {
  let stopped = signal.aborted;
  let cancelling: Promise<{ readonly confirmed: boolean }> | undefined;
  const stop = () => {
    stopped = true;
    cancelling ??= session.cancel();
  };
  signal.addEventListener('abort', stop, { once: true });
  const release = () => signal.removeEventListener('abort', stop);
  const query: Session['query'] = async (text, values) => {
    if (stopped) throw new WarehouseError('cancelled', 'Cancelled before the next statement.', false);
    return session.query(text, values);
  };
  let committing = false;
  return {
    session: { query, cancel: () => session.cancel(), close: () => session.close() },
    stop: () => {
      if (!committing) stop();
    },
    commit: async () => {
      release();
      const sent = query('commit');
      committing = true;
      await sent;
    },
    confirmed: async () => (cancelling === undefined ? true : (await cancelling).confirmed),
    release,
  };
}
