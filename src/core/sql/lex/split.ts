import type { DialectName } from '../model/dialect-name.ts';
import type { Token } from './token.ts';

/** Tokens `[from, to)` of one statement, without its terminator. */
export interface TokenRange {
  readonly from: number;
  readonly to: number;
}

/** Dialects whose scripts hold IF, LOOP and BEGIN blocks outside of procedures. */
const scripting: ReadonlySet<DialectName> = new Set(['bigquery', 'snowflake', 'spark', 'mysql', 'ansi']);

const routineWords = new Set(['procedure', 'proc', 'function', 'trigger', 'event', 'package', 'task', 'alert']);
const transactionWords = new Set([
  'transaction',
  'work',
  'tran',
  'isolation',
  'read',
  'deferred',
  'immediate',
  'exclusive',
  'concurrent',
  'not',
  'name',
]);
const blockEnds = new Set(['if', 'loop', 'while', 'repeat', 'for']);

/**
 * Cuts a script into statements: at terminators, but not inside the body of a routine; and, so that one statement
 * without its `;` does not hide the next, in front of a line that can only begin another statement. With `blocks` the
 * heads of control flow are ranges of their own.
 */
export function split(
  tokens: readonly Token[],
  dialect: DialectName,
  blocks = scripting.has(dialect),
): readonly TokenRange[] {
  const ranges: TokenRange[] = [];
  const outline = outlineOf(tokens);
  let from = 0;
  while (from < tokens.length) {
    if (tokens[from]?.kind === 'terminator') {
      from++;
      continue;
    }
    const to = (blocks ? blockHead(tokens, from) : undefined) ?? statementEnd(tokens, from, outline);
    ranges.push({ from, to });
    from = to;
  }
  return ranges;
}

const wordAt = (tokens: readonly Token[], index: number): string | undefined =>
  tokens[index]?.kind === 'word' ? tokens[index]?.text : undefined;

function statementEnd(tokens: readonly Token[], from: number, outline: Outline): number {
  const body = isRoutine(tokens, from) ? routineEnd(tokens, from) : undefined;
  if (body !== undefined) return body;
  const first = wordAt(tokens, from) ?? '';
  const end = outline.terminator[from] ?? tokens.length;
  const balanced = (outline.depth[end] ?? 0) <= (outline.depth[from] ?? 0);
  const holds = first === 'create' ? createsHolder(tokens, from) : mayHoldStatement.has(first);
  if (holds && first !== 'with') return end;
  // Templates in front of a statement belong to it.
  let start = from;
  while (tokens[start]?.kind === 'hole' && tokens[start]?.content === undefined) start++;
  let depth = 0;
  let begun = !holds;
  for (let index = from; index < end; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    depth += bracketStep(token);
    // A bracket that is never closed hides nothing either.
    if (begun && (depth <= 0 || !balanced) && token.startsLine && index > start && beginsStatement(tokens, index))
      return index;
    // The statement that a WITH belongs to is its own.
    begun ||= depth <= 0 && token.kind === 'word' && mainVerbs.has(token.text);
  }
  return end;
}

const mainVerbs = new Set(['select', 'insert', 'update', 'delete', 'merge', 'values', 'table', 'from']);

const holders = new Set([
  'rule',
  'trigger',
  'event',
  'task',
  'alert',
  'procedure',
  'proc',
  'function',
  'package',
  'schema',
]);

/** CREATE of something that statements stand in, unlike a table or view. */
function createsHolder(tokens: readonly Token[], from: number): boolean {
  for (let index = from + 1; index < from + 14; index++) {
    const word = wordAt(tokens, index);
    if (word === 'table' || word === 'view' || word === 'index') return false;
    if (word !== undefined && holders.has(word)) return true;
  }
  return false;
}

const bracketStep = (token: Token): number =>
  token.kind !== 'operator' ? 0 : token.text === '(' ? 1 : token.text === ')' ? -1 : 0;

