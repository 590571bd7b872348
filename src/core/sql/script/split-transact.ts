import type { TokenRange } from '../lex/split.ts';
import type { Token } from '../lex/token.ts';

/**
 * Cuts a script of SQL Server: no `;` is needed, so a statement ends in front of the word that begins the next one, and
 * `BEGIN`, `END`, `ELSE`, `IF …` and `WHILE …` are ranges of their own.
 */
export function splitTransact(tokens: readonly Token[]): readonly TokenRange[] {
  const ranges: TokenRange[] = [];
  let from = 0;
  while (from < tokens.length) {
    if (tokens[from]?.kind === 'terminator') {
      from++;
      continue;
    }
    const to = structureEnd(tokens, from) ?? routineEnd(tokens, from) ?? statementEnd(tokens, from);
    ranges.push({ from, to });
    from = to;
  }
  return ranges;
}

const wordAt = (tokens: readonly Token[], index: number): string | undefined => {
  const here = tokens[index];
  // `t.open` and `[end]` are names.
  return here?.kind === 'word' && tokens[index - 1]?.text !== '.' ? here.text : undefined;
};

/** Where `BEGIN`, `BEGIN TRY`, `END`, `END CATCH` or `ELSE` ends; `BEGIN TRANSACTION` is a statement. */
function structureEnd(tokens: readonly Token[], at: number): number | undefined {
  const word = wordAt(tokens, at);
  if (word === 'else') return at + 1;
  if (word !== 'begin' && word !== 'end') return undefined;
  const next = wordAt(tokens, at + 1) ?? '';
  if (next === 'try' || next === 'catch') return at + 2;
  return word === 'begin' && /^(?:tran|transaction|distributed|dialog|conversation|work)$/.test(next)
    ? undefined
    : at + 1;
}

/** A routine is all of its batch, unless another one is made behind it. */
function routineEnd(tokens: readonly Token[], from: number): number | undefined {
  if (!makesRoutine(tokens, from)) return undefined;
  for (let index = from + 1; index < tokens.length; index++) {
    const here = tokens[index];
    if (here?.kind === 'terminator' && here.end - here.start !== 1) return index;
    if (here?.startsLine && makesRoutine(tokens, index)) return index;
  }
  return tokens.length;
}

function makesRoutine(tokens: readonly Token[], at: number): boolean {
  const first = wordAt(tokens, at);
  if (first !== 'create' && first !== 'alter') return false;
  const next = wordAt(tokens, at + 1);
  return /^(?:procedure|proc|function|trigger)$/.test((next === 'or' ? wordAt(tokens, at + 3) : next) ?? '');
}

/** Words that SQL Server keeps to itself, so that outside of brackets they begin a statement or part a block. */
export const beginning = new Set(
  'select insert update delete merge truncate drop create alter declare set if while begin end else exec execute return print raiserror throw commit rollback save waitfor goto grant revoke deny deallocate with use'.split(
    ' ',
  ),
);

function statementEnd(tokens: readonly Token[], from: number): number {
  const seen = new Set<string>();
  const first = wordAt(tokens, from) ?? '';
  let depth = 0;
  let cases = 0;
  for (let index = from; index < tokens.length; index++) {
    const here = tokens[index];
    if (here === undefined || here.kind === 'terminator') return index;
    if (here.kind === 'operator') depth += here.text === '(' ? 1 : here.text === ')' ? -1 : 0;
    const word = wordAt(tokens, index);
    if (word === undefined || depth > 0) continue;
    if (word === 'case') cases++;
    else if (cases > 0) {
      // `ELSE` and `END` of an expression.
      if (word === 'end') cases--;
    } else if (index > from && beginning.has(word) && !goesOn(tokens, index, first, seen)) return index;
    seen.add(word);
  }
  return tokens.length;
}

/** The word is a clause of the statement that began with `first`, of which `seen` are the words so far. */
function goesOn(tokens: readonly Token[], index: number, first: string, seen: ReadonlySet<string>): boolean {
  const word = wordAt(tokens, index) ?? '';
  const before = wordAt(tokens, index - 1) ?? '';
  if (/^(?:grant|revoke|deny)$/.test(first) && !tokens[index]?.startsLine) return true;
  switch (word) {
    case 'select':
      if (/^(?:union|except|intersect|all|as)$/.test(before)) return true;
      if (first === 'insert') return !/select|values|exec|execute/.test([...seen].join(' '));
      if (first === 'with') return ![...verbs].some((verb) => seen.has(verb)) || insertsOnly(seen);
      return before === 'for';
    case 'insert':
    case 'update':
    case 'delete':
    case 'merge':
      if (first === 'with' && ![...verbs].some((verb) => seen.has(verb))) return true;
      // `WHEN MATCHED THEN DELETE`, `ON DELETE CASCADE`, `FOR UPDATE`, `INNER MERGE JOIN`.
      if (before === 'on') return first === 'create' || first === 'alter';
      return /^(?:then|for|bulk|inner|left|right|full)$/.test(before) || tokens[index - 1]?.text === ',';
    case 'set':
      if (first === 'merge' || first === 'with') return before === 'update' || (seen.has('update') && !seen.has('set'));
      return (first === 'update' && !seen.has('set')) || (first === 'alter' && !tokens[index]?.startsLine);
    case 'exec':
    case 'execute':
      return (first === 'insert' && !seen.has('select') && !seen.has('values')) || before === 'with' || before === 'as';
    case 'with':
      // `WITH (NOLOCK)` and the options of a table; a common table is named and has brackets.
      return !isCommonTable(tokens, index);
    case 'if':
      return /^(?:table|view|procedure|proc|function|index|database|schema|trigger|type|column|constraint|statistics|sequence|synonym|user)$/.test(
        before,
      );
    case 'drop':
    case 'alter':
    case 'create':
      return first === 'alter' && !/^(?:table|view|procedure|proc)$/.test(wordAt(tokens, index + 1) ?? '');
    case 'truncate':
    case 'save':
    case 'use':
      return tokens[index + 1]?.kind !== 'word' && tokens[index + 1]?.kind !== 'quoted';
    default:
      return false;
  }
}

const verbs = new Set(['select', 'insert', 'update', 'delete', 'merge']);

/** `WITH x AS (…) INSERT INTO t SELECT …` */
const insertsOnly = (seen: ReadonlySet<string>): boolean =>
  seen.has('insert') && !seen.has('select') && !seen.has('values');

function isCommonTable(tokens: readonly Token[], index: number): boolean {
  const name = tokens[index + 1];
  if (name?.kind !== 'word' && name?.kind !== 'quoted') return false;
  const next = tokens[index + 2];
  return (next?.kind === 'word' && next.text === 'as') || next?.text === '(';
}
