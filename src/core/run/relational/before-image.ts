import { sameContent } from '../../diff/change-cause.ts';
import type { SliceFigures } from '../../diff/slice-diff.ts';
import type { TakenFigures } from '../../diff/take-figures.ts';
import {
  hasChildrenSql,
  imageSql,
  keepImageSql,
  keepRowsSql,
  restoreRowsSql,
  writableColumnsSql,
} from '../../warehouse/dialects/postgres/before-image-sql.ts';
import { where } from '../../warehouse/dialects/postgres/figures-sql.ts';
import type { Session } from '../../warehouse/ports.ts';
import { WarehouseError } from '../../warehouse/warehouse-error.ts';
import type { RestoredVersion, UnitJob } from '../unit-job.ts';
import { type AppliedSlice, describeSchema } from './apply-task.ts';
import { withPinnedText } from './session-settings.ts';
import { oldCopy } from './slice-state.ts';
import { ledgerSlice, type Target, tableSql } from './target.ts';

/**
 * Keeps the old rows of changed slices in the unit's own transaction, so that the unit can be undone. Larger slices
 * than the options allow, and runs that copy no rows, keep none.
 */
export async function keepImages(
  session: Session,
  job: UnitJob,
  targets: readonly Target[],
  slices: readonly AppliedSlice[],
): Promise<void> {
  const kept = slices.filter(
    ({ diff }) => diff.before !== undefined && diff.before.rows <= job.options.keepBeforeRows && differs(diff),
  );
  if (job.options.compare !== 'rows' || job.options.keepBeforeRows === 0 || kept.length === 0) return;
  await withPinnedText(session, async () => {
    for (const { target, diff } of kept) {
      const name = [job.run, job.unit, ledgerSlice(target).slice];
      await session.query(keepImageSql, [...name, String(diff.before?.rows)]);
      await session.query(keepRowsSql(oldCopy(targets.indexOf(target))), name);
    }
  });
}

const differs = ({ added, removed, changed }: AppliedSlice['diff']): boolean =>
  added !== 0 || removed !== 0 || changed !== 0;

/** What the slice must be again after an undo. */
export type ImageFigures = Pick<SliceFigures, 'rows' | 'rowChecksum' | 'algorithm'>;

/**
 * Puts the rows of a slice back to what they were before a version of it; `undefined` where that version left them as
 * they were. Throws {@link WarehouseError} where they were not kept, where the table has other columns now, where the
 * place of a row among several tables is not known, or where the slice is no longer what that version left.
 */
export async function restoreSlice(
  session: Session,
  target: Target,
  now: TakenFigures | undefined,
  { run, unit }: RestoredVersion,
): Promise<ImageFigures | undefined> {
  const { relation } = target;
  const { slice } = ledgerSlice(target);
  if (relation === undefined || now === undefined) throw cannotUndo(target, 'the table is gone');
  const values = [run, unit, slice, describeSchema(relation.table)];
  const [rows, rowChecksum, algorithm, before, kept, sameSchema, same] =
    (await session.query(imageSql, values)).rows[0] ?? [];
  if (same === 't') return undefined;
  if (kept === null || kept === undefined || !before) throw cannotUndo(target, 'its rows of before were not kept');
  if (sameSchema !== 't') throw cannotUndo(target, 'the columns of the table have changed since');
  const left = { rows: Number(rows), rowChecksum: String(rowChecksum), algorithm: String(algorithm) };
  if (sameContent(now.figures, left) !== true) {
    throw cannotUndo(target, `its rows are no longer what run ${run} left`, 'conflict');
  }
  if ((await session.query(hasChildrenSql, [relation.table.oid])).rows[0]?.[0] === 't') {
    throw cannotUndo(target, 'other tables inherit from it, and which one a row was in was not kept');
  }
  // The predicate is the task's own: what it selects depends on the session's settings.
  await session.query(`delete from ${tableSql(relation.table)}${where(relation.predicate)}`);
  const columns = (await session.query(writableColumnsSql, [relation.table.oid])).rows.map(([name]) => String(name));
  await withPinnedText(session, () => session.query(restoreRowsSql(relation.table, columns), [run, unit, slice]));
  return JSON.parse(before) as ImageFigures;
}

/** Throws where the restored slice is not what it was, to the byte. */
export function checkRestored(target: Target, found: TakenFigures, expected: ImageFigures): void {
  if (sameContent(found.figures, expected) !== true) {
    throw cannotUndo(target, 'the rows that were kept do not give the checksum of before');
  }
}

const cannotUndo = (target: Target, why: string, kind: 'conflict' | 'other' = 'other'): WarehouseError =>
  new WarehouseError(kind, `The slice of ${target.qualified} cannot be undone: ${why}.`, false, {
    hint: 'Nothing was written. Run the interval again instead.',
  });
