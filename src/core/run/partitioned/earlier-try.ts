import { sameContent } from '../../diff/change-cause.ts';
import { plural } from '../../text/plural.ts';
import type { Applied, AppliedSlice } from '../record/applied.ts';
import type { Publishing } from './publish-handle.ts';

/** A try of the unit that began to publish, and was not ended because somebody else wrote the slice. */
type Earlier = Pick<Publishing, 'swaps' | 'over' | 'diff'>;

const published = ({ swaps, over }: Earlier): string => {
  const began = over === undefined ? `begun to publish ${plural(swaps.length, 'partition')}` : 'published the slice';
  return `an earlier try of it had ${began} when somebody else wrote ${over === undefined ? 'the slice' : 'it'}`;
};

/** As a sentence of its own. */
export const earlierInWords = (earlier: Earlier): string => {
  const said = published(earlier);
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
};

/** What is published after it: the rows of before are those that both of them left, which nobody ever saw as the slice of a run. */
export const afterEarlier = (earlier: Earlier): string =>
  `${published(earlier)}: what is kept as before is what stood after that, not what was there before the run`;

/** What is there is what the task gives: then the unit has changed what the earlier try found, whose rows of before are kept. */
export function madeByEarlier({ slices, ...rest }: Applied, earlier: Earlier): Applied {
  const since = (slice: AppliedSlice): AppliedSlice => {
    const { diff } = slice;
    const { before, after } = earlier.diff;
    const same = diff.after !== undefined && after !== undefined && sameContent(diff.after, after) === true;
    const counted = {
      added: undefined,
      removed: undefined,
      changed: undefined,
      columns: [],
      samples: [],
      method: 'none',
    } as const;
    return { ...slice, diff: same ? earlier.diff : { ...diff, ...counted, before } };
  };
  return { ...rest, slices: slices.map(since), notes: [...rest.notes, published(earlier)] };
}
