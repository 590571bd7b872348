import { plural } from '../../core/text/plural.ts';
import type { SelectionOptions } from './selection.ts';

/** What was asked, as one line for the history. */
export function titleOf(
  words: readonly string[],
  {
    from,
    to,
    logicalDates,
    unit,
    downstream,
  }: Pick<SelectionOptions, 'from' | 'to' | 'logicalDates' | 'unit' | 'downstream'>,
): string {
  const range = logicalDates ?? `${from} to ${to}`;
  const only = unit.length === 0 ? '' : `, ${plural(unit.length, 'slice')} of it`;
  return `${words.join(' ')} ${range}${only}${downstream === true ? ' with downstream' : ''}`;
}
