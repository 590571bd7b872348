import { unitSavepoint } from '../../../warehouse/port/transaction-control.ts';
import { outsideNote } from '../../irrevocable/outside-words.ts';
import type { Applied, ChangesAgain } from '../../record/applied.ts';
import { isUnchanged } from '../../record/decide.ts';
import { appendNotes } from '../guards/append-notes.ts';
import { findChangesAgain } from '../guards/changes-again.ts';
import { findDoubled, keyFaults, watchedKeys } from '../guards/doubled-keys.ts';
import { escapedRows } from '../guards/escaped-rows.ts';
import { withRepeatedKeys } from '../guards/repeated-source-keys.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { readPosition } from '../task/position.ts';
import { whyNotTried } from '../task/tried-twice.ts';
import { applyTask } from './apply-task.ts';
import { putBack } from './put-back.ts';
import { takeLeftOver } from './take-left-over.ts';

/**
 * Where the counters leave a doubt, the task is rolled back and done again with the rest of the table compared. Rows
 * that an upsert put in and would not find again are looked for at the end, and whether a second run changes rows again.
 * Nothing of a preview is kept.
 */
export async function applyCertainly(unit: OpenUnit, isPreview = false): Promise<Applied> {
  const watched = await watchedKeys(unit);
  const before = await keyFaults(unit, watched);
  try {
    const applied = await applyOnce(unit);
    if (applied.escape.kind !== 'none') return await escapedRows(unit, applied);
    const stays = unit.job.outside === undefined ? [] : [outsideNote(unit.job.outside)];
    const doubled = await findDoubled(unit, watched, before);
    const whole = { ...applied, notes: [...applied.notes, ...stays], doubled };
    const isAll = unit.job.restores !== undefined || unit.job.outside !== undefined || doubled.kind !== 'none';
    const left = isAll ? withoutLeftOver(unit, whole) : await takeLeftOver(unit, whole);
    const isSettled = doubled.kind !== 'none' || left.escape.kind !== 'none';
    const again: ChangesAgain = isSettled ? { kind: 'none' } : await findChangesAgain(unit, left);
    const notTried = whyNotTried(unit.job);
    const tried = again.kind === 'not-known' ? [again.note] : notTried === undefined ? [] : [notTried];
    // Of what the unit leaves in the end: rows that were added may have been taken away again.
    const added = unit.job.restores === undefined ? appendNotes(unit.job, left.slices, again.kind) : [];
    const kept = left.lasting === undefined ? [] : keptNotes(left, isPreview);
    return { ...left, again, notes: [...left.notes, ...tried, ...added, ...kept] };
  } catch (error) {
    throw await withRepeatedKeys(unit, error);
  }
}

/** Only a second run could tell which rows are left over. */
function withoutLeftOver({ job }: OpenUnit, applied: Applied): Applied {
  const asked =
    job.restores === undefined ? applied.slices.filter(({ target }) => target.slice.orphans === 'delete') : [];
  const notes = asked.map(
    ({ diff }) => `orphans: delete of ${diff.table} was not done: that takes a second run of the task.`,
  );
  return { ...applied, notes: [...applied.notes, ...notes] };
}

function keptNotes({ slices, lasting }: Applied, isPreview: boolean): readonly string[] {
  if (!slices.every(isUnchanged)) return [];
  const kept = isPreview ? 'A run keeps that' : 'That is kept';
  return [slices.length === 0 ? `${lasting}` : `${lasting} ${kept}, although its slices are unchanged.`];
}

/** Nothing that was found in its statements stays, but code that cannot be read may do more. */
export const sentTwice =
  'Its statements were sent twice: the first time was taken back, because only the second could be told for certain.';

async function applyOnce(unit: OpenUnit): Promise<Applied> {
  if (unit.job.outside !== undefined) return applyTask(unit, onlyOnce(unit));
  const apply = unit.job.restores === undefined ? applyTask : putBack;
  const applied = await apply(unit);
  if (applied.escape.kind !== 'doubt') return applied;
  await unit.session.query(`rollback to savepoint ${unitSavepoint}`);
  // What the first try counted stays counted.
  const again = await apply(
    { ...unit, position: await readPosition(unit.session, unit.plan.statements) },
    applied.left ?? [],
  );
  return { ...again, notes: [...again.notes, sentTwice] };
}

/** How the task leaves its targets is taken for granted, so that the first time is told for certain. */
const onlyOnce = ({ targets, plan }: OpenUnit): Applied['left'] =>
  plan.altersTables ? undefined : targets.map(({ relation }) => relation);
