import { plural } from '../../../text/plural.ts';
import type { AppliedSlice, ChangesAgain } from '../../record/applied.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { isTriedTwice, triedSlice } from '../task/tried-twice.ts';

/**
 * What became of slices that a task only adds to, where it was let to although rows of the interval were there. Where a second
 * run was tried and added none, those that came are new ones, and nothing is said. `again`: what came of the trial.
 */
export const appendNotes = (
  job: OpenUnit['job'],
  slices: readonly AppliedSlice[],
  again: ChangesAgain['kind'],
): readonly string[] =>
  slices.flatMap(({ target: { slice }, diff }) => {
    const [before = 0, after = 0] = [diff.before?.rows, diff.after?.rows];
    // Without bounds the rows of other intervals are there as well.
    if (slice.mode !== 'append' || slice.column === undefined || before === 0 || after <= before) return [];
    if (diff.leftOver?.deleted === true || slice.journal === true) return [];
    const isTried = isTriedTwice(job) && triedSlice(slice);
    if (isTried && again === 'none') return [];
    const then =
      slice.again?.sure === true || again === 'changes'
        ? 'and each run adds them again'
        : 'and whether each run adds them again is not known';
    return [
      `${diff.table} had ${plural(before, 'row')} of this interval and has ${after} now: the task only adds rows, ${then}.`,
    ];
  });
