import type { Token } from '../../lex/token.ts';
import type { SqlExpression } from '../../model/expression.ts';
import {
  accept,
  acceptOperator,
  type Cursor,
  done,
  isName,
  isQuotedHole,
  operator,
  spanFrom,
  startOffset,
  token,
  within,
  word,
} from '../cursor.ts';
import { isGrammar } from '../is-grammar.ts';
import { nameOf } from '../names.ts';
import { leafOf, opaque } from '../opaque.ts';
import { isQueryAhead } from '../query-ahead.ts';
import { readArguments } from '../read-arguments.ts';
import { reservedOperands } from '../words.ts';
import { readCall } from './read-call.ts';
import { readIntervalLiteral } from './read-interval.ts';
import { readType } from './read-type.ts';

/** `x::type`, from the operator. */
export function readPostfixCast(c: Cursor, operand: SqlExpression, start: number): SqlExpression {
  c.index++;
  const type = readType(c);
  return { kind: 'cast', operand, type, ...spanFrom(c, start) };
}

/** Words that are a call without parentheses. */
const bareCalls = new Set([
  'current_date',
  'current_time',
  'current_timestamp',
  'current_datetime',
  'localtime',
  'localtimestamp',
  'current_user',
  'session_user',
]);

const bareSysdate = new Set(['redshift', 'snowflake', 'ansi']);

/** Types that may stand before a string to type it. */
const literalTypes = new Set([
  'date',
  'timestamp',
  'timestamptz',
  'timestamp_ntz',
  'timestamp_ltz',
  'time',
  'timetz',
  'datetime',
  'numeric',
  'bignumeric',
  'decimal',
  'json',
  'jsonb',
  'uuid',
  'bytea',
  'inet',
]);

/** Words before an operand that change nothing about its reading. */
const prefixes = new Set([
  'distinct',
  'all',
  'approximate',
  'prior',
  'connect_by_root',
  'binary',
  'variadic',
  'unique',
]);

/** Every word that may begin something else than a column or a call. */
const specialWords: ReadonlySet<string> = new Set([
  ...['case', 'interval', 'exists', 'array', 'map', 'struct', 'select', 'with', 'sysdate', 'null', 'true', 'false'],
  ...bareCalls,
  ...literalTypes,
  ...prefixes,
  ...reservedOperands,
]);

/** An operand with everything that clings to it: path, cast, subscript. */
export function readPrimary(c: Cursor): SqlExpression {
  const start = startOffset(c);
  const operand = readOperand(c, start);
  return readPostfix(c, operand, Math.min(start, operand.start));
}

function readOperand(c: Cursor, start: number): SqlExpression {
  const here = token(c);
  if (here === undefined) return opaque(c, start, []);
  if (here.kind === 'operator') return readBracketOrStar(c, start);
  if (here.kind === 'word') return readWord(c, start, here.text);
  if (isName(here)) return readColumnOrCall(c, start);
  c.index++;
  return leafOf(here, c) ?? opaque(c, start, []);
}

function readBracketOrStar(c: Cursor, start: number): SqlExpression {
  switch (operator(c)) {
    case '*':
      c.index++;
      return readStarModifiers(c, start, { kind: 'star', qualifier: undefined, ...spanFrom(c, start) });
    case '(': {
      if (isQueryAhead(c)) {
        const query = within(c, () => c.grammar.query(c));
        return { kind: 'subquery', query, ...spanFrom(c, start) };
      }
      const items = within(c, () => readArguments(c));
      const only = items[0];
      return items.length === 1 && only !== undefined ? only : opaque(c, start, items);
    }
    case '[':
    case '{': {
      const items = within(c, () => readEntries(c));
      return opaque(c, start, items);
    }
    default:
      // Nothing that can begin an operand: the caller decides what to do with it.
      return opaque(c, start, []);
  }
}

/** Entries of an array, a struct or a map: `1, 2`, `'a': 1`, `for` comprehensions. */
function readEntries(c: Cursor): SqlExpression[] {
  const items: SqlExpression[] = [];
  while (!done(c)) {
    const before = c.index;
    const item = c.grammar.expression(c);
    if (c.index > before) items.push(item);
    else c.index++;
  }
  return items;
}

