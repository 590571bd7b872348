import { sameContent } from '../../diff/change-cause.ts';
import type { TakenFigures } from '../../diff/take-figures.ts';
import { keepFoldersSql, keptFoldersSql } from '../../warehouse/dialects/postgres/ledger/kept-folders-sql.ts';
import { imageSql } from '../../warehouse/dialects/postgres/slice/before-image-sql.ts';
import type { Partition } from '../../warehouse/port/file-table.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { describeSchema } from '../../warehouse/port/table-description.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import { ledgerSlice } from '../tables/target.ts';
import type { RestoredVersion, UnitJob } from '../unit/unit-job.ts';
import type { LakeTarget } from './target/lake-table.ts';
import type { OwnPartitions } from './target/overwrite.ts';

/** Where the rows of a slice were before a unit: what an undo gives it back. */
export interface KeptFolders extends Pick<OwnPartitions, 'fixed'> {
  readonly kind: 'kept';
  readonly partitions: readonly Partition[];
}

/** As one line, or those of one partition each. */
type Line = { readonly fixed: OwnPartitions['fixed'] } | Partition;

/** Keeps them in the transaction that is open. */
export async function keepFolders(
  ledger: Session,
  { run, unit }: UnitJob,
  { target }: LakeTarget,
  { fixed, partitions }: Omit<KeptFolders, 'kind'>,
  rows: number,
): Promise<void> {
  const lines: readonly Line[] = [{ fixed }, ...partitions];
  const values = [
    run,
    unit,
    ledgerSlice(target).slice,
    String(rows),
    JSON.stringify(lines.map((line) => JSON.stringify(line))),
  ];
  await ledger.query(keepFoldersSql, values);
}

/** The folders that the slice of a unit had; `undefined`: none were kept. */
export async function keptFolders(ledger: Session, { run, unit }: RestoredVersion): Promise<KeptFolders | undefined> {
  const { rows } = await ledger.query(keptFoldersSql, [run, unit]);
  const lines = rows.map(([line]) => JSON.parse(line ?? '') as Line);
  const head = lines.find((line): line is { fixed: OwnPartitions['fixed'] } => 'fixed' in line);
  const partitions = lines.filter((line): line is Partition => 'location' in line);
  return head && { kind: 'kept', fixed: head.fixed, partitions };
}

/** Throws {@link WarehouseError} where a table has other columns now, or a slice is no longer what the version that is undone left. */
export async function refuseChangedSince(
  ledger: Session,
  { target }: LakeTarget,
  { run, unit }: RestoredVersion,
  now: TakenFigures,
): Promise<void> {
  const values = [run, unit, ledgerSlice(target).slice, describeSchema(target.relation.table)];
  const [rows, rowChecksum, algorithm, , , sameSchema] = (await ledger.query(imageSql, values)).rows[0] ?? [];
  if (sameSchema !== 't') throw cannotUndo(target.qualified, 'the columns of the table have changed since');
  const left = { rows: Number(rows), rowChecksum: String(rowChecksum), algorithm: String(algorithm) };
  if (sameContent(now.figures, left) !== true)
    throw cannotUndo(target.qualified, `its rows are no longer what run ${run} left`);
}

export const cannotUndo = (table: string, why: string): WarehouseError =>
  new WarehouseError('conflict', `The slice of ${table} cannot be put back: ${why}.`, false, {
    hint: 'Nothing was written. Run its interval again instead.',
  });
