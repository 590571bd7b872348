import { plural } from '../../../text/plural.ts';
import type { AppliedSlice } from '../../record/applied.ts';

/** What became of slices that a task only adds to, where it was let to although rows of the interval were there. */
export const appendNotes = (slices: readonly AppliedSlice[]): readonly string[] =>
  slices.flatMap(({ target: { slice }, diff }) => {
    const [before = 0, after = 0] = [diff.before?.rows, diff.after?.rows];
    // Without bounds the rows of other intervals are there as well.
    if (slice.mode !== 'append' || slice.column === undefined || before === 0 || after <= before) return [];
    if (diff.leftOver?.deleted === true) return [];
    return [
      `${diff.table} had ${plural(before, 'row')} of this interval and has ${after} now: the task only adds rows, and each run adds them again.`,
    ];
  });
