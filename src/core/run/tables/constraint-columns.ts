import { constraintColumnsSql } from '../../warehouse/dialects/postgres/slice/key-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { UpsertKey } from './upsert-keys.ts';

/** The key with the columns that its constraint stands for; none where the table has no such constraint. */
export async function constraintColumns<Key extends Pick<UpsertKey, 'columns' | 'constraint'>>(
  session: Session,
  key: Key,
  table: string,
): Promise<Key> {
  if (key.constraint === undefined) return key;
  const json = (await session.query(constraintColumnsSql, [table, key.constraint])).rows[0]?.[0];
  return { ...key, columns: json ? (JSON.parse(json) as string[]) : [] };
}
