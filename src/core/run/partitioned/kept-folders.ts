import { sameContent } from '../../diff/change-cause.ts';
import type { SliceFigures } from '../../diff/slice-figures.ts';
import type { TakenFigures } from '../../diff/take-figures.ts';
import { plural } from '../../text/plural.ts';
import {
  holdFoldersSql,
  keepFoldersSql,
  keptFoldersSql,
} from '../../warehouse/dialects/postgres/ledger/kept-folders-sql.ts';
import { imageSql } from '../../warehouse/dialects/postgres/slice/before-image-sql.ts';
import type { Partition } from '../../warehouse/port/file-table.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { describeSchema } from '../../warehouse/port/table-description.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import { ledgerSlice } from '../tables/target.ts';
import type { RestoredVersion, UnitJob } from '../unit/unit-job.ts';
import { cannotUndo } from './target/cannot-undo.ts';
import type { LakeTarget } from './target/lake-table.ts';
import type { OwnPartitions } from './target/overwrite.ts';

/** Where the rows of a slice were before a unit: what an undo gives it back. */
export interface KeptFolders extends Pick<OwnPartitions, 'fixed'> {
  readonly kind: 'kept';
  readonly of: RestoredVersion;
  readonly partitions: readonly Partition[];
  /** Of a table that keeps its versions: the one that has the rows, in the place of folders. */
  readonly version?: string | undefined;
}

/** What a slice was, as the ledger has it. */
type ImageFigures = Pick<SliceFigures, 'rows' | 'rowChecksum' | 'algorithm'>;

/** As one line, or those of one partition each. */
type Head = Pick<KeptFolders, 'fixed' | 'version'>;
type Line = Head | Partition;

/** Keeps them in the transaction that is open. */
export async function keepFolders(
  ledger: Session,
  { run, unit }: UnitJob,
  { target }: LakeTarget,
  { fixed, partitions, version }: Pick<KeptFolders, 'fixed' | 'partitions' | 'version'>,
  rows: number,
): Promise<void> {
  const lines: readonly Line[] = [{ fixed, version }, ...partitions];
  const values = [
    run,
    unit,
    ledgerSlice(target).slice,
    String(rows),
    JSON.stringify(lines.map((line) => JSON.stringify(line))),
  ];
  await ledger.query(keepFoldersSql, values);
}

/** Throws {@link WarehouseError} where they were forgotten meanwhile, for then their files go; else they stay until the transaction ends. */
export async function holdFolders(
  ledger: Session,
  { target }: LakeTarget,
  { run, unit }: RestoredVersion,
): Promise<void> {
  const { rows } = await ledger.query(holdFoldersSql, [run, unit]);
  if (rows.length === 0)
    throw cannotUndo(target.qualified, 'its folders of before were forgotten meanwhile, by their age');
}

/** The folders that the slice of a unit had; `undefined`: none were kept. */
export async function keptFolders(ledger: Session, of: RestoredVersion): Promise<KeptFolders | undefined> {
  const { rows } = await ledger.query(keptFoldersSql, [of.run, of.unit]);
  const lines = rows.map(([line]) => JSON.parse(line ?? '') as Line);
  const head = lines.find((line): line is Head => 'fixed' in line);
  const partitions = lines.filter((line): line is Partition => 'location' in line);
  return head && { kind: 'kept', of, fixed: head.fixed, version: head.version, partitions };
}

/**
 * What the slice was before the version that is undone. Throws {@link WarehouseError} where the table has other columns now, or the slice
 * is no longer what that version left.
 */
export async function figuresOfBefore(
  ledger: Session,
  { target }: LakeTarget,
  { run, unit }: RestoredVersion,
  now: TakenFigures,
): Promise<ImageFigures> {
  const values = [run, unit, ledgerSlice(target).slice, describeSchema(target.relation.table)];
  const [rows, rowChecksum, algorithm, before, , sameSchema] = (await ledger.query(imageSql, values)).rows[0] ?? [];
  if (sameSchema !== 't') throw cannotUndo(target.qualified, 'the columns of the table have changed since');
  const left = { rows: Number(rows), rowChecksum: String(rowChecksum), algorithm: String(algorithm) };
  refuseOthers(target.qualified, now.figures, left, `its rows are no longer what run ${run} left`);
  return JSON.parse(before ?? '') as ImageFigures;
}

/** Throws {@link WarehouseError} where the kept folders do not hold the rows that were recorded as those of before. */
export function refuseOtherRows({ target }: LakeTarget, found: SliceFigures, before: ImageFigures): void {
  const counts = found.rows === before.rows ? 'others than' : `${found.rows} rows instead of`;
  const why = `its folders of before have been written since, and hold ${counts} the ${plural(before.rows, 'row')} that were counted then`;
  refuseOthers(target.qualified, found, before, why);
}

function refuseOthers(table: string, found: SliceFigures, expected: ImageFigures, why: string): void {
  const same = sameContent(found, expected);
  if (same === undefined)
    throw cannotUndo(
      table,
      'its columns or Spark have other names and types, or hash otherwise, than when it was summed up',
    );
  if (!same) throw cannotUndo(table, why);
}
