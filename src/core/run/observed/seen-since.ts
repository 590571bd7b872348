import { rowsSince, watchSql } from '../../warehouse/dialects/postgres/observed-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { Clock } from '../unit/clock.ts';
import type { Observation, ObservedTable } from './observation.ts';
import type { SeenClients } from './seen-clients.ts';
import { type TableCounters, takeCounters, type Watch } from './watch.ts';
import { writtenIn } from './written-in.ts';

/** Counters of a session that stays connected may be so late, in milliseconds; those of others are there after a second. */
const countersLateMs = 11_000;
const againMs = 1100;

/**
 * What was written to the database since a watch was taken, by whomever: the tables whose counters moved, and their rows that the
 * snapshot of the watch does not see. Outside of a transaction. Throws `WarehouseError` where the connection is lost.
 */
export async function seenSince(
  session: Session,
  watch: Watch,
  seen: SeenClients,
  clock: Clock,
): Promise<Pick<Observation, 'tables' | 'clients' | 'unseen'>> {
  const moved = await movedTables(session, watch, seen, clock);
  await seen.look();
  const [now = []] = (await session.query(watchSql)).rows;
  const written = rowsSince(watch.snapshot, String(now[0]));
  const tables: ObservedTable[] = [];
  for (const [table, counted] of moved) tables.push(await writtenIn(session, table, counted, written));
  const sessions = now[1] == null ? undefined : Number(now[1]);
  return { tables, clients: seen.clients, unseen: unseenOf(watch, sessions, seen) };
}

function unseenOf({ sessions: before }: Watch, sessions: number | undefined, seen: SeenClients): number | undefined {
  if (before === undefined || sessions === undefined || sessions < before) return undefined;
  return Math.max(0, sessions - before - seen.gone);
}

type Counted = NonNullable<ObservedTable['counted']>;

async function movedTables(
  session: Session,
  watch: Watch,
  seen: SeenClients,
  clock: Clock,
): Promise<readonly (readonly [table: string, counted: Counted])[]> {
  const until = clock.now() + countersLateMs;
  for (let known: string | undefined; ; ) {
    await seen.look();
    await clock.sleep(againMs);
    const tables = await takeCounters(session);
    const moved = Object.entries(tables).flatMap(([table, now]) => {
      const counted = movedBy(watch.tables[table], now);
      return counted.inserted + counted.updated + counted.deleted === 0 ? [] : [[table, counted] as const];
    });
    const text = JSON.stringify(moved);
    // The same twice: all of it has arrived.
    const isWhole = text === known && (moved.length > 0 || !seen.isSomebodyThere);
    if (isWhole || clock.now() >= until) return moved;
    known = text;
  }
}

/** A table that is another one by now, or whose counters were reset, is counted from its beginning. */
function movedBy(before: TableCounters | undefined, now: TableCounters): Counted {
  const isSame = before !== undefined && before.oid === now.oid && before.inserted <= now.inserted;
  const moved = (name: keyof Counted) => Math.max(0, now[name] - (isSame ? before[name] : 0));
  return { inserted: moved('inserted'), updated: moved('updated'), deleted: moved('deleted') };
}
