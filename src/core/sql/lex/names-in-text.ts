import type { MaskedText } from '../../template/mask/masked-text.ts';
import { lex } from './lexer.ts';
import type { Token } from './token.ts';

/** A name as it stands in SQL: `parts` in lower case unless quoted. */
export interface NameInText {
  readonly parts: readonly string[];
  /** A bracket follows: a function, or a type, or a table with its columns. */
  readonly called: boolean;
  /** Behind a value, as in `(row).name`: a column, or a function of the row. */
  readonly ofValue: boolean;
  /** Behind INSERT INTO: a table that gets rows and is not read. */
  readonly inserted: boolean;
}

export interface NamesInText {
  readonly names: readonly NameInText[];
  /** Words without quotes, keywords included, in lower case. */
  readonly words: ReadonlySet<string>;
  readonly tokens: readonly Token[];
}

/**
 * Every name that stands in a text of SQL or PL/pgSQL, whatever it means there: more than is a table or function, never
 * less, for only strings that are run as SQL hide any. Keywords count as names.
 */
export function namesInText(text: MaskedText): NamesInText {
  const { tokens } = lex(text, 'postgres');
  const names: NameInText[] = [];
  const words = new Set<string>();
  for (const { kind, text: word } of tokens) if (kind === 'word') words.add(word);
  for (let index = 0; index < tokens.length; index++) {
    const first = tokens[index] as Token;
    if (!isName(first)) continue;
    const parts = [first.text];
    const before = tokens[index - 1];
    const inserted = before?.text === 'into' && tokens[index - 2]?.text === 'insert';
    while (isDot(tokens[index + 1]) && isName(tokens[index + 2])) {
      index += 2;
      parts.push((tokens[index] as Token).text);
    }
    names.push({ parts, called: isOpen(tokens[index + 1]), ofValue: isDot(before), inserted });
  }
  return { names, words, tokens };
}

const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'quoted';
const isDot = (token: Token | undefined): boolean => token?.kind === 'operator' && token.text === '.';
const isOpen = (token: Token | undefined): boolean => token?.kind === 'operator' && token.text === '(';
