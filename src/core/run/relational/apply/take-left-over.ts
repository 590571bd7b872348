import { deletePlacesSql } from '../../../warehouse/dialects/postgres/slice/left-over-sql.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { Applied, AppliedSlice } from '../../record/applied.ts';
import { stateAfter } from '../../tables/slice-state.ts';
import { tableSql } from '../../tables/target.ts';
import { findEscape, readWrittenTables } from '../guards/escape.ts';
import { findLeftOver, type LeftOver } from '../guards/left-over.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { readPosition } from '../task/position.ts';
import { compareSlices } from './compare-slices.ts';

/**
 * Says which rows of its slices a unit left that one clean run would not have, and takes them away in the same
 * transaction where that was declared. What the deletion does elsewhere (a cascade, a trigger) escapes as the task's own
 * writes would.
 */
export async function takeLeftOver(unit: OpenUnit, applied: Applied): Promise<Applied> {
  const found = await findLeftOver(unit, applied.slices);
  if (found.kind === 'unknown') {
    const asked = applied.slices.filter(({ target }) => target.slice.orphans === 'delete');
    const notes = asked.map(({ diff }) => `orphans: delete of ${diff.table} was not done: ${found.reason}`);
    return { ...applied, notes: [...applied.notes, ...notes] };
  }
  const shared = applied.slices.flatMap(({ target: { slice } }) =>
    slice.orphans === 'delete' && slice.shared !== undefined
      ? [`orphans: delete of ${slice.table} was not done: ${slice.shared}`]
      : [],
  );
  const told: Applied = {
    ...applied,
    notes: [...applied.notes, ...shared],
    slices: applied.slices.map((slice, index) => withLeftOver(slice, found.slices[index], false)),
  };
  const doomed = found.slices.map(
    (left) => left !== undefined && left.places.length > 0 && left.found.problem === undefined,
  );
  if (!doomed.includes(true)) return told;
  return deleteLeftOver(
    unit,
    told,
    found.slices.map((left, index) => (doomed[index] ? left : undefined)),
  );
}

const withLeftOver = (slice: AppliedSlice, left: LeftOver | undefined, deleted: boolean, again = 0): AppliedSlice => {
  if (left === undefined) return slice;
  const leftOver = { ...left.found, deleted, ...(again > 0 ? { addedAgain: again } : {}) };
  return { ...slice, diff: { ...slice.diff, leftOver } };
};

/** Each row that is taken away is one removed more, or one added less. */
const addedAgain = (before: AppliedSlice | undefined, after: AppliedSlice): number =>
  before?.diff.added === undefined || after.diff.added === undefined ? 0 : before.diff.added - after.diff.added;

async function deleteLeftOver(
  unit: OpenUnit,
  applied: Applied,
  doomed: readonly (LeftOver | undefined)[],
): Promise<Applied> {
  const { session, job } = unit;
  // What was rolled back meanwhile stays counted.
  const position = await readPosition(session, unit.plan.statements);
  for (const [index, { taken }] of applied.slices.entries()) {
    const { table, predicate } = taken.relation;
    const left = doomed[index];
    let gone = 0;
    for (const place of left?.places ?? []) {
      gone += (await session.query(deletePlacesSql(tableSql(table), predicate), place)).rowCount ?? 0;
    }
    if (left !== undefined && gone !== left.found.rows) {
      const message = `Of ${left.found.rows} left-over rows of ${table.qualified} only ${gone} could be taken away.`;
      throw new WarehouseError('other', message, false, {
        hint: 'A trigger or a rule keeps them: write orphans: keep for this table, or take them away by hand.',
      });
    }
  }
  await session.query('set constraints all immediate');
  const written = await readWrittenTables(session);
  const taken = [];
  for (const { taken: before, target } of applied.slices) {
    const after = await stateAfter(session, before.relation, before.index, job.options, position.ownAge);
    taken.push({ ...before, target, column: target.slice.column, after });
  }
  // The deletion alone, from what the task had left.
  const steps = taken.map((slice, index) => ({ ...slice, before: applied.slices[index]?.taken.after }));
  const verdict = await findEscape(session, steps, position, { plain: true, proven: false, written });
  const doubt = 'Taking left-over rows away took other rows away as well, or may have (a cascade, a trigger).';
  const tables = taken.map(({ relation }) => relation.table.qualified);
  const escaped = verdict.kind === 'doubt' ? ({ kind: 'escaped', reason: doubt, tables } as const) : verdict;
  const { slices } = await compareSlices(unit, taken);
  return {
    ...applied,
    escape: escaped,
    slices: slices.map((slice, index) =>
      withLeftOver(slice, doomed[index], true, addedAgain(applied.slices[index], slice)),
    ),
  };
}
