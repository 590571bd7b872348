import type { SelectionOptions } from './selection.ts';

/** What was asked, as one line for the history. */
export function titleOf(
  words: readonly string[],
  { from, to, logicalDates, downstream }: Pick<SelectionOptions, 'from' | 'to' | 'logicalDates' | 'downstream'>,
): string {
  const range = logicalDates ?? `${from} to ${to}`;
  return `${words.join(' ')} ${range}${downstream === true ? ' with downstream' : ''}`;
}