function readWord(c: Cursor, start: number, text: string): SqlExpression {
  if (!specialWords.has(text)) return readColumnOrCall(c, start);
  const calls = operator(c, 1) === '(';
  const next = token(c, 1);
  switch (text) {
    case 'case':
      return readCase(c, start);
    case 'interval': {
      const interval = readIntervalLiteral(c, start);
      if (interval !== undefined) return interval;
      break;
    }
    case 'exists':
      if (calls) {
        c.index++;
        if (isQueryAhead(c)) {
          const query = within(c, () => c.grammar.query(c));
          return { kind: 'exists', query, negated: false, ...spanFrom(c, start) };
        }
        c.index--;
      }
      break;
    case 'array':
    case 'map':
      if (operator(c, 1) === '[' || operator(c, 1) === '{' || operator(c, 1) === '<') return readArray(c, start);
      break;
    case 'struct':
      if (operator(c, 1) === '<') return readArray(c, start);
      break;
    case 'select':
    case 'with':
      return opaque(c, start, []);
  }
  if (literalTypes.has(text) && !calls && next !== undefined && isQuoted(next)) return readTypedLiteral(c, start);
  if (literalTypes.has(text) && (word(c, 1) === 'with' || word(c, 1) === 'without') && word(c, 2) === 'time')
    return readTypedLiteral(c, start);
  if (
    prefixes.has(text) &&
    !calls &&
    next !== undefined &&
    (next.kind !== 'operator' || next.text === '(') &&
    !isClosed(next.text)
  ) {
    c.index++;
    return c.grammar.expression(c, 104);
  }
  if (bareCalls.has(text) || (text === 'sysdate' && bareSysdate.has(c.dialect))) {
    if (!calls && operator(c, 1) !== '.') {
      c.index++;
      return {
        kind: 'call',
        name: text,
        arguments: [],
        window: undefined,
        filtered: false,
        distinct: false,
        ...spanFrom(c, start),
      };
    }
  }
  if (text === 'null' || text === 'true' || text === 'false') {
    const here = token(c);
    c.index++;
    return (here && leafOf(here, c)) ?? opaque(c, start, []);
  }
  if (text === 'end' && c.cases === 0) return readColumnOrCall(c, start);
  if (isGrammar(c, reservedOperands) && !(calls && callableKeywords.has(text)) && operator(c, 1) !== '.')
    return opaque(c, start, []);
  return readColumnOrCall(c, start);
}

/** Keywords that are also the name of a function. */
const callableKeywords = new Set(['left', 'right', 'set', 'union']);

const isClosed = (text: string): boolean => text === 'as' || text === 'from' || text === 'end';

const isQuoted = (here: Token): boolean =>
  here.kind === 'string' || here.kind === 'template-string' || isQuotedHole(here);

function readTypedLiteral(c: Cursor, start: number): SqlExpression {
  const type = readType(c);
  const value = token(c);
  if (value === undefined || !isQuoted(value)) return opaque(c, start, []);
  c.index++;
  const operand = leafOf(value, c) ?? opaque(c, value.start, []);
  return { kind: 'cast', operand, type, ...spanFrom(c, start) };
}

function readArray(c: Cursor, start: number): SqlExpression {
  if (operator(c, 1) === '<') readType(c);
  else c.index++;
  const open = operator(c);
  if (open !== '[' && open !== '{' && open !== '(') return opaque(c, start, []);
  const items = within(c, () => (open === '(' ? readArguments(c) : readEntries(c)));
  return opaque(c, start, items);
}

function readCase(c: Cursor, start: number): SqlExpression {
  c.index++;
  c.cases++;
  const parts: SqlExpression[] = [];
  const roles: ('operand' | 'when' | 'then' | 'else')[] = [];
  let role: (typeof roles)[number] = 'operand';
  while (!done(c) && !accept(c, 'end')) {
    const next = accept(c, 'when') ? 'when' : accept(c, 'then') ? 'then' : accept(c, 'else') ? 'else' : undefined;
    if (next !== undefined) {
      role = next;
      continue;
    }
    const before = c.index;
    const part = c.grammar.expression(c);
    if (c.index === before) {
      // `CASE` that is never ended must not take the clauses behind it.
      if (isGrammar(c, reservedOperands)) break;
      c.index++;
    } else {
      parts.push(part);
      roles.push(role);
    }
  }
  c.cases--;
  return { kind: 'case', parts, roles, ...spanFrom(c, start) };
}

