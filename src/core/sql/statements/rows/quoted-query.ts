import { lexInside } from '../../lex/lex-inside.ts';
import type { Token } from '../../lex/token.ts';
import type { QueryBlock } from '../../model/expression.ts';
import { type Cursor, openCursor } from '../../parse/cursor.ts';
import { nondeterministicCalls } from '../../parse/nondeterministic.ts';
import { readQuery } from '../../parse/queries/read-query.ts';

/** A query written inside a string; its offsets are those of the whole text, its tables count as read. */
export function readQuotedQuery(c: Cursor, quoted: Token): QueryBlock | undefined {
  const escaped = c.masked.text[quoted.start] === "'";
  const tokens = lexInside(c.masked, quoted.content ?? quoted, escaped, c.dialect);
  const inside = openCursor(c.grammar, tokens, { from: 0, to: tokens.length }, c.dialect, c.masked);
  const query = readQuery(inside);
  c.reads.push(...inside.reads);
  c.quotedCalls.push(...nondeterministicCalls(tokens, 0, tokens.length, inside.match, c.dialect));
  return query;
}
