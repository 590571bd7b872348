import { movedSum } from './row-sum.ts';
import type { SliceFigures } from './slice-figures.ts';

/** The figures of a slice after some of its rows went and others came, where no key is in it twice. */
export function movedFigures(
  before: SliceFigures,
  gone: Pick<SliceFigures, 'rows' | 'rowChecksum' | 'keyChecksum'>,
  come: Pick<SliceFigures, 'rows' | 'rowChecksum' | 'keyChecksum'>,
): SliceFigures {
  const keys = [before, gone, come].map(({ rows, keyChecksum = '' }) => ({ rows, rowChecksum: keyChecksum }));
  const [key, keyGone, keyCome] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]];
  return {
    ...before,
    ...movedSum(before, gone, come),
    keyChecksum: before.keyChecksum === undefined ? undefined : movedSum(key, keyGone, keyCome).rowChecksum,
  };
}
