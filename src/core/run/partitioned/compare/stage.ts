import { addPartitionSql } from '../../../warehouse/dialects/spark/partition-sql.ts';
import {
  createOwnStageSql,
  createStageSql,
  dropOwnStageSql,
  dropStageSql,
  stageName,
  sweepSql,
} from '../../../warehouse/dialects/spark/stage-sql.ts';
import { atVersion, isVersionGone, replaceWhereSql } from '../../../warehouse/dialects/spark/version-sql.ts';
import type { FileTable, Partition } from '../../../warehouse/port/file-table.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import { StatementFailure } from '../../session/statement-failure.ts';
import type { RenderedStatement, UnitJob } from '../../unit/unit-job.ts';
import { cannotUndo } from '../target/cannot-undo.ts';
import type { LakeTarget } from '../target/lake-table.ts';
import type { Overwrite } from '../target/overwrite.ts';

/** Where the result of a task is put before anybody sees it. */
export interface Stage {
  /** Name of the table over it, in the schema of the target. */
  readonly name: string;
  readonly location: string;
}

/**
 * Beside the folder of the table, so that a static overwrite of the whole of it by somebody else does not take it along. `token`: no
 * two tries have the same, since what an earlier one has started may still be writing.
 */
export function stageOf({ file }: LakeTarget, { run }: UnitJob, token: string): Stage {
  const own = `${run}_${token}`.replace(/[^A-Za-z0-9_-]/g, '_');
  return {
    name: `backfill_${file.table.name.slice(0, 60)}_${own}`.replaceAll('-', '_').toLowerCase(),
    location: `${stageFolder(file)}/${own}`,
  };
}

/** Beside the folder of a table: what is in it our runs have made. */
export const stageFolder = ({ location = '' }: FileTable): string => `${location.replace(/\/+$/, '')}__backfill`;

/** The table over a stage, as the target but for its name. */
export const stageTable = ({ file }: LakeTarget, { name }: Stage): FileTable => ({
  ...file,
  table: {
    ...file.table,
    name,
    qualified: [...(file.catalog === undefined ? [] : [file.catalog]), file.table.schema, name].join('.'),
  },
});

/** Runs the task with the stage in the place of its target. `task`: a session with the settings of the task's scheduler. */
export async function fillStage(
  lake: Session,
  task: Session,
  { file, condition }: LakeTarget,
  stage: Stage,
  { before, insert, into }: Overwrite,
): Promise<void> {
  const isVersioned = condition !== undefined;
  await lake.query(
    isVersioned ? createOwnStageSql(file, stage.name) : createStageSql(file, stage.name, stage.location),
  );
  for (const statement of before) await send(task, statement, statement.text);
  await send(task, insert, into(stageName(file, stage.name)));
}

/** A stage of folders that are there already: the rows of before. */
export async function stageFolders(
  lake: Session,
  at: LakeTarget,
  stage: Stage,
  kept: readonly Partition[],
): Promise<void> {
  await lake.query(createStageSql(at.file, stage.name, stage.location));
  for (const { spec, location } of kept) await lake.query(addPartitionSql(stageTable(at, stage), spec, location));
}

/** A stage of the rows that a table had in an earlier version of it. Throws {@link WarehouseError} where that is no longer kept. */
export async function stageVersion(
  lake: Session,
  at: LakeTarget,
  stage: Stage,
  version: string | undefined,
): Promise<void> {
  const { file, condition = 'true' } = at;
  await lake.query(createOwnStageSql(file, stage.name));
  // Before its first version a table has no rows.
  if (version === undefined) return;
  try {
    await lake.query(
      replaceWhereSql(stageTable(at, stage), condition, `${atVersion(file, version)} where ${condition}`),
    );
  } catch (error) {
    if (!(error instanceof WarehouseError) || !isVersionGone(error.message)) throw error;
    throw cannotUndo(file.table.qualified, `version ${version}, which has its rows of before, is no longer kept`);
  }
}

/** Takes the table over a stage away; its files stay where they are those of the table now. */
export const dropStage = (lake: Session, { file, condition }: LakeTarget, { name }: Stage): Promise<unknown> =>
  lake.query(condition === undefined ? dropStageSql(file, name) : dropOwnStageSql(file, name));

/** Deletes a stage with its files. */
export async function discardStage(lake: Session, at: LakeTarget, stage: Stage): Promise<void> {
  await dropStage(lake, at, stage);
  if (at.condition !== undefined) return;
  for (const statement of sweepSql(at.file, `${stage.name}_sweep`, [stage.location])) await lake.query(statement);
}

async function send(session: Session, statement: RenderedStatement, text: string): Promise<void> {
  try {
    await session.query(text);
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
    throw new StatementFailure(statement, error, false);
  }
}
