import type { SliceDiff } from '../../../diff/slice-diff.ts';
import { declaredWriteText } from '../../../lineage/facts/declared-write-text.ts';
import type { TaskId } from '../../../pipeline/model/model.ts';

/**
 * Advice on columns that are another moment in every row of a slice, which hide what else has changed: most say when a row was
 * loaded. One line a table.
 */
export function loadTimesInWords(task: TaskId, slices: readonly SliceDiff[]): readonly string[] {
  return slices.flatMap((slice) => {
    const columns = slice.columns.filter((column) => isLoadTime(slice, column)).map(({ column }) => column);
    if (columns.length === 0) return [];
    const [differ, say] = columns.length === 1 ? ['differs', 'it says'] : ['differ', 'they say'];
    const declared = declaredWriteText(task, [slice.table], { volatile: columns });
    return [
      `${columns.join(', ')} ${differ} in every row of ${slice.table}; if ${say} when rows were loaded, leave that out of the comparison, in backfill.yaml: ${declared}`,
    ];
  });
}

/** More rows than this, so that they do not all differ by chance. */
const fewest = 3;

function isLoadTime({ changed, before, after, samples, method }: SliceDiff, { column, rows }: Column): boolean {
  const all = after?.rows ?? 0;
  if (method !== 'key' || all < fewest || before?.rows !== all || changed !== all || rows !== all) return false;
  const moments = samples.flatMap((sample) => [sample.before?.[column], sample.after?.[column]]);
  return moments.length > 0 && moments.every((value) => typeof value === 'string' && moment.test(value));
}

type Column = SliceDiff['columns'][number];

/** A date with a time of day, as databases write it. */
const moment = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/;
