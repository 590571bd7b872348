import { sameContent } from '../../../diff/change-cause.ts';
import type { SliceFigures } from '../../../diff/slice-figures.ts';
import type { SliceRelation } from '../../../diff/slice-relation.ts';
import { keyColumns, type TakenFigures, takeFigures } from '../../../diff/take-figures.ts';
import {
  hasChildrenSql,
  imageSql,
  keepImageSql,
  keepImagesSql,
  keptPartSql,
  keptRowsSql,
  oldRowsSql,
  writableColumnsSql,
} from '../../../warehouse/dialects/postgres/slice/before-image-sql.ts';
import { where } from '../../../warehouse/dialects/postgres/slice/figures-sql.ts';
import {
  type Differing,
  deleteDifferingSql,
  differingKeysSql,
  insertStagedSql,
  updateDifferingSql,
} from '../../../warehouse/dialects/postgres/slice/stage-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { describeSchema } from '../../../warehouse/port/table-description.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { AppliedSlice } from '../../record/applied.ts';
import { withPinnedText } from '../../session/session-settings.ts';
import { oldCopy } from '../../tables/slice-state.ts';
import { ledgerSlice, type Target, tableSql } from '../../tables/target.ts';
import type { RestoredVersion, UnitJob } from '../../unit/unit-job.ts';
import { dropMadeTable } from './made-table.ts';

/**
 * Keeps the old rows of changed slices in the unit's own transaction, so that the unit can be undone. Larger slices
 * than the options allow, and runs that copy no rows, keep none. Where most rows stayed as they were, those that did not are
 * enough: an undo is refused unless the slice is still what the unit left.
 */
export async function keepImages(
  session: Session,
  targets: readonly Target[],
  slices: readonly { readonly job: UnitJob; readonly slice: AppliedSlice }[],
): Promise<void> {
  const kept = slices.filter(
    ({ job: { options }, slice: { table, diff, gone } }) =>
      options.compare === 'rows' &&
      options.keepBeforeRows > 0 &&
      gone !== true &&
      // Rows of a materialized view cannot be put back.
      table.materialized === undefined &&
      diff.before !== undefined &&
      diff.before.rows <= options.keepBeforeRows &&
      differs(diff),
  );
  if (kept.length === 0) return;
  const images = kept.map(({ job, slice: { target, table, diff, oldRows } }) => {
    const { rows, part: found, among } = oldRows ?? { rows: oldCopy(targets.indexOf(target)) };
    const part = diff.before?.rows === (diff.removed ?? 0) + (diff.changed ?? 0) ? undefined : found;
    const added = diff.added === 0 ? undefined : part?.added;
    return {
      job,
      slice: ledgerSlice(target).slice,
      table,
      before: diff.before?.rows,
      rows,
      key: part?.key,
      added,
      among,
    };
  });
  await withPinnedText(session, async () => {
    const [first] = images;
    const pairs = first?.among?.pairs;
    if (first !== undefined && pairs !== undefined && images.every(({ among }) => among?.pairs === pairs)) {
      const asked = images.map(({ job: { unit }, slice, before, key, added, among }) => ({
        ...{ number: among?.slice, unit, slice, rows: before, key: key ?? null, added: added !== undefined },
      }));
      await session.query(keepImagesSql(pairs, first.table.columns), [first.job.run, JSON.stringify(asked)]);
      return;
    }
    for (const { job, slice, before, rows, key, added } of images) {
      const name = [job.run, job.unit, slice];
      await session.query(keepImageSql(rows, added), [
        ...name,
        String(before),
        key === undefined ? null : JSON.stringify(key),
      ]);
    }
  });
}

const differs = ({ added, removed, changed }: AppliedSlice['diff']): boolean =>
  added !== 0 || removed !== 0 || changed !== 0;

/** What the slice must be again after an undo. */
export type ImageFigures = Pick<SliceFigures, 'rows' | 'rowChecksum' | 'algorithm'>;

/**
 * Puts the rows of a slice back to what they were before a version of it; `undefined` where that version left them as
 * they were, `dropped` where it made the table, which is still as it was then. Throws {@link WarehouseError} where they were not kept, where the table has other columns now, where the
 * place of a row among several tables is not known, or where the slice is no longer what that version left. `index`: of
 * the target among those of the unit.
 */
