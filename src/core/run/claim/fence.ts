import {
  fenceSql,
  keepExclusiveSql,
  keepSharedSql,
  lockExclusiveSql,
  lockSharedSql,
} from '../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import { lockKeys } from '../../warehouse/dialects/postgres/ledger/lock-keys.ts';
import { epochMs } from '../../warehouse/dialects/postgres/slice-predicate.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import { type Target, tableSql } from '../tables/target.ts';

/** First in the unit's transaction, and alone: holds the own claim, or finds that somebody took over. */
export async function holdFence(session: Session, fence: string): Promise<void> {
  const held = await session.query(fenceSql, [fence]);
  if (held.rows.length === 0) throw lostClaim();
}

export const lostClaim = (): WarehouseError =>
  new WarehouseError('conflict', 'The lease of this unit ran out and another runner took it over.', true);

/** Advisory locks of the slices, each kind alone in its statement: a snapshot taken before the wait sees old rows. */
export async function lockSlices(
  session: Session,
  targets: readonly Target[],
  until: 'commit' | 'session end' = 'commit',
): Promise<void> {
  const keys = lockKeys(
    targets.map(({ slice, qualified }) => ({
      target: qualified,
      from: slice.column === undefined || slice.from === undefined ? undefined : epochMs(slice.from),
      to: slice.column === undefined || slice.to === undefined ? undefined : epochMs(slice.to),
    })),
  );
  const [shared, exclusive] =
    until === 'commit' ? [lockSharedSql, lockExclusiveSql] : [keepSharedSql, keepExclusiveSql];
  if (keys.shared.length > 0) await session.query(shared, [`{${keys.shared.join(',')}}`]);
  if (keys.exclusive.length > 0) await session.query(exclusive, [`{${keys.exclusive.join(',')}}`]);
}

/** Keeps all other writers of the target out; readers go on. A refresh keeps others out by itself. */
export async function lockTables(session: Session, targets: readonly Target[]): Promise<void> {
  const tables = new Set(
    targets.flatMap(({ relation }) =>
      relation === undefined || relation.table.materialized !== undefined ? [] : [tableSql(relation.table)],
    ),
  );
  if (tables.size > 0) await session.query(`lock table ${[...tables].sort().join(', ')} in share row exclusive mode`);
}
