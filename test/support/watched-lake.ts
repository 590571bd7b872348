import { partitionedExecutor } from '../../src/core/run/partitioned/partitioned-executor.ts';
import type { CancelSignal } from '../../src/core/run/unit/cancel-signal.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { Lake, Session, Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { WarehouseError } from '../../src/core/warehouse/port/warehouse-error.ts';
import { systemClock } from '../../src/node/system-clock.ts';
import { neverAborted } from './warehouse-fixture.ts';

/** Sees each statement before it is sent. */
export type Look = (text: string, of: 'lake' | 'ledger') => Promise<void> | void;

export type WatchedLake = Warehouse & { readonly lake: Lake };

/** A warehouse whose statements are looked at before they are sent. */
export function watchedLake(warehouse: Warehouse, look: Look): WatchedLake {
  const over = (session: Session, of: 'lake' | 'ledger'): Session => ({
    query: async (text, values) => {
      await look(text, of);
      return session.query(text, values);
    },
    cancel: () => session.cancel(),
    close: () => session.close(),
  });
  const { lake } = warehouse;
  if (lake === undefined) throw new Error('no lake');
  return {
    ...warehouse,
    connect: async (purpose) => over(await warehouse.connect(purpose), 'ledger'),
    lake: { ...lake, connect: async (purpose) => over(await lake.connect(purpose), 'lake') },
  };
}

let owners = 0;

/** Runs one unit as a process of its own does. */
export const executeOn = (
  on: WatchedLake,
  asked: UnitJob,
  { owner, signal = neverAborted }: { readonly owner?: string | undefined; readonly signal?: CancelSignal } = {},
) => {
  const env = { clock: systemClock, owner: owner ?? `owner ${++owners}` };
  return partitionedExecutor(on, async () => on.lake, env).execute(asked, signal);
};

/** Gone from the `nth` statement on that matches: nothing that it would do to clean up is done either. */
export function killedAt(pattern: RegExp, nth: number): Look {
  let [seen, gone] = [0, false];
  return (text) => {
    if (!gone && pattern.test(text)) gone = ++seen === nth;
    if (gone) throw new WarehouseError('connection', 'The process is gone.', true);
  };
}
