import type { Lexis } from './lexis.ts';

/** True where a comment begins that ends with its line. */
export function isLineComment(text: string, at: number, lexis: Lexis): boolean {
  const next = text.charCodeAt(at + 1);
  switch (text.charCodeAt(at)) {
    case 45:
      return next === 45 && (!lexis.spacedDashComments || at + 2 >= text.length || text.charCodeAt(at + 2) <= 32);
    case 35:
      return lexis.hashComments;
    case 47:
      // `file://` is no comment.
      return lexis.slashComments && next === 47 && text.charCodeAt(at - 1) !== 58;
    default:
      return false;
  }
}
