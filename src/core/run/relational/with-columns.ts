import { constraintColumnsSql } from '../../warehouse/dialects/postgres/key-sql.ts';
import type { Session } from '../../warehouse/ports.ts';
import type { UpsertKey } from './upsert-keys.ts';

/** The key with the columns that its constraint stands for; none where the table has no such constraint. */
export async function withColumns(session: Session, key: UpsertKey, table: string): Promise<UpsertKey> {
  if (key.constraint === undefined) return key;
  const json = (await session.query(constraintColumnsSql, [table, key.constraint])).rows[0]?.[0];
  return { ...key, columns: json ? (JSON.parse(json) as string[]) : [] };
}
