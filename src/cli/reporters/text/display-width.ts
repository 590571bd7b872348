const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes take no room on the screen.
const colourCode = /\u001b\[[\d;]*m/g;

/** Columns of a terminal: East Asian wide characters and emoji take two, combining marks and colour codes none. */
export function displayWidth(text: string): number {
  let columns = 0;
  for (const char of text.replace(colourCode, '')) {
    if (/\p{Mark}|\u200d|\ufe0f/u.test(char)) continue;
    columns += wide.test(char) ? 2 : 1;
  }
  return columns;
}

/** The text cut to at most `columns`, with an ellipsis where something is missing. Only for text without colours. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let result = '';
  let used = 0;
  for (const char of text) {
    used += displayWidth(char);
    if (used > columns - 1) break;
    result += char;
  }
  return `${result}…`;
}
