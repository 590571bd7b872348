import type { Hole, MaskedText } from '../../template/mask/masked-text.ts';
import { lex } from '../lex/lexer.ts';
import type { DialectName } from '../model/dialect-name.ts';

/** Whether a template stands in a comment, so that what it gives, as long as that is one line, decides nothing. */
export function isInComment(masked: MaskedText, { start, end }: Hole, dialect: DialectName): boolean {
  const before = masked.text.slice(0, start);
  // What is blanked stands for a statement of its own.
  if (!/--|\/[*/]|#/.test(before) || masked.text.slice(start, end).trim() === '') return false;
  return !lex(masked, dialect).tokens.some((token) => token.start < end && token.end > start);
}
