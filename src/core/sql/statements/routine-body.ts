import { lexInside } from '../lex/lex-inside.ts';
import type { TokenRange } from '../lex/split.ts';
import type { Token } from '../lex/token.ts';
import type { DialectName } from '../model/dialect-name.ts';
import type { Statement } from '../model/statement.ts';
import { type Cursor, openCursor } from '../parse/cursor.ts';
import { isTransact } from '../script/is-transact.ts';
import { splitScript } from '../script/split-script.ts';
import { beginning } from '../script/split-transact.ts';
import { withVariablesAsParameters } from './body-variables.ts';
import { followControlFlow } from './control-flow.ts';
import { isLiteral, joinedLiterals, joinedText } from './joined-text.ts';

/** Languages of a body that is SQL; one that is not named is. */
const sqlLanguages = new Set(['sql', 'plpgsql', 'plpgsqlu']);

/** Bodies in bodies beyond this are not read. */
const maxNesting = 3;

type ReadStatement = (c: Cursor) => Statement;

/** What the body of a DO, routine, trigger, event or task runs; nothing where it is in another language. */
export function readRoutineBody(c: Cursor, read: ReadStatement): readonly Statement[] {
  if (c.nesting >= maxNesting || !isSql(c)) return [];
  const range = bareBody(c);
  if (range !== undefined) return readAll(c, c.tokens.slice(range.from, range.to).map(terminated), read);
  const quoted = quotedBody(c);
  return quoted === undefined ? [] : readQuotedStatements(c, quoted, read);
}

/** Where a client's delimiter is in force, `;` ends only the statements inside. */
const terminated = (here: Token): Token =>
  here.kind === 'operator' && here.text === ';' ? { ...here, kind: 'terminator' } : here;

/** The statements in a string that is run as SQL. */
function readQuotedStatements(c: Cursor, quoted: Token, read: ReadStatement): readonly Statement[] {
  const tokens = tokensIn(c, [quoted]);
  return c.nesting >= maxNesting || tokens === undefined ? [] : readAll(c, tokens, read);
}

/**
 * What EXECUTE runs: a literal, literals and expressions that `||` puts together, or `format('…', a, b)`, where names and
 * words that it is given as constants stand in their places. Nothing where only the run knows what they say.
 */
export function readMadeStatements(c: Cursor, from: number, read: ReadStatement): readonly Statement[] {
  if (c.nesting >= maxNesting) return [];
  const own = withoutBrackets(cutAt(c.tokens.slice(from, c.end), isTail)[0] ?? []);
  const isFormat = own[0]?.text === 'format' && own[1]?.text === '(' && closes(own, 1) === own.length - 1;
  const [text, ...given] = isFormat ? cutAt(own.slice(2, -1), isComma) : [own];
  const made = tokensIn(c, text ?? []);
  const tokens = isFormat && made !== undefined ? withGiven(made, given.map(joinedLiterals)) : made;
  return tokens === undefined ? [] : readAll(c, tokens, read);
}

/** The tokens of the SQL that a literal, or an expression that puts literals together, says. */
function tokensIn(c: Cursor, expression: readonly Token[]): readonly Token[] | undefined {
  const [first, ...others] = expression;
  if (first?.content === undefined || !isLiteral(first)) return undefined;
  if (others.length > 0) return joinedText(c.masked, expression, c.dialect);
  return lexInside(c.masked, first.content, c.masked.text[first.start] !== '$', c.dialect);
}

const isComma = ({ kind, text }: Token): boolean => kind === 'operator' && text === ',';
const isTail = ({ kind, text }: Token): boolean =>
  kind === 'terminator' ||
  text === ';' ||
  (kind === 'word' && (text === 'into' || text === 'using' || text === 'loop'));

/** Cut at what stands in no bracket. */
function cutAt(tokens: readonly Token[], cuts: (token: Token) => boolean): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const here of tokens) {
    if (here.kind === 'operator' && here.text === '(') depth++;
    if (here.kind === 'operator' && here.text === ')') depth--;
    if (depth === 0 && cuts(here)) parts.push([]);
    else parts.at(-1)?.push(here);
  }
  return parts;
}

/** Index of what closes the bracket at `at`. */
function closes(tokens: readonly Token[], at: number): number {
  let depth = 0;
  return tokens.findIndex(({ kind, text }, index) => {
    if (index < at || kind !== 'operator') return false;
    depth += text === '(' ? 1 : text === ')' ? -1 : 0;
    return depth === 0;
  });
}

function withoutBrackets(tokens: readonly Token[]): readonly Token[] {
  let own = tokens;
  while (own[0]?.text === '(' && closes(own, 0) === own.length - 1) own = own.slice(1, -1);
  return own;
}

