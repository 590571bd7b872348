import { renewLeasesSql, renewRunsSql } from '../../warehouse/dialects/postgres/claim-sql.ts';
import type { Session, Warehouse } from '../../warehouse/ports.ts';
import type { Clock } from '../clock.ts';

/** Keeps the leases of running units alive on a connection of its own. */
export interface Heartbeat {
  /** `onLost` is called once when somebody has taken the claim over. The result ends the watch. */
  watch(fence: string, run: string, leaseMs: number, onLost: () => void): () => void;
}

interface Watched {
  readonly run: string;
  readonly leaseMs: number;
  readonly onLost: () => void;
}

/** Looks this often whether anything is left to watch, so that a finished process is not kept waiting. */
const tickMs = 1000;

export function startHeartbeat(warehouse: Warehouse, clock: Clock): Heartbeat {
  const watched = new Map<string, Watched>();
  let beating = false;

  const beat = async (): Promise<void> => {
    let session: Session | undefined;
    let renewedAt = clock.now();
    while (watched.size > 0) {
      await clock.sleep(tickMs);
      const leaseMs = Math.min(...[...watched.values()].map((unit) => unit.leaseMs));
      if (watched.size === 0 || clock.now() - renewedAt < leaseMs / 3) continue;
      renewedAt = clock.now();
      try {
        session ??= await warehouse.connect('heartbeat');
        await renew(session, watched);
      } catch {
        // A missed beat is no harm while the claim's own transaction is open; the next one connects anew.
        await session?.close();
        session = undefined;
      }
    }
    await session?.close();
  };

  return {
    watch(fence, run, leaseMs, onLost) {
      watched.set(fence, { run, leaseMs, onLost });
      if (!beating && warehouse.leases === 'server') {
        beating = true;
        void beat().finally(() => {
          beating = false;
        });
      }
      return () => {
        watched.delete(fence);
      };
    },
  };
}

async function renew(session: Session, watched: Map<string, Watched>): Promise<void> {
  const asked = new Map(watched);
  const leaseMs = String(Math.max(...[...asked.values()].map((unit) => unit.leaseMs)));
  const held = await session.query(renewLeasesSql, [`{${[...asked.keys()].join(',')}}`, leaseMs]);
  const kept = new Set(held.rows.map(([fence]) => fence));
  for (const [fence, unit] of asked) {
    // A unit that ended meanwhile has deleted its own lease.
    if (kept.has(fence) || !watched.has(fence)) continue;
    watched.delete(fence);
    unit.onLost();
  }
  const runs = [...new Set([...asked.values()].map((unit) => unit.run))];
  await session.query(renewRunsSql, [`{${runs.map((run) => JSON.stringify(run)).join(',')}}`, leaseMs]);
}
