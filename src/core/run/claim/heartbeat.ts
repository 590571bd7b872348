import { backendsSql, renewLeasesSql, renewRunsSql } from '../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import type { Backend, Session, Warehouse } from '../../warehouse/port/ports.ts';
import type { Clock } from '../unit/clock.ts';

/** Keeps the leases of running units alive on a connection of its own, and sees whether their sessions are. */
export interface Heartbeat {
  /** `onLost` is called once when somebody has taken the claim over. The result ends the watch. */
  watch(fence: string, run: string, leaseMs: number, onLost: () => void): () => void;
  /**
   * Gives a session up whose server process is gone: where the connection has gone silent, nobody else would say so for many
   * minutes. The result ends that.
   */
  attend(session: Session, leaseMs: number): () => void;
}

interface Watched {
  readonly run: string;
  readonly leaseMs: number;
  readonly onLost: () => void;
}

interface Attended {
  readonly backend: Backend;
  readonly leaseMs: number;
  /** When its process began; unknown until it was looked for. */
  began: string | null | undefined;
}

/** Looks this often whether anything is left to watch, so that a finished process is not kept waiting. */
const tickMs = 1000;

export function startHeartbeat(warehouse: Warehouse, clock: Clock): Heartbeat {
  const watched = new Map<string, Watched>();
  const attended = new Set<Attended>();
  let beating = false;

  const beat = async (): Promise<void> => {
    let session: Session | undefined;
    let beatAt = clock.now();
    while (watched.size + attended.size > 0) {
      await clock.sleep(tickMs);
      const leaseMs = Math.min(...[...watched.values(), ...attended].map((unit) => unit.leaseMs));
      if (watched.size + attended.size === 0 || clock.now() - beatAt < leaseMs / 3) continue;
      beatAt = clock.now();
      try {
        session ??= await warehouse.connect('heartbeat');
        await answered(ask(session), leaseMs);
      } catch {
        // A missed beat is no harm while the claim's own transaction is open; the next one connects anew.
        await session?.close();
        session = undefined;
      }
    }
    await session?.close();
  };
  const ask = async (session: Session): Promise<void> => {
    if (watched.size > 0) await renew(session, watched);
    await lookAfter(session, attended);
  };
  /** A connection that has gone silent would be waited for as long as the network waits. */
  const answered = async (asked: Promise<void>, withinMs: number): Promise<void> => {
    let open = true;
    const answer = asked.finally(() => {
      open = false;
    });
    const askedAt = clock.now();
    while (open && clock.now() - askedAt < withinMs) await Promise.race([answer, clock.sleep(tickMs)]);
    answer.catch(() => undefined);
    if (open) throw new Error('The heartbeat has no answer.');
  };
  const start = (): void => {
    if (beating || warehouse.leases !== 'server') return;
    beating = true;
    void beat().finally(() => {
      beating = false;
    });
  };

  return {
    watch(fence, run, leaseMs, onLost) {
      watched.set(fence, { run, leaseMs, onLost });
      start();
      return () => {
        watched.delete(fence);
      };
    },
    attend({ backend }, leaseMs) {
      if (backend === undefined) return () => {};
      const one: Attended = { backend, leaseMs, began: undefined };
      attended.add(one);
      start();
      return () => {
        attended.delete(one);
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

/** A process that is missing is gone; so is one whose number another has got. Where not even its own is seen, none is. */
async function lookAfter(session: Session, attended: Set<Attended>): Promise<void> {
  const asked = [...attended];
  const own = session.backend?.process;
  if (asked.length === 0 || own === undefined) return;
  const processes = [own, ...asked.map(({ backend }) => backend.process)];
  const found = await session.query(backendsSql, [`{${processes.join(',')}}`]);
  const began = new Map(found.rows.map(([process, at]) => [Number(process), at]));
  if (!began.has(own)) return;
  for (const one of asked) {
    const now = began.get(one.backend.process);
    if (one.began === undefined) one.began = now;
    if (now !== undefined && now === one.began) continue;
    // One whose unit has ended meanwhile may have been closed.
    if (attended.delete(one)) one.backend.giveUp();
  }
}
