/** A text as one word of a POSIX shell, quoted only where that is needed. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_./:=+,@%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
