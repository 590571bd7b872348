import type { MaskedText } from '../../template/mask/masked-text.ts';
import type { Span } from '../../text/span.ts';
import type { DialectName } from '../model/dialect-name.ts';
import { lex } from './lexer.ts';
import type { Token } from './token.ts';

/** The tokens of SQL that is written inside a string; offsets and indexes of holes are those of the whole text. */
export function lexInside(masked: MaskedText, content: Span, escaped: boolean, dialect: DialectName): readonly Token[] {
  const { start, end } = content;
  const text = masked.text.slice(start, end);
  const shift = <T extends Span>(span: T, by: number): T => ({ ...span, start: span.start + by, end: span.end + by });
  const firstHole = Math.max(
    0,
    masked.holes.findIndex((hole) => hole.start >= start),
  );
  const inner = lex(
    {
      text: escaped ? unescapeInPlace(text) : text,
      holes: masked.holes.filter((hole) => hole.start >= start && hole.end <= end).map((hole) => shift(hole, -start)),
      tags: [],
      problem: undefined,
    },
    dialect,
  );
  return inner.tokens.map((here) => ({
    ...shift(here, start),
    content: here.content === undefined ? undefined : shift(here.content, start),
    holes: here.holes.map((index) => index + firstHole),
  }));
}

/** `''2026-01-01''` → ` '2026-01-01' `: an inner quote with the space on its outer side, so that no offset moves. */
function unescapeInPlace(text: string): string {
  let open = false;
  return text.replace(/''|\\'/g, () => {
    open = !open;
    return open ? " '" : "' ";
  });
}
