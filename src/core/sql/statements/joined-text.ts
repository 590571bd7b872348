import type { Hole, MaskedText } from '../../template/mask/masked-text.ts';
import { lex } from '../lex/lexer.ts';
import type { Token } from '../lex/token.ts';
import type { DialectName } from '../model/dialect-name.ts';

/** A piece of a text that `||` puts together: a literal's content, or an expression that only the run has a value for. */
interface Piece {
  readonly start: number;
  readonly end: number;
  /** Its quotes are doubled in it. */
  readonly escaped: boolean;
  readonly known: boolean;
}

/** Stands for an expression: a letter to the lexer, so that a name that it touches is one name with it. */
const mark = '\uE000';

/**
 * The tokens of the SQL that literals and expressions give together, each where its piece stands. Literals next to each
 * other are one text. A name of which an expression decides a part is templated, a value is a parameter; `undefined`
 * where an expression may be anything else, or the text begins with one.
 */
export function joinedText(
  masked: MaskedText,
  tokens: readonly Token[],
  dialect: DialectName,
): readonly Token[] | undefined {
  const pieces = piecesOf(masked, tokens);
  if (pieces[0]?.known !== true) return undefined;
  const holes: Hole[] = [];
  const numbers: number[] = [];
  const starts: number[] = [];
  let text = '';
  let open = false;
  for (const { start, end, escaped, known } of pieces) {
    const at = text.length;
    starts.push(at);
    if (!known) {
      text += mark;
      continue;
    }
    for (const [index, hole] of masked.holes.entries()) {
      if (hole.start < start || hole.end > end) continue;
      holes.push({ ...hole, start: hole.start - start + at, end: hole.end - start + at });
      numbers.push(index);
    }
    // A string that one piece opens may be closed by another.
    text += masked.text.slice(start, end).replace(escaped ? /''|\\'/g : /'/g, (quote) => {
      open = !open;
      return quote === "'" ? quote : open ? " '" : "' ";
    });
  }
  const pieceAt = (at: number): number => starts.findLastIndex((from) => from <= at);
  const placeOf = (at: number, isEnd: boolean): number => {
    const index = pieceAt(isEnd ? at - 1 : at);
    const piece = pieces[index];
    if (piece === undefined) return 0;
    if (!piece.known) return isEnd ? piece.end : piece.start;
    return piece.start + at - (starts[index] ?? 0);
  };
  const { tokens: made } = lex({ text, holes, tags: [], problem: undefined }, dialect);
  const placed = made.map((here): Token => {
    const { content } = here;
    const span =
      content === undefined ? undefined : { start: placeOf(content.start, false), end: placeOf(content.end, true) };
    const isEmpty = content?.start === content?.end;
    let next = here.start;
    return {
      ...here,
      start: placeOf(here.start, false),
      end: placeOf(here.end, true),
      holes: here.holes.map((index) => numbers[index] ?? index),
      content: isEmpty ? undefined : span,
      text: here.text.replaceAll(mark, () => {
        const found = text.indexOf(mark, next);
        next = found + 1;
        const { start, end } = pieces[pieceAt(found)] ?? { start: 0, end: 0 };
        return `\${${masked.text.slice(start, end).replace(/[."$]/g, '_')}}`;
      }),
    };
  });
  return withoutMarks(placed, (index) => text.slice(made[index]?.start, made[index]?.end));
}

/** Names keep what they are made of, values become parameters. */
function withoutMarks(tokens: readonly Token[], written: (index: number) => string): readonly Token[] | undefined {
  const made: Token[] = [];
  for (const [index, here] of tokens.entries()) {
    if (!written(index).includes(mark)) made.push(here);
    else if (here.kind === 'string' || here.kind === 'template-string' || isValue(tokens, index, written(index)))
      made.push({ ...here, kind: 'parameter', text: '$1', holes: [], content: undefined });
    else if (isTable(tokens, index)) made.push(here);
    else return undefined;
  }
  return made;
}

