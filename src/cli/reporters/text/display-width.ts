/** Of the bundle, where it runs a module of it when it is first called for; of Node, where nothing is bundled. */
declare const require: (name: 'string-width') => typeof import('string-width');

const colours = new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;]*m`, 'g');
const plain = /^[ -~]*$/;

/** Columns of a terminal: East Asian wide characters and emoji take two, combining marks and colour codes none. */
export function displayWidth(text: string): number {
  const bare = text.replace(colours, '');
  // The tables of all other characters take longer to load than a short table takes to be made.
  return plain.test(bare) ? bare.length : require('string-width').default(text);
}

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
