import stringWidth from 'string-width';

/** Columns of a terminal: East Asian wide characters and emoji take two, combining marks and colour codes none. */
export const displayWidth = (text: string): number => stringWidth(text);

/** The text cut to at most `columns`, with an ellipsis where something is missing. Only for text without colours. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let result = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += displayWidth(segment);
    if (used > columns - 1) break;
    result += segment;
  }
  return `${result}…`;
}
