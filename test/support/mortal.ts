import type { Session, Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { WarehouseError } from '../../src/core/warehouse/port/warehouse-error.ts';
import { type FakeScheduler, type Hook, throughHook } from './fake-scheduler.ts';

const every = (): boolean => true;

/**
 * Kills the process at the n-th statement or call, or at the n-th of the calls that count: nothing of it is heard any more, and its
 * connections end.
 */
export function mortal(
  warehouse: Warehouse,
  scheduler: FakeScheduler,
  at: number,
  counts: (...of: Parameters<Hook>) => boolean = every,
): { readonly on: Warehouse; readonly through: FakeScheduler; readonly died: () => boolean } {
  const open = new Set<Session>();
  let count = 0;
  let dead = false;
  const die = (): never => {
    dead = true;
    for (const session of open) void session.close();
    throw new WarehouseError('connection', 'killed', false);
  };
  const tick = (isCounted: boolean): void => {
    if (dead || (isCounted && count++ === at)) die();
  };
  const on: Warehouse = {
    ...warehouse,
    connect: async (purpose) => {
      if (dead) die();
      const session = await warehouse.connect(purpose);
      open.add(session);
      return {
        ...session,
        query: async (text, values) => {
          tick(purpose === 'unit' && counts === every);
          const result = await session.query(text, values);
          if (dead) die();
          return result;
        },
        cancel: () => session.cancel(),
        close: () => session.close(),
      };
    },
  };
  return { on, through: throughHook(scheduler, (...of) => tick(counts(...of))), died: () => dead };
}
