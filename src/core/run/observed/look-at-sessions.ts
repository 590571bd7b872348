import { sessionsSql } from '../../warehouse/dialects/postgres/observed-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';

/** Another session on the database. */
export interface OtherSession {
  readonly id: string;
  /** Milliseconds since the epoch, by the server's clock; 0 where this role may not see it. */
  readonly began: number;
  /** A user with a program at an address. */
  readonly who: string;
  /** It did something since the moment that was asked about, or does now. */
  readonly active: boolean;
  readonly ours: boolean;
}

/** `since`: milliseconds since the epoch, by the server's clock. */
export async function lookAtSessions(session: Session, since: number): Promise<readonly OtherSession[]> {
  const { rows } = await session.query(sessionsSql, [String(since)]);
  return rows.map(([id, user, program, address, active, ours]) => ({
    id: String(id),
    began: Number(String(id).split(' ')[1] || 0) * 1000,
    who: [user ?? 'somebody', ...(program ? [`with ${program}`] : []), ...(address ? [`at ${address}`] : [])].join(' '),
    active: active === 't',
    ours: ours === 't',
  }));
}
