import type { Session, Warehouse } from '../../src/core/warehouse/port/ports.ts';

/** Where in the life of one statement a fault strikes. */
export type Moment = 'before' | 'after';

/**
 * A warehouse whose n-th statement (counted over all its sessions, from 0) meets `strike`, just before it is sent or
 * just after the server has carried it out. `count` says how many statements there were.
 */
export function withFault(
  warehouse: Warehouse,
  at: number,
  moment: Moment,
  strike: (session: Session, text: string) => Promise<void>,
): { readonly warehouse: Warehouse; readonly count: () => number } {
  let count = 0;
  return {
    warehouse: {
      ...warehouse,
      connect: async (purpose) => {
        const session = await warehouse.connect(purpose);
        return {
          query: async (text, values) => {
            const mine = purpose === 'unit' && count++ === at;
            if (mine && moment === 'before') await strike(session, text);
            const result = await session.query(text, values);
            if (mine && moment === 'after') await strike(session, text);
            return result;
          },
          cancel: () => session.cancel(),
          close: () => session.close(),
        };
      },
    },
    count: () => count,
  };
}
