import type { Span } from '../../text/span.ts';
import type { Token } from '../lex/token.ts';
import type { SqlExpression } from '../model/expression.ts';
import { type Cursor, operator, spanFrom, startOffset, token, word } from './cursor.ts';
import { nameOf } from './names.ts';
import { reservedOperands } from './words.ts';

export type Opaque = Extract<SqlExpression, { kind: 'opaque' }>;

export const opaque = (c: Cursor, start: number, parts: readonly SqlExpression[]): Opaque => ({
  kind: 'opaque',
  parts,
  ...spanFrom(c, Math.min(start, parts[0]?.start ?? start)),
});

/** The leaf that one token stands for; `undefined` for punctuation and keywords. */
export function leafOf(here: Token, c: Cursor): SqlExpression | undefined {
  const span: Span = { start: here.start, end: here.end };
  switch (here.kind) {
    case 'string':
    case 'number':
      return { kind: 'literal', type: here.kind, text: here.text, ...span };
    case 'hole':
      return { kind: 'hole', hole: here.holes[0] ?? 0, quoted: here.content !== undefined, ...span };
    case 'template-string':
      return { kind: 'template-string', holes: here.holes, content: here.content ?? span, ...span };
    case 'parameter':
      return { kind: 'opaque', parts: [], ...span };
    case 'quoted':
      return { kind: 'column', qualifier: undefined, name: nameOf(here, c.dialect), ...span };
    case 'word':
      if (here.text === 'null' || here.text === 'true' || here.text === 'false')
        return { kind: 'literal', type: here.text === 'null' ? 'null' : 'boolean', text: here.text, ...span };
      return reservedOperands.has(here.text)
        ? undefined
        : { kind: 'column', qualifier: undefined, name: here.text, ...span };
    default:
      return undefined;
  }
}

/** Everything up to the end of the bracket (or a stop word) as one opaque with its leaves, without any nesting. */
export function flatParts(c: Cursor, stop?: ReadonlySet<string>): Opaque {
  const start = startOffset(c);
  const parts: SqlExpression[] = [];
  let depth = 0;
  while (c.index < c.end) {
    const here = token(c);
    if (here === undefined) break;
    const sign = operator(c);
    if (sign === '(') depth++;
    else if (sign === ')') depth--;
    else if (depth === 0 && stop !== undefined && (sign === ',' || stop.has(word(c)))) break;
    const leaf = leafOf(here, c);
    if (leaf !== undefined) parts.push(leaf);
    c.index++;
  }
  return opaque(c, start, parts);
}