/** Where the terminators are and how deep in brackets each token stands, found in one pass over the script. */
interface Outline {
  /** For every token the index of the terminator at or behind it. */
  readonly terminator: Int32Array;
  /** Open brackets in front of every token, counted from the start of the script. */
  readonly depth: Int32Array;
}

function outlineOf(tokens: readonly Token[]): Outline {
  const depth = new Int32Array(tokens.length + 1);
  tokens.forEach((token, index) => {
    depth[index + 1] = (depth[index] ?? 0) + bracketStep(token);
  });
  const terminator = new Int32Array(tokens.length);
  for (let index = tokens.length - 1, end = tokens.length; index >= 0; index--) {
    if (tokens[index]?.kind === 'terminator') end = index;
    terminator[index] = end;
  }
  return { terminator, depth };
}

/** First words behind which another statement may stand without a `;`. */
const mayHoldStatement = new Set([
  'with',
  'explain',
  'describe',
  'desc',
  'from',
  'prepare',
  'profile',
  'do',
  'grant',
  'revoke',
  'on',
  'execute',
  'declare',
  'if',
  'else',
  'then',
  'comment',
]);

/** Behind these the line goes on with an action of the same statement. */
const continuing = new Set(['do', 'also', 'instead', 'for', 'key', 'on', 'no', 'or']);

const commonBefore = new Set(['as', 'materialized']);

/** Only phrases that no clause can hold at the start of a line. */
function beginsStatement(tokens: readonly Token[], index: number): boolean {
  if (continuing.has(wordAt(tokens, index - 1) ?? '')) return false;
  // `WITH d AS (` goes on.
  if (tokens[index - 1]?.text === '(' && commonBefore.has(wordAt(tokens, index - 2) ?? '')) return false;
  const next = wordAt(tokens, index + 1) ?? '';
  switch (wordAt(tokens, index)) {
    case 'insert':
      return next === 'into' || next === 'overwrite';
    case 'delete':
      return next === 'from';
    case 'merge':
      return next === 'into';
    case 'truncate':
    case 'drop':
      return next === 'table' && tokens[index - 1]?.text !== ',';
    case 'create':
      return next === 'table' || next === 'temp' || next === 'temporary' || next === 'or' || next === 'view';
    case 'update':
      return [2, 3, 4, 5, 6].some((ahead) => wordAt(tokens, index + ahead) === 'set');
    default:
      return false;
  }
}

function isRoutine(tokens: readonly Token[], from: number): boolean {
  const first = wordAt(tokens, from);
  // Trino: a query may bring functions of its own.
  if (first === 'with') return wordAt(tokens, from + 1) === 'function' && wordAt(tokens, from + 2) !== 'as';
  if (first !== 'create' && first !== 'alter') return false;
  for (let index = from + 1; index < Math.min(tokens.length, from + 14); index++) {
    const word = wordAt(tokens, index);
    if (word === undefined) continue;
    if (routineWords.has(word)) return true;
    if (word === 'table' || word === 'view' || word === 'index') return false;
  }
  return false;
}

/**
 * Where a routine with a bare `BEGIN … END` body ends; `undefined` when it has no such body or the body is never
 * closed (then its first terminator ends it, so that the rest of the script is still read).
 */
function routineEnd(tokens: readonly Token[], from: number): number | undefined {
  let depth = 0;
  for (let index = from; index < tokens.length; index++) {
    const token = tokens[index];
    if (token?.kind === 'terminator' && depth === 0 && !isDeclared(tokens, from, index)) return undefined;
    // GO, or what DELIMITER has named, ends what it stands behind, also where the blocks were miscounted.
    if (token?.kind === 'terminator' && token.text === ';' && token.end - token.start !== 1) return index;
    const word = wordAt(tokens, index);
    if (word === undefined) continue;
    if (depth > 0 && word === 'create' && isRoutine(tokens, index)) return undefined;
    const next = wordAt(tokens, index + 1);
    const step = blockStep(word, next);
    if (step === 'skip') index++;
    else depth += step;
    if (depth === 0 && step === -1) {
      if (next === 'case') index++;
      let end = index + 1;
      while (end < tokens.length && tokens[end]?.kind !== 'terminator') end++;
      return end;
    }
  }
  return undefined;
}

