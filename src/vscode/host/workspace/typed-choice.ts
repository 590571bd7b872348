import { plural } from '../../../core/text/plural.ts';
import { instant } from '../../../core/time/zones/instant.ts';
import type { TypedRange } from '../../../core/view/page/range/range-view.ts';
import type { RangeChoice } from '../workspace-api.ts';

/** A range for the history, in one line. */
export const titleOf = ({ task, from, to, only }: TypedRange): string =>
  `${task} ${from} to ${to}${only === undefined ? '' : `, ${plural(only.length, 'slice')} of it`} with downstream`;

/** A range as it comes from the page. */
export const typedRange = ({ task, from, to, without, only, now }: RangeChoice): TypedRange => ({
  task,
  from,
  to,
  without,
  only,
  now: instant(now),
});
