import type { Token } from '../../sql/lex/token.ts';

export const isMark = (token: Token | undefined, mark: string): boolean =>
  (token?.kind === 'operator' || token?.kind === 'terminator') && token.text === mark;

export const isWord = (token: Token | undefined, ...words: readonly string[]): boolean =>
  token?.kind === 'word' && words.includes(token.text);

export const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'quoted';

/** The index behind the bracket that is opened at `open`, or the end where nothing closes it. */
export function behindBracket(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (isMark(tokens[at], '(')) depth++;
    else if (isMark(tokens[at], ')') && --depth === 0) return at + 1;
  }
  return tokens.length;
}

/** Tokens cut at a mark that stands in no bracket; nothing of nothing. */
export function cutAt(tokens: readonly Token[], mark: string): readonly (readonly Token[])[] {
  if (tokens.length === 0) return [];
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const here of tokens) {
    if (isMark(here, '(') || isMark(here, '[')) depth++;
    else if (isMark(here, ')') || isMark(here, ']')) depth--;
    if (depth === 0 && isMark(here, mark)) parts.push([]);
    else parts.at(-1)?.push(here);
  }
  return parts;
}