/** Oracle: between `AS` or `IS` and `BEGIN` variables and cursors are declared, each with its own `;`. */
function isDeclared(tokens: readonly Token[], from: number, end: number): boolean {
  const next = wordAt(tokens, end + 1);
  if (next === undefined || statementWords.has(next)) return false;
  for (let index = from, depth = 0; index < end; index++) {
    const token = tokens[index];
    if (token === undefined || token.kind === 'terminator') break;
    depth += bracketStep(token);
    const word = wordAt(tokens, index);
    if (depth === 0 && (word === 'as' || word === 'is')) return tokens[index + 1]?.kind === 'word';
  }
  return false;
}

const statementWords = new Set(
  'insert update delete merge truncate drop create alter select with grant revoke commit call exec execute use comment set declare copy analyze vacuum refresh explain replace show go'.split(
    ' ',
  ),
);

function blockStep(word: string, next: string | undefined): number | 'skip' {
  if (word === 'begin') return transactionWords.has(next ?? '') && next !== 'not' ? 0 : 1;
  if (word === 'case') return 1;
  if (word !== 'end') return 0;
  return blockEnds.has(next ?? '') ? 'skip' : -1;
}

/**
 * The head of a block of a script (`BEGIN`, `IF … THEN`, `ELSE`, `LOOP`, `WHILE … DO`), read as a statement of its own
 * so that the statements inside are found.
 */
function blockHead(tokens: readonly Token[], first: number): number | undefined {
  const from = first + labelLength(tokens, first);
  const next = tokens[from + 1];
  switch (wordAt(tokens, from)) {
    case 'begin':
      return next !== undefined && next.kind === 'word' && !transactionWords.has(next.text) ? from + 1 : undefined;
    case 'else':
    case 'loop':
    case 'repeat':
      return next === undefined || next.kind === 'terminator' ? undefined : from + 1;
    case 'if':
    case 'elseif':
    case 'elsif':
    case 'when':
    case 'exception':
      return wordBehind(tokens, from, 'then');
    case 'while':
    case 'for':
    case 'foreach':
      return wordBehind(tokens, from, 'do', 'loop');
    case 'case':
      return wordBehind(tokens, from + 1, 'then');
    case 'declare':
      return wordAt(tokens, from + 2) === 'handler' ? wordBehind(tokens, from, 'begin') : undefined;
    default:
      return undefined;
  }
}

/** Tokens of `name:` or `<<name>>` in front of a block. */
function labelLength(tokens: readonly Token[], at: number): number {
  if (tokens[at]?.text === '<<' && tokens[at + 2]?.text === '>>') return 3;
  return tokens[at]?.kind === 'word' && tokens[at + 1]?.text === ':' && labelled.has(wordAt(tokens, at + 2) ?? '')
    ? 2
    : 0;
}

const labelled = new Set(['begin', 'loop', 'while', 'repeat', 'for', 'foreach']);

function wordBehind(tokens: readonly Token[], from: number, ...words: readonly string[]): number | undefined {
  let depth = 0;
  let cases = 0;
  for (let index = from; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || token.kind === 'terminator') return undefined;
    // A name in a path is no keyword.
    if (tokens[index - 1]?.text === '.') continue;
    if (token.text === '(' && token.kind === 'operator') depth++;
    else if (token.text === ')' && token.kind === 'operator') depth--;
    else if (token.kind === 'word' && token.text === 'case') cases++;
    else if (token.kind === 'word' && token.text === 'end') cases--;
    else if (depth === 0 && cases === 0 && token.kind === 'word' && words.includes(token.text)) return index + 1;
  }
  return undefined;
}
