import {
  addPartitionSql,
  dropPartitionSql,
  partitionPath,
  setLocationSql,
} from '../../warehouse/dialects/spark/partition-sql.ts';
import { refreshSql } from '../../warehouse/dialects/spark/table-sql.ts';
import type { FileTable, PartitionSpec } from '../../warehouse/port/file-table.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import type { Stage } from './compare/stage.ts';
import type { Swap } from './publish-handle.ts';
import { listPartitions, withLocations } from './target/lake-table.ts';

/** A folder below a stage that nothing was written to. */
export const emptyFolder = ({ location }: Stage, spec: PartitionSpec): string =>
  `${location}/empty/${partitionPath(spec)}`;

/** What a publishing goes over: `fenced` does a step while the unit's claim is held, and not where it is gone. */
export interface Publisher {
  readonly lake: Session;
  readonly file: FileTable;
  readonly stage: Stage;
  readonly fenced: (step: () => Promise<void>) => Promise<void>;
}

/** Gives partitions their new folders, one after the other: each is the old or the new one at any moment. */
export async function publish(by: Publisher, swaps: readonly Swap[]): Promise<void> {
  for (const swap of swaps) await by.fenced(() => swapFolder(by, swap));
  await by.lake.query(refreshSql(by.file));
}

/**
 * Ends what an earlier process has begun to publish: what it did is not done again. Throws {@link MovedAway} where a partition has neither
 * folder, for then somebody else has moved it.
 */
export async function publishTheRest(by: Publisher, swaps: readonly Swap[]): Promise<void> {
  const { lake, file, stage } = by;
  const there = new Map((await listPartitions(lake, file)).map((spec) => [partitionPath(spec), spec]));
  for (const swap of swaps) {
    const { spec, from, to } = swap;
    const known = there.get(partitionPath(spec));
    const now = known === undefined ? undefined : (await withLocations(lake, file, [known]))[0]?.location;
    if (now === to) continue;
    if (now !== from && now !== emptyFolder(stage, spec)) throw new MovedAway(file, spec, now);
    await by.fenced(() => swapFolder(by, now === undefined ? { spec, to } : { spec, from: now, to }));
  }
  await lake.query(refreshSql(file));
}

async function swapFolder({ lake, file, stage }: Publisher, { spec, from, to }: Swap): Promise<void> {
  if (to !== undefined)
    await lake.query(from === undefined ? addPartitionSql(file, spec, to) : setLocationSql(file, spec, to));
  else {
    // Dropping a partition of a managed table deletes what is in its folder.
    await lake.query(setLocationSql(file, spec, emptyFolder(stage, spec)));
    await lake.query(dropPartitionSql(file, spec));
  }
}

/** A partition has neither the folder of before nor the new one. */
export class MovedAway extends WarehouseError {
  constructor({ table }: FileTable, spec: PartitionSpec, now: string | undefined) {
    const what = now === undefined ? 'was dropped' : `was moved to ${now}`;
    super(
      'conflict',
      `Partition ${partitionPath(spec)} of ${table.qualified} ${what} by somebody else while it was published.`,
      false,
      { hint: 'Look at the table, then run the interval again.' },
    );
  }
}
