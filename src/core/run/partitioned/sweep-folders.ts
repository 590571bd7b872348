import { nameParts } from '../../sql/model/name-parts.ts';
import { foldersInUseSql, forgetFoldersSql } from '../../warehouse/dialects/postgres/ledger/kept-folders-sql.ts';
import { describePartitionSql, partitionLocation } from '../../warehouse/dialects/spark/partition-sql.ts';
import { sweepSql } from '../../warehouse/dialects/spark/stage-sql.ts';
import { describeTableSql, fileTableOf } from '../../warehouse/dialects/spark/table-sql.ts';
import type { FileTable, Partition } from '../../warehouse/port/file-table.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import { stageFolder } from './compare/stage.ts';

interface Kept extends Partition {
  readonly target: string;
}

/**
 * Forgets folders of before that were kept longer ago than this many days, and deletes the files of those that our runs made and nothing
 * is in any more: not the partition that they were made for, no other folders of before, no unit under way. The table's own folders stay.
 * They are forgotten first, which an undo that begins to publish them excludes. Throws {@link WarehouseError}.
 */
export async function sweepFolders(
  ledger: Session,
  connectLake: () => Promise<Session>,
  days: number,
  broom: string,
): Promise<void> {
  const forgotten = (await ledger.query(forgetFoldersSql, [String(days)])).rows.flatMap(([target, line]): Kept[] =>
    target === null || target === undefined ? [] : [{ ...(JSON.parse(line ?? '') as Partition), target }],
  );
  if (forgotten.length === 0) return;
  const names = JSON.stringify(forgotten.map(({ location }) => location));
  const inUse = new Set((await ledger.query(foldersInUseSql, [names])).rows.map(([location]) => location));
  const lake = await connectLake();
  for (const target of new Set(forgotten.map((kept) => kept.target))) {
    const file = await tableOf(lake, target);
    if (file === undefined) continue;
    const ours = forgotten.filter(
      (kept) =>
        kept.target === target && !inUse.has(kept.location) && kept.location.startsWith(`${stageFolder(file)}/`),
    );
    const unused: string[] = [];
    for (const kept of ours) if ((await locationOf(lake, file, kept)) !== kept.location) unused.push(kept.location);
    if (unused.length === 0) continue;
    for (const statement of sweepSql(file, broom, [...new Set(unused)])) await lake.query(statement);
  }
}

/** `undefined` where the table is gone: nobody can say then what its folders are. */
const tableOf = (lake: Session, target: string): Promise<FileTable | undefined> =>
  there(async () => fileTableOf(await lake.query(describeTableSql(nameParts(target)))));

const locationOf = (lake: Session, file: FileTable, { spec }: Partition): Promise<string | undefined> =>
  there(async () => partitionLocation(await lake.query(describePartitionSql(file, spec))));

/** What Spark says of a table or a partition; `undefined`: there is none. */
async function there<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof WarehouseError && /NOT_FOUND|PARTITIONS?_NOT_FOUND/.test(error.message)) return undefined;
    throw error;
  }
}
