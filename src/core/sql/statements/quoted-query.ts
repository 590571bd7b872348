import { lex } from '../lex/lexer.ts';
import type { Token } from '../lex/token.ts';
import { type Cursor, openCursor } from '../parse/cursor.ts';
import { readQuery } from '../parse/read-query.ts';
import type { QueryBlock } from '../query-block.ts';

/** A query written inside a string; its offsets are those of the whole text, its tables count as read. */
export function readQuotedQuery(c: Cursor, quoted: Token): QueryBlock | undefined {
  const { start, end } = quoted.content ?? quoted;
  const firstHole = quoted.holes[0] ?? 0;
  const shift = <T extends { readonly start: number; readonly end: number }>(span: T, by: number): T => ({
    ...span,
    start: span.start + by,
    end: span.end + by,
  });
  const inner = lex(
    {
      text: unescapeInPlace(c.masked.text.slice(start, end)),
      holes: quoted.holes.flatMap((index) => {
        const hole = c.masked.holes[index];
        return hole === undefined ? [] : [shift(hole, -start)];
      }),
      tags: [],
      problem: undefined,
    },
    c.dialect,
  );
  const tokens = inner.tokens.map((here) => ({
    ...shift(here, start),
    content: here.content === undefined ? undefined : shift(here.content, start),
    holes: here.holes.map((index) => index + firstHole),
  }));
  const inside = openCursor(tokens, { from: 0, to: tokens.length }, c.dialect, c.masked);
  const query = readQuery(inside);
  c.reads.push(...inside.reads);
  return query;
}

/** `''2026-01-01''` → ` '2026-01-01' `: an inner quote with the space on its outer side, so that no offset moves. */
function unescapeInPlace(text: string): string {
  let open = false;
  return text.replace(/''|\\'/g, () => {
    open = !open;
    return open ? " '" : "' ";
  });
}
