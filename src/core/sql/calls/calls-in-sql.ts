import type { MaskedText } from '../../template/mask/masked-text.ts';
import type { Span } from '../../text/span.ts';
import { lexInside } from '../lex/lex-inside.ts';
import { lex } from '../lex/lexer.ts';
import type { Token } from '../lex/token.ts';
import type { DialectName } from '../model/dialect-name.ts';

/** Something that stands before a bracket like a function: a call, or a type, or a table with its columns. */
export interface CallInSql {
  /** In lower case unless quoted, parts joined by dots. */
  readonly name: string;
  readonly start: number;
  /** What stands between the commas of the brackets. */
  readonly arguments: readonly Span[];
}

/** Whatever may be a call in a text of SQL, bodies between dollars included: more than it calls, never less. */
export const callsInSql = (masked: MaskedText, dialect: DialectName): readonly CallInSql[] =>
  callsIn(lex(masked, dialect).tokens, masked, dialect);

function callsIn(tokens: readonly Token[], masked: MaskedText, dialect: DialectName): readonly CallInSql[] {
  const calls: CallInSql[] = [];
  for (const [index, here] of tokens.entries()) {
    if (here.content !== undefined && masked.text[here.start] === '$') {
      calls.push(...callsIn(lexInside(masked, here.content, false, dialect), masked, dialect));
    }
    if (!isOperator(here, '(')) continue;
    const parts: string[] = [];
    let start = here.start;
    let at = index - 1;
    for (; isName(tokens[at]); at -= 2) {
      parts.unshift(tokens[at]?.text ?? '');
      start = tokens[at]?.start ?? start;
      if (!isOperator(tokens[at - 1], '.')) break;
    }
    if (parts.length > 0 && !isDefined(tokens, at))
      calls.push({ name: parts.join('.'), start, arguments: argumentsAt(tokens, index) });
  }
  return calls;
}

const routineWords = new Set(['function', 'procedure', 'proc', 'routine', 'aggregate']);

/**
 * Behind `FUNCTION` and the like a name with its parameters is made, dropped, granted or described, not called; but for
 * `EXECUTE FUNCTION` of a trigger.
 */
function isDefined(tokens: readonly Token[], first: number): boolean {
  const isWord = (at: number, text: string): boolean => tokens[at]?.kind === 'word' && tokens[at]?.text === text;
  let at = first - 1;
  if (isWord(at, 'exists')) at -= isWord(at - 1, 'not') ? 3 : 2;
  const word = tokens[at];
  return word?.kind === 'word' && routineWords.has(word.text) && !isWord(at - 1, 'execute');
}

function argumentsAt(tokens: readonly Token[], open: number): readonly Span[] {
  const found: Span[] = [];
  let depth = 0;
  let first: Token | undefined;
  let last: Token | undefined;
  const end = (): void => {
    if (first !== undefined && last !== undefined) found.push({ start: first.start, end: last.end });
    first = undefined;
  };
  for (let index = open; index < tokens.length; index++) {
    const here = tokens[index] as Token;
    const inner = index > open;
    if (isOperator(here, '(') || isOperator(here, '[')) depth++;
    else if (isOperator(here, ')') || isOperator(here, ']')) depth--;
    if (depth === 0) break;
    if (depth === 1 && isOperator(here, ',')) {
      end();
      continue;
    }
    if (!inner) continue;
    first ??= here;
    last = here;
  }
  end();
  return found;
}

const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'quoted';
const isOperator = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'operator' && token.text === text;
