import type { SqlExpression, WindowClause } from '../../model/expression.ts';
import {
  accept,
  acceptOperator,
  type Cursor,
  done,
  lastOffset,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  token,
  within,
  word,
} from '../cursor.ts';
import { isQueryAhead } from '../query-ahead.ts';
import { queryStarts } from '../words.ts';
import { readType } from './read-type.ts';

const casts = new Set(['cast', 'try_cast', 'safe_cast', 'try_convert']);

/** Words between the arguments of calls with a grammar of their own: `EXTRACT(x FROM y)`, `LISTAGG(x ORDER BY y)`. */
const separators = new Set([
  'from',
  'for',
  'placing',
  'as',
  'order',
  'by',
  'separator',
  'using',
  'limit',
  'on',
  'where',
  'ignore',
  'respect',
  'nulls',
  'asc',
  'desc',
  'first',
  'last',
  'value',
  'having',
  'max',
  'min',
  'error',
  'overflow',
  'default',
  'in',
  'empty',
  'returning',
  'format',
  'passing',
  'columns',
  'both',
  'leading',
  'trailing',
]);

/** What goes on with `NTH_VALUE(a, 2) FROM FIRST`, which is no clause then. */
const behindNth = new Set(['over', 'ignore', 'respect']);

const callSeparators = new Set([
  'asc',
  'desc',
  'nulls',
  'first',
  'last',
  'value',
  'max',
  'min',
  'empty',
  'default',
  'columns',
  'format',
]);

/** A call from its opening bracket, with FILTER, WITHIN GROUP and OVER behind it. */
export function readCall(c: Cursor, start: number, name: string): SqlExpression {
  if (casts.has(name)) return readCast(c, start, name);
  const distinct = word(c, 1) === 'distinct';
  const parts = isQueryAhead(c) ? readQueryArgument(c) : within(c, () => readCallArguments(c));
  let filtered = false;
  let window: WindowClause | undefined;
  for (;;) {
    if (word(c) === 'within' && word(c, 1) === 'group' && operator(c, 2) === '(') {
      c.index += 2;
      parts.push(...within(c, () => readCallArguments(c)));
    } else if (word(c) === 'filter' && operator(c, 1) === '(') {
      c.index++;
      filtered = true;
      parts.push(...within(c, () => readCallArguments(c)));
    } else if ((word(c) === 'ignore' || word(c) === 'respect') && word(c, 1) === 'nulls') c.index += 2;
    else if (word(c) === 'from' && (word(c, 1) === 'first' || word(c, 1) === 'last') && behindNth.has(word(c, 2)))
      c.index += 2;
    else if (word(c) === 'over' && token(c, 1) !== undefined) {
      const from = startOffset(c);
      c.index++;
      const said = operator(c) === '(' ? within(c, () => readWindow(c, parts)) : named(c);
      window = { ...said, ...spanFrom(c, from) };
    } else break;
  }
  return { kind: 'call', name, arguments: parts, window, filtered, distinct, ...spanFrom(c, start) };
}

function readQueryArgument(c: Cursor): SqlExpression[] {
  const start = startOffset(c);
  return within(c, () => {
    const query = c.grammar.query(c);
    return [{ kind: 'subquery', query, start: Math.min(query.start, start + 1), end: query.end }];
  });
}

function readCast(c: Cursor, start: number, name: string): SqlExpression {
  let type = '';
  const parts = within(c, () => {
    const operand = c.grammar.expression(c);
    if (accept(c, 'as') || (name === 'try_convert' && acceptOperator(c, ','))) type = readType(c);
    const rest = readCallArguments(c);
    return [operand, ...rest];
  });
  const operand = parts[0];
  if (operand !== undefined && parts.length === 1) return { kind: 'cast', operand, type, ...spanFrom(c, start) };
  return {
    kind: 'call',
    name,
    arguments: parts,
    window: undefined,
    filtered: false,
    distinct: false,
    ...spanFrom(c, start),
  };
}

function readCallArguments(c: Cursor): SqlExpression[] {
  const parts: SqlExpression[] = [];
  while (!done(c)) {
    if (acceptOperator(c, ',')) continue;
    const here = word(c);
    if (here === 'as' && token(c, 1) !== undefined) {
      // A name of a struct's field, or a type: never an operand.
      c.index++;
      if (token(c)?.kind !== 'word' || readType(c) === '') skipOne(c);
      continue;
    }
    if (
      separators.has(here) &&
      (parts.length > 0 || !callSeparators.has(here)) &&
      operator(c, 1) !== '(' &&
      operator(c, 1) !== '.'
    ) {
      c.index++;
      continue;
    }
    if (queryStarts.has(here) && (here === 'select' || here === 'with') && token(c, 1) !== undefined) {
      const query = c.grammar.query(c);
      parts.push({ kind: 'subquery', query, start: query.start, end: query.end });
      continue;
    }
    const before = c.index;
    const part = c.grammar.expression(c);
    if (c.index === before) skipOne(c);
    else parts.push(part);
  }
  return parts;
}

const windowWords = new Set([
  'partition',
  'by',
  'order',
  'rows',
  'range',
  'groups',
  'between',
  'unbounded',
  'preceding',
  'following',
  'current',
  'row',
  'exclude',
  'asc',
  'desc',
  'nulls',
  'first',
  'last',
  'and',
]);

type WindowParts = Omit<WindowClause, 'start' | 'end'>;

function named(c: Cursor): WindowParts {
  skipOne(c);
  return { isNamed: true, partitionBy: [], orderBy: undefined };
}

/** What stands in the brackets of a window; its expressions, keywords left out, are operands of the call. */
function readWindow(c: Cursor, operands: SqlExpression[]): WindowParts {
  const partitionBy: SqlExpression[] = [];
  let orderBy: { by: SqlExpression[]; start: number; end: number } | undefined;
  let clause: 'partition' | 'order' | 'frame' | undefined;
  let isNamed = false;
  while (!done(c)) {
    if (acceptOperator(c, ',')) continue;
    const here = word(c);
    if ((here === 'partition' || here === 'order') && word(c, 1) === 'by') {
      clause = here;
      if (here === 'order') orderBy = { by: [], start: startOffset(c), end: startOffset(c) };
      c.index += 2;
    } else if (windowWords.has(here) && operator(c, 1) !== '(' && operator(c, 1) !== '.') {
      if (frames.has(here)) clause = 'frame';
      c.index++;
    } else {
      const before = c.index;
      const part = c.grammar.expression(c);
      if (c.index === before) {
        skipOne(c);
        continue;
      }
      operands.push(part);
      if (clause === 'partition') partitionBy.push(part);
      else if (clause === 'order') orderBy?.by.push(part);
      else if (clause === undefined) isNamed = true;
    }
    if (clause === 'order' && orderBy !== undefined) orderBy.end = lastOffset(c);
  }
  return { isNamed, partitionBy, orderBy };
}

const frames = new Set(['rows', 'range', 'groups']);
