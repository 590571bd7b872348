import { readObservationsSql, saveObservationSql } from '../../warehouse/dialects/postgres/ledger/observations-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { type Observation, readObservation } from './observation.ts';

/** The newest of a task that are looked at: what it did long ago says nothing of what it does now. */
const newest = 20;

/** Keeps what was seen; of the same unit of the same run only the last. */
export async function saveObservation(session: Session, seen: Observation): Promise<void> {
  await session.query(saveObservationSql, [seen.run, seen.unit, seen.task, JSON.stringify(seen)]);
}

/** What was seen of a task in its newest runs, the newest first. */
export async function observationsOf(session: Session, task: string): Promise<readonly Observation[]> {
  const { rows } = await session.query(readObservationsSql, [task, String(newest)]);
  return rows.map(([seen]) => readObservation(String(seen)));
}