/** `FROM a.b`, from any part of the name. */
function isTable(tokens: readonly Token[], index: number): boolean {
  let at = index;
  while (tokens[at - 1]?.text === '.' && isName(tokens[at - 2])) at -= 2;
  const before = tokens[at - 1];
  return isName(tokens[index]) && before?.kind === 'word' && beforeTable.has(before.text);
}

const beforeTable = new Set('from join into update table truncate only using exists overwrite view'.split(' '));

/** Where one value stands, and no column, no list and no condition can. */
function isValue(tokens: readonly Token[], index: number, written: string): boolean {
  const [before, after] = [tokens[index - 1], tokens[index + 1]];
  if (written !== mark || before === undefined || isColumn(after)) return false;
  if (before.kind === 'word') {
    if (beforeValue.has(before.text)) return true;
    return before.text === 'and' && tokens.slice(0, index - 1).findLast(isCondition)?.text === 'between';
  }
  if (before.kind !== 'operator') return false;
  if (before.text === '(' || before.text === ',') return !inColumns(tokens, index);
  return before.text !== '.' && before.text !== ')' && before.text !== '::';
}

const beforeValue = new Set('between like ilike limit offset interval date timestamp timestamptz then else'.split(' '));
const conditions = new Set(['and', 'or', 'where', 'on', 'between', 'having']);
const isCondition = ({ kind, text }: Token): boolean => kind === 'word' && conditions.has(text);

/** Behind it stands what a column is compared with, or a part of its name. */
const isColumn = (after: Token | undefined): boolean =>
  after?.kind === 'operator'
    ? !afterValue.has(after.text)
    : after?.kind === 'word' && ['in', 'is', 'like', 'between'].includes(after.text);
const afterValue = new Set([')', ',', ';', '::', '+', '-', '*', '/']);

/** `INSERT INTO t (…`: how many columns an expression gives is not known. */
function inColumns(tokens: readonly Token[], index: number): boolean {
  let depth = 0;
  for (let at = index - 1; at >= 0; at--) {
    const { text } = tokens[at] as Token;
    if (text === ')') depth++;
    if (text !== '(' || depth-- > 0) continue;
    let name = at - 1;
    while (isName(tokens[name]) && tokens[name - 1]?.text === '.') name -= 2;
    return tokens[name - 1]?.text === 'into';
  }
  return false;
}

const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'quoted';

/** Split at `||`; literals that only white space with a new line parts are one in PostgreSQL. */
function piecesOf(masked: MaskedText, tokens: readonly Token[]): readonly Piece[] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const here of tokens) {
    const isMark = here.kind === 'operator';
    if (isMark && here.text === '(') depth++;
    if (isMark && here.text === ')') depth--;
    const before = parts.at(-1)?.at(-1);
    if (isMark && here.text === '||' && depth === 0) parts.push([]);
    else if (isLiteral(here) && before !== undefined && isLiteral(before)) parts.push([here]);
    else parts.at(-1)?.push(here);
  }
  return parts.flatMap((part): readonly Piece[] => {
    const [first, ...others] = part;
    const last = part.at(-1);
    if (first === undefined || last === undefined) return [];
    if (others.length > 0 || first.content === undefined || !isLiteral(first))
      return [{ start: first.start, end: last.end, escaped: false, known: false }];
    return [{ ...first.content, escaped: masked.text[first.start] !== '$', known: true }];
  });
}

/** One token for a value that is one token, or literals that are put together; `undefined` for any other expression. */
export function joinedLiterals(tokens: readonly Token[]): Token | undefined {
  const [first] = tokens;
  if (tokens.length < 2 || first === undefined) return first;
  const literals = tokens.filter(({ text, kind }) => !(kind === 'operator' && text === '||'));
  if (!literals.every(({ kind }) => kind === 'string')) return undefined;
  return { ...first, text: literals.map(({ text }) => text).join(''), end: tokens.at(-1)?.end ?? first.end };
}

export const isLiteral = ({ kind, content }: Token): boolean =>
  content !== undefined && (kind === 'string' || kind === 'template-string' || kind === 'hole');
