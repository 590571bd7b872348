import { lex } from '../../sql/lex/lexer.ts';
import type { Token } from '../../sql/lex/token.ts';
import { plainText } from '../../template/mask/plain-text.ts';

/** The same SQL as several units send it, with the literals in which they differ. */
export interface VaryingText {
  /** Of the first unit; offsets are into `first`. */
  readonly tokens: readonly Token[];
  readonly first: string;
  readonly units: number;
  /** Positions of tokens that are not the same in all units: strings and numbers. */
  readonly varying: ReadonlySet<number>;
  /** What one unit has from the first of some tokens up to the one behind them. */
  textOf(from: number, to: number, unit: number): string;
  /** The token of one unit. */
  tokenOf(position: number, unit: number): Token | undefined;
}

/** Why units cannot go together, in words that follow "because". */
export interface Apart {
  readonly apart: string;
}

export const isApart = (made: object): made is Apart => 'apart' in made;

/** Compares texts token by token; comments and white space do not count. */
export function varyingText(texts: readonly string[]): VaryingText | Apart {
  const [first] = texts;
  const read = texts.map((text) => {
    const { tokens, problems } = lex(plainText(text), 'postgres');
    return problems.length > 0 ? undefined : tokens.filter(({ kind }) => kind !== 'terminator');
  });
  const [tokens] = read;
  if (first === undefined || tokens === undefined) return { apart: 'its SQL cannot be read' };
  const varying = new Set<number>();
  for (const [unit, others] of read.entries()) {
    if (others?.length !== tokens.length) return { apart: 'its statements are not the same in each interval' };
    for (const [position, token] of tokens.entries()) {
      const other = others[position];
      if (other?.kind === token.kind && codeOf(other, texts[unit] ?? '') === codeOf(token, first)) continue;
      const isLiteral = other?.kind === token.kind && (token.kind === 'string' || token.kind === 'number');
      if (!isLiteral) return { apart: `the interval decides more of it than literals (${token.text})` };
      varying.add(position);
    }
  }
  return {
    tokens,
    first,
    units: texts.length,
    varying,
    textOf: (from, to, unit) => (texts[unit] ?? '').slice(read[unit]?.[from]?.start, read[unit]?.[to - 1]?.end),
    tokenOf: (position, unit) => read[unit]?.[position],
  };
}

/** Words are folded; quotes and escapes of literals count as they are written. */
const codeOf = (token: Token, text: string): string =>
  token.kind === 'word' ? token.text : text.slice(token.start, token.end);
