import { plural } from '../../../text/plural.ts';

/** `a (2 rows), b (1 row) and 5 more`; `all` counts those that are not named too. */
export function countedInWords(
  named: readonly { readonly name: string; readonly rows: number }[],
  all: number,
): string {
  const more = all - named.length;
  return `${named.map(({ name, rows }) => `${name} (${plural(rows, 'row')})`).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
