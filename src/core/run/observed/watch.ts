import { type Decoder, finite, mapOf, optional, record, text } from '../../ledger/decoder.ts';
import {
  countersSql,
  forgetCountersSql,
  serverClockSql,
  watchSql,
} from '../../warehouse/dialects/postgres/observed-sql.ts';
import type { Session, Warehouse } from '../../warehouse/port/ports.ts';
import { lookAtSessions } from './look-at-sessions.ts';

/** How a table's counters stood. Its oid tells a table from another one that took its name. */
export interface TableCounters {
  readonly oid: string;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

/** How a database stood before a task, so that what was written since can be told, also by another process. */
export interface Watch {
  /** What was committed by then: `xmin:xmax:xip,…`. */
  readonly snapshot: string;
  /** Sessions that it has had; `undefined`: it does not count them. */
  readonly sessions: number | undefined;
  /** When it began to be taken, and when the sessions had been counted: milliseconds since the epoch, by the server's clock. */
  readonly since: number;
  readonly counted: number;
  /** Who was connected then, by session. One that is gone later may have written before it went. */
  readonly present: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, TableCounters>>;
}

export const decodeWatch: Decoder<Watch> = record<Watch>({
  snapshot: text,
  sessions: optional(finite),
  since: finite,
  counted: finite,
  present: mapOf(text),
  tables: mapOf(record<TableCounters>({ oid: text, inserted: finite, updated: finite, deleted: finite })),
});

/** Whether what others write to a database can be seen: it is a server, and counts as servers from 14 on do. */
export const canWatch = ({ leases, description }: Warehouse): boolean =>
  leases === 'server' && Number.parseInt(description.serverVersion, 10) >= 14;

export async function takeWatch(session: Session): Promise<Watch> {
  const since = await serverClock(session);
  const before = await lookAtSessions(session, since);
  const [[snapshot, sessions] = []] = (await session.query(watchSql)).rows;
  const counted = await serverClock(session);
  const present = [...before, ...(await lookAtSessions(session, since))].filter(({ ours }) => !ours);
  return {
    snapshot: String(snapshot),
    sessions: sessions == null ? undefined : Number(sessions),
    since,
    counted,
    present: Object.fromEntries(present.map(({ id, who }) => [id, who])),
    tables: await takeCounters(session),
  };
}

const serverClock = async (session: Session): Promise<number> =>
  Number((await session.query(serverClockSql)).rows[0]?.[0]);

/** Counters of all tables, by `schema.name`. They are up to date a second after a commit. */
export async function takeCounters(session: Session): Promise<Watch['tables']> {
  await session.query(forgetCountersSql);
  const { rows } = await session.query(countersSql);
  return Object.fromEntries(
    rows.map(([table, oid, inserted, updated, deleted]) => [
      String(table),
      { oid: String(oid), inserted: Number(inserted), updated: Number(updated), deleted: Number(deleted) },
    ]),
  );
}
