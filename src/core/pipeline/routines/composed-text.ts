import { lex } from '../../sql/lex/lexer.ts';
import type { Token } from '../../sql/lex/token.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import type { BoundNames } from './bound-names.ts';
import type { DefinedRoutine } from './defined-routines.ts';
import { joined, madeUp, partOf, type TextPart, unknownPart } from './text-part.ts';
import { behindBracket, cutAt, isMark, isName, isWord } from './tokens.ts';

/**
 * The text that an expression of a routine's body puts together: literals, `||`, `concat`, PostgreSQL's `format` and its
 * quoting functions; what else is put in is a hole. `undefined` where no literal says what kind of text it is.
 */
export function composedText(
  tokens: readonly Token[],
  routine: DefinedRoutine,
  names: BoundNames,
  seen: readonly string[] = [],
): TextPart | undefined {
  const { sql } = routine;
  const again = (own: readonly Token[]): TextPart | undefined => composedText(own, routine, names, seen);
  const whole = partOf(sql, { start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 0 });
  const hole = (own: readonly Token[]): TextPart => {
    const part = partOf(sql, { start: own[0]?.start ?? 0, end: own.at(-1)?.end ?? 0 });
    return unknownPart(part, `${part.text} is put into the statement when the routine runs`);
  };
  /** As text, or as a hole. */
  const put = (own: readonly Token[]): TextPart => again(own) ?? hole(own);
  const value = (own: readonly Token[]): TextPart => joined([madeUp('('), ...names.read(own), madeUp(')')]);

  const own = withoutCast(withoutBrackets(tokens));
  const [first] = own;
  if (first === undefined) return undefined;
  const pieces = cutAt(own, '||');
  if (pieces.length > 1) return joined(pieces.map(put));
  if (own.length === 1 && (first.kind === 'string' || first.kind === 'template-string')) return literal(first, routine);
  if (own.length === 1 && first.kind === 'number') return whole;
  if (own.length === 1 && isName(first)) {
    if (seen.includes(first.text)) return undefined;
    const meant = names.meaning(first.text);
    if (meant?.made !== undefined) return composedText(meant.made, routine, names, [...seen, first.text]);
    return meant === undefined ? undefined : plainValue(meant.part);
  }
  if (!isName(first) || !isMark(own[1], '(') || behindBracket(own, 1) !== own.length) return undefined;
  const given = cutAt(own.slice(2, -1), ',');
  const [one] = given;
  if (one === undefined) return undefined;
  switch (first.text) {
    case 'concat':
      return joined(given.map(put));
    case 'quote_literal':
    case 'quote_nullable':
      return value(one);
    case 'quote_ident':
      return put(one);
    case 'format':
      return formatted(again(one), given.slice(1), put, value);
    default:
      return undefined;
  }
}

function withoutBrackets(tokens: readonly Token[]): readonly Token[] {
  let own = tokens;
  while (isMark(own[0], '(') && behindBracket(own, 0) === own.length) own = own.slice(1, -1);
  return own;
}

/** `d::text` puts in what `d` does. */
function withoutCast(tokens: readonly Token[]): readonly Token[] {
  const at = tokens.length - 2;
  return at > 0 && isMark(tokens[at], '::') && isWord(tokens[at + 1], 'text', 'varchar') ? tokens.slice(0, at) : tokens;
}

/** The text between the quotes, each piece of it where it stands. */
function literal({ start, content }: Token, { sql }: DefinedRoutine): TextPart | undefined {
  if (content === undefined) return undefined;
  if (sql.source.text[start] === '$') return partOf(sql, content);
  const parts: TextPart[] = [];
  let at = content.start;
  for (const { index } of sql.source.text.slice(content.start, content.end).matchAll(/''/g)) {
    parts.push(partOf(sql, { start: at, end: content.start + index + 1 }));
    at = content.start + index + 2;
  }
  return joined([...parts, partOf(sql, { start: at, end: content.end })]);
}

/** The text of a literal or a number that a call gives, cast or not. */
function plainValue({ text, holes }: TextPart): TextPart | undefined {
  const inner = /^cast\((.*) as [^()]*(?:\(.*\))?\)$/is.exec(text)?.[1] ?? text;
  const { tokens } = lex(plainText(inner.trim()), 'postgres');
  const [only, ...others] = tokens;
  if (others.length > 0 || holes.length > 0 || only === undefined) return undefined;
  if (only.kind === 'number') return madeUp(only.text);
  return only.kind === 'string' && only.content !== undefined
    ? madeUp(inner.trim().slice(only.content.start, only.content.end).replaceAll("''", "'"))
    : undefined;
}

/** PostgreSQL manual, "format": `%I`, `%L`, `%s`, with positions as in `%1$I`. */
function formatted(
  pattern: TextPart | undefined,
  given: readonly (readonly Token[])[],
  put: (own: readonly Token[]) => TextPart,
  value: (own: readonly Token[]) => TextPart,
): TextPart | undefined {
  if (pattern === undefined || pattern.holes.length > 0) return undefined;
  const parts: TextPart[] = [];
  let at = 0;
  let next = 0;
  const slice = (start: number, end: number): TextPart => partOf({ source: pattern, pythonHoles: [] }, { start, end });
  for (const found of pattern.text.matchAll(/%(?:(\d+)\$)?-?\d*([sIL%])/g)) {
    parts.push(slice(at, found.index));
    at = found.index + found[0].length;
    if (found[2] === '%') {
      parts.push(madeUp('%'));
      continue;
    }
    if (found[1] !== undefined) next = Number(found[1]) - 1;
    const own = given[next++];
    if (own === undefined) return undefined;
    parts.push(found[2] === 'L' ? value(own) : put(own));
  }
  return joined([...parts, slice(at, pattern.text.length)]);
}