function readColumnOrCall(c: Cursor, start: number): SqlExpression {
  const parts: string[] = [];
  let only = token(c);
  let single = true;
  while (!done(c)) {
    const here = token(c);
    if (here === undefined || !isName(here)) break;
    parts.push(nameOf(here, c.dialect));
    only = here;
    c.index++;
    if (operator(c) !== '.') break;
    if (operator(c, 1) === '*') {
      c.index += 2;
      return readStarModifiers(c, start, { kind: 'star', qualifier: parts.join('.'), ...spanFrom(c, start) });
    }
    if (!isName(token(c, 1))) {
      // Half-typed `t.`: the name that is coming is not known.
      c.index++;
      return opaque(c, start, [{ kind: 'column', qualifier: parts.join('.'), name: '', ...spanFrom(c, start) }]);
    }
    single = false;
    c.index++;
  }
  if (operator(c) === '(') {
    if (operator(c, 1) === '+' && operator(c, 2) === ')') c.index += 3;
    else return readCall(c, start, parts.join('.').toLowerCase());
  }
  if (single && only?.kind === 'hole') return leafOf(only, c) ?? opaque(c, start, []);
  const name = parts.pop() ?? '';
  return { kind: 'column', qualifier: parts.length > 0 ? parts.join('.') : undefined, name, ...spanFrom(c, start) };
}

/** `* EXCLUDE (…) REPLACE (x AS y)`: the star stays the first part. */
function readStarModifiers(c: Cursor, start: number, star: SqlExpression): SqlExpression {
  const parts: SqlExpression[] = [star];
  let modified = false;
  for (;;) {
    const here = word(c);
    const lists = here === 'exclude' || here === 'except' || here === 'replace' || here === 'rename';
    if (!lists || (here === 'except' && (operator(c, 1) !== '(' || isQueryBehind(c)))) break;
    modified = true;
    c.index++;
    if (operator(c) === '(') {
      const items = within(c, () => {
        const found: SqlExpression[] = [];
        while (!done(c)) {
          const before = c.index;
          const item = c.grammar.expression(c);
          if (accept(c, 'as') && isName(token(c))) c.index++;
          if (c.index > before && here === 'replace') found.push(item);
          if (!acceptOperator(c, ',') && c.index === before) c.index++;
        }
        return found;
      });
      parts.push(...items);
    } else if (isName(token(c))) {
      c.index++;
      if (accept(c, 'as') && isName(token(c))) c.index++;
    }
  }
  return modified ? opaque(c, start, parts) : star;
}

function isQueryBehind(c: Cursor): boolean {
  c.index++;
  const ahead = isQueryAhead(c);
  c.index--;
  return ahead;
}

function readPostfix(c: Cursor, operand: SqlExpression, start: number): SqlExpression {
  let left = operand;
  for (let links = 0; links < 300; links++) {
    const sign = operator(c);
    if (sign === '::') left = readPostfixCast(c, left, start);
    else if (sign === '[' && c.index > 0) {
      const items = within(c, () => readEntries(c));
      left = opaque(c, start, [left, ...items]);
    } else if (sign === ':' && (c.dialect === 'snowflake' || c.dialect === 'spark') && isName(token(c, 1))) {
      c.index += 2;
      while (operator(c) === '.' && isName(token(c, 1))) c.index += 2;
      left = opaque(c, start, [left]);
    } else if (sign === '.' && left.kind !== 'literal' && operator(c, 1) === '*') {
      c.index += 2;
      const star: SqlExpression = { kind: 'star', qualifier: undefined, ...spanFrom(c, start) };
      const modified = readStarModifiers(c, start, star);
      return modified.kind === 'opaque' ? { ...modified, parts: [...modified.parts, left] } : modified;
    } else if (sign === '.' && left.kind !== 'literal' && isName(token(c, 1))) {
      c.index += 2;
      const parts = operator(c) === '(' ? within(c, () => readArguments(c)) : [];
      left = opaque(c, start, [left, ...parts]);
    } else return left;
  }
  return left;
}
