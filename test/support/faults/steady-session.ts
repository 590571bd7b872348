import type { Session, Warehouse } from '../../../src/core/warehouse/port/ports.ts';
import { WarehouseError } from '../../../src/core/warehouse/port/warehouse-error.ts';
import { realClock } from '../warehouse-fixture.ts';

/** The test's own eyes, in UTC: connects anew when the server was away. For statements that may be sent twice. */
export function steadySession(warehouse: Warehouse): Session {
  let current: Session | undefined;
  return {
    query: async (text, values) => {
      for (let attempt = 1; ; attempt++) {
        try {
          if (current === undefined) {
            current = await warehouse.connect('ledger');
            await current.query("set timezone = 'UTC'");
          }
          return await current.query(text, values);
        } catch (error) {
          if (!(error instanceof WarehouseError) || error.kind !== 'connection' || attempt > 200) throw error;
          await current?.close();
          current = undefined;
          await realClock.sleep(100);
        }
      }
    },
    cancel: async () => ({ confirmed: true }),
    close: async () => current?.close(),
  };
}