export async function restoreSlice(
  session: Session,
  target: Target,
  now: TakenFigures | undefined,
  { run, unit }: RestoredVersion,
  index: number,
): Promise<ImageFigures | 'dropped' | undefined> {
  const { relation } = target;
  const { slice } = ledgerSlice(target);
  if (relation === undefined || now === undefined) throw cannotUndo(target, 'the table is gone');
  const values = [run, unit, slice, describeSchema(relation.table)];
  const [rows, rowChecksum, algorithm, before, kept, sameSchema, same, made, isMade, key] =
    (await session.query(imageSql, values)).rows[0] ?? [];
  if (same === 't') return undefined;
  const left = { rows: Number(rows), rowChecksum: String(rowChecksum), algorithm: String(algorithm) };
  if (isMade === 't') {
    if (sameContent(now.figures, left) !== true)
      throw cannotUndo(target, `its rows are no longer what run ${run} left`);
    const kept = await dropMadeTable(session, target, made);
    if (kept !== undefined)
      throw cannotUndo(
        target,
        kept,
        'other',
        `Nothing was written. To have it gone all the same: DROP TABLE ${tableSql(relation.table)}`,
      );
    return 'dropped';
  }
  if (kept === null || kept === undefined || !before) throw cannotUndo(target, 'its rows of before were not kept');
  if (sameSchema !== 't') throw cannotUndo(target, 'the columns of the table have changed since');
  if (sameContent(now.figures, left) !== true) {
    throw cannotUndo(target, `its rows are no longer what run ${run} left`, 'conflict');
  }
  if ((await session.query(hasChildrenSql, [relation.table.oid])).rows[0]?.[0] === 't') {
    throw cannotUndo(target, 'other tables inherit from it, and which one a row was in was not kept');
  }
  const partKey = key ? (JSON.parse(key) as string[]) : undefined;
  await putBack(session, relation, now, { name: [run, unit, slice], partKey }, index);
  return JSON.parse(before) as ImageFigures;
}

/**
 * Writes only the rows that differ, where a key tells rows apart, and gives those that are still there their old values
 * instead of taking them away: other tables may refer to them. All rows are written again where there is no such key.
 * Statements with the predicate, which is the task's own, run under the settings of the session.
 */
async function putBack(
  session: Session,
  relation: SliceRelation,
  now: TakenFigures,
  image: {
    readonly name: readonly [run: string, unit: string, slice: string];
    readonly partKey: readonly string[] | undefined;
  },
  index: number,
): Promise<void> {
  const { table, predicate } = relation;
  const [stage, differing] = [`pg_temp.backfill_kept_${index}`, `pg_temp.backfill_undone_${index}`];
  const live = tableSql(table);
  const { name, partKey } = image;
  if (partKey !== undefined) {
    const lines = `pg_temp.backfill_lines_${index}`;
    await withPinnedText(session, () => session.query(keptPartSql(lines, table), name));
    await session.query(oldRowsSql(stage, lines, { live, predicate, columns: table.columns }, partKey));
  }
  const kept = await withPinnedText(session, async () => {
    if (partKey === undefined) await session.query(keptRowsSql(stage, table), name);
    return takeFigures(
      session,
      { ...relation, keyGuaranteed: false },
      { sql: stage, predicate: undefined, ownAge: undefined },
    );
  });
  const found = (await session.query(writableColumnsSql, [table.oid])).rows;
  const writable = found.map(([name]) => String(name));
  const query = { stage, live, predicate, columns: table.columns, key: keyColumns(relation) };
  if (!now.keyUsable || !kept.keyUsable) {
    await session.query(`delete from ${live}${where(predicate)}`);
    await session.query(insertStagedSql(query, writable));
    return;
  }
  const settable = found.flatMap(([name, free]) => (free === 't' ? [String(name)] : []));
  const updates =
    settable.length > 0 &&
    found.every(([, , may]) => may === 't') &&
    writable.every((name) => settable.includes(name) || relation.key.includes(name));
  await session.query(differingKeysSql(differing, query));
  const write = async (how: Differing) => {
    await session.query(deleteDifferingSql(differing, how, query));
    if (how === 'on one') await session.query(updateDifferingSql(differing, query, settable));
    await session.query(insertStagedSql(query, writable, { table: differing, which: how }));
  };
  if (!updates) return write('all');
  await session.query('savepoint backfill_put_back');
  try {
    await write('on one');
  } catch (error) {
    if (!(error instanceof WarehouseError) || error.kind !== 'constraint') throw error;
    // Values that rows have swapped are in each other's way until both are gone.
    await session.query('rollback to savepoint backfill_put_back');
    await write('all');
  }
}

/** What was put back is not what was there before. */
export class NotAsBefore extends WarehouseError {
  constructor(target: Target) {
    const { kind, message, detail } = cannotUndo(target, 'the rows that were kept do not give the checksum of before');
    super(kind, message, false, detail);
  }
}

/** Throws {@link NotAsBefore} where the restored slice is not what it was, to the byte. */
export function checkRestored(target: Target, found: TakenFigures, expected: ImageFigures): void {
  if (sameContent(found.figures, expected) !== true) {
    throw new NotAsBefore(target);
  }
}

const cannotUndo = (
  target: Target,
  why: string,
  kind: 'conflict' | 'other' = 'other',
  hint = 'Nothing was written. Run the interval again instead.',
): WarehouseError =>
  new WarehouseError(kind, `The slice of ${target.qualified} cannot be undone: ${why}.`, false, { hint });
