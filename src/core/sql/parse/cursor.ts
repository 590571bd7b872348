import type { MaskedText } from '../../template/mask/masked-text.ts';
import type { Span } from '../../text/span.ts';
import type { TokenRange } from '../lex/split.ts';
import type { Token } from '../lex/token.ts';
import type { DialectName } from '../model/dialect-name.ts';
import type { QueryBlock, SqlExpression } from '../model/expression.ts';
import type { Statement } from '../model/statement.ts';
import type { TableReference } from '../model/table-reference.ts';

/**
 * A place in the tokens of one statement, with what has been seen so far. `end` is the limit of the innermost bracket:
 * no reader can run out of it, so a broken part stays where it is.
 */
export interface Cursor {
  readonly grammar: Grammar;
  readonly tokens: readonly Token[];
  /** For an opening bracket the index of its partner, or of the statement's end when it is never closed. */
  readonly match: Int32Array;
  readonly dialect: DialectName;
  /** The text that the tokens were cut from, for the few strings that hold SQL themselves. */
  readonly masked: MaskedText;
  /** Index of the statement's first token. */
  readonly first: number;
  index: number;
  end: number;
  /** Nesting of expressions and queries. */
  depth: number;
  /** Open CASE expressions: only inside of one is END a keyword. */
  cases: number;
  /** Names of the common tables in force, innermost last. */
  readonly commonTables: string[];
  /** The same names by their lower case, the innermost spelling last. */
  readonly commonSpellings: Map<string, string[]>;
  readonly reads: TableReference[];
  /** Calls in queries that are written inside strings, whose result differs between runs. */
  readonly quotedCalls: Statement['nondeterministic'][number][];
  /** Data-modifying common tables. */
  readonly modifying: Statement[];
  /** Target of a SELECT … INTO. */
  into: TableReference | undefined;
  intoTemporary: boolean;
  /** How many bodies are around this statement; in one, INTO of a SELECT names variables. */
  readonly nesting: number;
}

/** What a part of the grammar may need of a part above it. */
export interface Grammar {
  readonly expression: (c: Cursor, least?: number) => SqlExpression;
  readonly query: (c: Cursor) => QueryBlock;
  readonly statement: (c: Cursor) => Statement;
}

/** Beyond this nesting the inside of a bracket is taken as opaque, so that no input can exhaust the stack. */
export const maxDepth = 400;

export function openCursor(
  grammar: Grammar,
  tokens: readonly Token[],
  { from, to }: TokenRange,
  dialect: DialectName,
  masked: MaskedText,
  match: Int32Array = new Int32Array(tokens.length),
  nesting = 0,
): Cursor {
  matchBrackets(tokens, from, to, match);
  return {
    grammar,
    tokens,
    match,
    dialect,
    masked,
    first: from,
    index: from,
    end: to,
    depth: 0,
    cases: 0,
    commonTables: [],
    commonSpellings: new Map(),
    reads: [],
    quotedCalls: [],
    modifying: [],
    into: undefined,
    intoTemporary: false,
    nesting,
  };
}

const partner: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

function matchBrackets(tokens: readonly Token[], from: number, to: number, match: Int32Array): void {
  const open: number[] = [];
  const count: Record<string, number> = { '(': 0, '[': 0, '{': 0 };
  for (let index = from; index < to; index++) {
    const token = tokens[index];
    if (token?.kind !== 'operator') continue;
    const text = token.text;
    if (text === '(' || text === '[' || text === '{') {
      open.push(index);
      count[text] = (count[text] ?? 0) + 1;
      match[index] = to;
      continue;
    }
    const opening = partner[text];
    if (opening === undefined || (count[opening] ?? 0) === 0) continue;
    for (let top = open.pop(); top !== undefined; top = open.pop()) {
      match[top] = index;
      const kind = tokens[top]?.text ?? '';
      count[kind] = (count[kind] ?? 0) - 1;
      if (kind === opening) break;
    }
  }
}

export const token = (c: Cursor, ahead = 0): Token | undefined =>
  c.index + ahead < c.end ? c.tokens[c.index + ahead] : undefined;

export const done = (c: Cursor): boolean => c.index >= c.end;

/** The word here, lower case; '' when it is something else. */
export function word(c: Cursor, ahead = 0): string {
  const here = token(c, ahead);
  return here?.kind === 'word' ? here.text : '';
}

/** The operator here; '' when it is something else. */
export function operator(c: Cursor, ahead = 0): string {
  const here = token(c, ahead);
  return here?.kind === 'operator' ? here.text : '';
}

export const isName = (here: Token | undefined): boolean =>
  here !== undefined &&
  (here.kind === 'word' || here.kind === 'quoted' || (here.kind === 'hole' && !isQuotedHole(here)));

export const isQuotedHole = (here: Token): boolean => here.kind === 'hole' && here.content !== undefined;

/** True, and steps over it, when these words stand here. */
export function accept(c: Cursor, ...words: readonly string[]): boolean {
  for (let ahead = 0; ahead < words.length; ahead++) if (word(c, ahead) !== words[ahead]) return false;
  c.index += words.length;
  return true;
}

export function acceptAny(c: Cursor, words: ReadonlySet<string>): string | undefined {
  const here = word(c);
  if (here === '' || !words.has(here)) return undefined;
  c.index++;
  return here;
}

export function acceptOperator(c: Cursor, text: string): boolean {
  if (operator(c) !== text) return false;
  c.index++;
  return true;
}

/** Offset where the next token starts; the end of the last one when there is none. */
export const startOffset = (c: Cursor): number => (c.index < c.end ? (c.tokens[c.index]?.start ?? 0) : lastOffset(c));

/** Offset where the last consumed token ended; the statement's start before the first one. */
export const lastOffset = (c: Cursor): number =>
  c.index > c.first ? (c.tokens[c.index - 1]?.end ?? 0) : (c.tokens[c.first]?.start ?? 0);

/** From an offset to the last consumed token. What was missing is empty, right behind the token before it. */
export function spanFrom(c: Cursor, start: number): Span {
  const end = lastOffset(c);
  return { start: Math.min(start, end), end };
}

/** Reads the inside of the bracket that opens here; steps behind its partner whatever was read. */
export function within<T>(c: Cursor, read: () => T): T {
  const outer = c.end;
  const close = Math.min(c.match[c.index] ?? outer, outer);
  c.index++;
  c.end = Math.max(close, c.index);
  const result = read();
  c.end = outer;
  c.index = Math.min(close + 1, outer);
  return result;
}

/** Steps over the bracket that opens here, or over one token. */
export function skipOne(c: Cursor): void {
  const here = operator(c);
  if (here === '(' || here === '[' || here === '{') c.index = Math.min((c.match[c.index] ?? c.end) + 1, c.end);
  else c.index++;
}

/** Comma-separated items until the end of the bracket or until `read` stops at something else. */
export function commaList<T>(c: Cursor, read: () => T | undefined): T[] {
  const items: T[] = [];
  while (!done(c)) {
    const before = c.index;
    const item = read();
    if (item !== undefined) items.push(item);
    if (acceptOperator(c, ',')) continue;
    if (c.index === before || !done(c)) break;
  }
  return items;
}
