import type { Session, Warehouse } from '../../../src/core/warehouse/port/ports.ts';
import { WarehouseError } from '../../../src/core/warehouse/port/warehouse-error.ts';

export const deaths = ['cut', 'terminated', 'killed'] as const;
/** The connection is lost; the server ends the backend; the whole process is gone, with all of its connections. */
export type Death = (typeof deaths)[number];

export interface Fault {
  readonly death: Death;
  /** Counted over the statements of all of the runner's connections that run units, from 0. */
  readonly at: number;
  readonly moment: 'before' | 'after';
}

/** A warehouse as a runner sees it that dies of `fault`, once. */
export function mortalWarehouse(
  warehouse: Warehouse,
  { death, at, moment }: Fault,
  other: Session,
): { readonly warehouse: Warehouse; readonly struck: () => boolean } {
  const open = new Set<Session>();
  let count = 0;
  let dead = false;
  let struck = false;
  const gone = () => new WarehouseError('connection', 'The connection was cut.', !dead);

  const strike = async (session: Session): Promise<void> => {
    struck = true;
    if (death === 'terminated') {
      const pid = (await session.query('select pg_backend_pid()')).rows[0]?.[0];
      await other.query(`select pg_terminate_backend(${pid})`);
      return;
    }
    if (death === 'killed') dead = true;
    await Promise.all([...(death === 'killed' ? open : [session])].map((one) => one.close()));
    throw gone();
  };
  const mortal: Warehouse = {
    ...warehouse,
    connect: async (purpose) => {
      if (dead) throw gone();
      const session = await warehouse.connect(purpose);
      open.add(session);
      return {
        query: async (text, values) => {
          if (dead) throw gone();
          const mine = purpose === 'unit' && count++ === at;
          if (mine && moment === 'before') await strike(session);
          const result = await session.query(text, values);
          if (dead) throw gone();
          if (mine && moment === 'after') await strike(session);
          return result;
        },
        cancel: () => session.cancel(),
        close: () => {
          open.delete(session);
          return session.close();
        },
      };
    },
  };
  return { warehouse: mortal, struck: () => struck };
}