/** `%I`, `%L` and `%s` in order, any value as a parameter; `undefined` where only the run knows a name. */
function withGiven(tokens: readonly Token[], given: readonly (Token | undefined)[]): readonly Token[] | undefined {
  const made: Token[] = [];
  let next = 0;
  for (let index = 0; index < tokens.length; index++) {
    const here = tokens[index];
    const behind = tokens[index + 1];
    if (here === undefined) continue;
    const isPair =
      here.text === '%' && behind?.kind === 'word' && behind.start === here.end && /^[ils]$/.test(behind.text);
    const letter = isPair ? behind.text : here.kind === 'parameter' && here.text === '%s' ? 's' : undefined;
    if (letter === undefined) {
      made.push(here);
      continue;
    }
    const value = given[next++];
    const end = isPair ? behind.end : here.end;
    if (isPair) index++;
    // `t_%s` is one name, of which only the run knows a part.
    if (isGlued(made.at(-1), here, tokens[index + 1], end)) return undefined;
    const plain =
      value?.kind === 'string' && value.holes.length === 0 && /^[\w$.]+$/.test(value.text) ? value.text : undefined;
    if (letter === 'i') {
      if (plain === undefined) return undefined;
      made.push({ ...here, kind: 'word', text: plain.toLowerCase(), end });
    } else if (letter === 's' && plain !== undefined && !/^\d/.test(plain))
      made.push({ ...here, kind: 'word', text: plain.toLowerCase(), end });
    else if (letter === 's' && beforeTable.has(made.at(-1)?.text ?? '')) return undefined;
    else if (value?.kind === 'number') made.push({ ...here, kind: 'number', text: value.text, end });
    else made.push({ ...here, kind: 'parameter', text: '$1', end });
  }
  return made;
}

function isGlued(before: Token | undefined, here: Token, behind: Token | undefined, end: number): boolean {
  const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'quoted';
  return (isName(before) && before?.end === here.start) || (isName(behind) && behind?.start === end);
}

/** Behind these a table is named. */
const beforeTable = new Set(['from', 'join', 'into', 'update', 'table', 'truncate', 'only']);

/** Dialects whose bodies are PL/pgSQL. */
const blockDialects: ReadonlySet<DialectName> = new Set(['postgres', 'ansi']);

function readAll(c: Cursor, written: readonly Token[], read: ReadStatement): readonly Statement[] {
  const tokens = blockDialects.has(c.dialect) ? withVariablesAsParameters(written) : written;
  const parts = followControlFlow(tokens, splitScript(tokens, c.dialect, true, c.tokens));
  const match = new Int32Array(tokens.length);
  return parts.flatMap(({ range, conditional, structure }) => {
    const statement = read(openCursor(c.grammar, tokens, range, c.dialect, c.masked, match, c.nesting + 1));
    const says =
      statement.kind !== 'other' ||
      statement.reads.length + statement.body.length > 0 ||
      statement.routine !== undefined;
    if (!says || (structure && statement.reads.length + statement.body.length === 0)) return [];
    return [{ ...statement, ...(structure ? { kind: 'other' as const } : {}), conditional }];
  });
}

function isSql(c: Cursor): boolean {
  for (let index = c.first; index < c.end - 1; index++) {
    const here = c.tokens[index];
    if (here?.kind === 'word' && here.text === 'begin') return true;
    const language = c.tokens[index + 1];
    if (here?.kind === 'word' && here.text === 'language' && language !== undefined && language.kind !== 'operator') {
      return sqlLanguages.has(language.text.toLowerCase());
    }
  }
  return true;
}

const starters = new Set([
  'insert',
  'update',
  'delete',
  'merge',
  'replace',
  'truncate',
  'call',
  'select',
  'with',
  'set',
  'if',
]);
const introducers = new Set(['do', 'row', 'as', 'statement']);

/** A body without quotes: `BEGIN … END`, or one statement behind `AS`, `DO` or `FOR EACH ROW`. */
function bareBody(c: Cursor): TokenRange | undefined {
  const open = c.first;
  const transact = isTransact(c.tokens, c.dialect);
  for (let index = open + 1; index < c.end; index++) {
    const here = c.tokens[index];
    if (here?.kind === 'operator' && here.text === '(') {
      index = Math.min(c.match[index] ?? c.end, c.end);
      continue;
    }
    if (here?.kind !== 'word') continue;
    if (transact) {
      // `AS` stands in front of types as well.
      if (c.tokens[index - 1]?.text === 'as' && beginning.has(here.text)) return { from: index, to: c.end };
      continue;
    }
    if (here.text === 'begin') return { from: c.tokens[index + 1]?.text === 'atomic' ? index + 2 : index, to: c.end };
    const before = c.tokens[index - 1];
    const begins = before?.kind === 'word' ? introducers.has(before.text) : before?.text === ')';
    if (begins && starters.has(here.text)) return { from: index, to: c.end };
  }
  return undefined;
}

const beforeBody = new Set(['as', 'do', 'immediate']);

/** The string behind AS, DO or `DO LANGUAGE plpgsql`; of two (`AS 'library', 'symbol'`) neither is SQL. */
function quotedBody(c: Cursor): Token | undefined {
  for (let index = c.first + 1; index < c.end; index++) {
    const here = c.tokens[index];
    const before = c.tokens[index - 1];
    if (here?.kind !== 'string' && here?.kind !== 'template-string') continue;
    if (before?.kind !== 'word') continue;
    if (!beforeBody.has(before.text) && c.tokens[index - 2]?.text !== 'language') continue;
    return c.tokens[index + 1]?.text === ',' ? undefined : here;
  }
  return undefined;
}
