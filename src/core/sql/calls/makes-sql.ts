import { plainText } from '../../template/mask/plain-text.ts';
import { lex } from '../lex/lexer.ts';
import type { Token } from '../lex/token.ts';

/**
 * Whether a text of PL/pgSQL runs SQL that it makes: EXECUTE of anything but a literal (PostgreSQL manual, "Executing
 * Dynamic Commands"), FOR … IN EXECUTE, RETURN QUERY EXECUTE and OPEN … FOR EXECUTE included.
 */
export const makesSql = (body: string): boolean => runsOfMadeSql(lex(plainText(body), 'postgres').tokens).length > 0;

/** The indexes of each such EXECUTE. */
export const runsOfMadeSql = (tokens: readonly Token[]): readonly number[] =>
  tokens.flatMap(({ kind, text }, at) =>
    kind === 'word' && text === 'execute' && isRun(tokens, at) && !isLiteral(tokens, at + 1) ? [at] : [],
  );

/** Not the right that GRANT and REVOKE name, nor what a trigger of CREATE TRIGGER calls. */
function isRun(tokens: readonly Token[], at: number): boolean {
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  if (after === undefined || after.kind === 'terminator') return false;
  const names = (token: Token | undefined, words: readonly string[]): boolean =>
    token?.kind === 'word' && words.includes(token.text);
  if (names(before, ['grant', 'revoke', 'for']) && names(after, ['on'])) return false;
  if (after.kind === 'operator' && after.text === ',') return false;
  return !(names(after, ['function', 'procedure', 'proc']) && tokens[at + 2]?.kind !== 'operator');
}

/** A string alone, in brackets or not: nothing is put to it. */
function isLiteral(tokens: readonly Token[], from: number): boolean {
  let at = from;
  const isMark = (mark: string): boolean => tokens[at]?.kind === 'operator' && tokens[at]?.text === mark;
  while (isMark('(')) at++;
  if (tokens[at]?.kind !== 'string') return false;
  at++;
  while (isMark(')')) at++;
  const next = tokens[at];
  return next === undefined || next.kind === 'terminator' || (next.kind === 'word' && ends.has(next.text));
}

const ends = new Set(['into', 'using', 'loop']);
