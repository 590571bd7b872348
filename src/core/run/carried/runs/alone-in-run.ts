import { SchedulerError } from '../../../scheduler/port/scheduler-error.ts';
import { giveUpKeySql, tryKeySql } from '../../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import { lockKeys } from '../../../warehouse/dialects/postgres/ledger/lock-keys.ts';
import type { Session, Warehouse } from '../../../warehouse/port/ports.ts';
import type { CancelSignal } from '../../unit/cancel-signal.ts';
import type { Clock } from '../../unit/clock.ts';

/** Who wants to be alone with a run, on a session without a transaction. */
export interface Alone {
  readonly session: Session;
  readonly warehouse: Pick<Warehouse, 'leases'>;
  readonly clock: Clock;
  readonly signal: CancelSignal;
}

const lookMs = 250;
/** What is made takes seconds; whoever needs longer waits for a scheduler that is away. */
const patienceMs = 300_000;

/**
 * Does what must not be done to one run of a DAG while somebody else of us makes it, be it another process: a run that is made
 * has tasks which seem to wait and are about to count as done. Whoever dies lets go with the session. Throws
 * {@link SchedulerError} where the others take too long.
 */
export async function aloneInRun<T>(
  { session, warehouse, clock, signal }: Alone,
  dag: string,
  run: string,
  work: () => Promise<T>,
): Promise<T> {
  // An engine that this process has for itself runs one unit at a time.
  if (warehouse.leases === 'exclusive') return work();
  const [key = '0'] = lockKeys([{ target: `run ${run} of ${dag}`, from: undefined, to: undefined }]).exclusive;
  for (const since = clock.now(); (await session.query(tryKeySql, [key])).rows[0]?.[0] !== 't'; ) {
    if (signal.aborted || clock.now() - since > patienceMs)
      throw new SchedulerError('other', `The run ${run} of ${dag} is still being made by another process.`, true);
    await clock.sleep(lookMs, signal);
  }
  try {
    return await work();
  } finally {
    await session.query(giveUpKeySql, [key]).catch(() => {});
  }
}
