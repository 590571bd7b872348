import type { Span } from '../../../text/span.ts';
import {
  accept,
  acceptOperator,
  type Cursor,
  done,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  token,
  within,
  word,
} from '../cursor.ts';
import { readExpression } from '../expressions/read-expression.ts';
import { isGrammar } from '../is-grammar.ts';
import { readAlias } from '../names.ts';
import { readArguments } from '../read-arguments.ts';
import { afterTable } from '../words.ts';

/**
 * What may stand between a table and its alias or behind it: time travel, samples, partitions, index hints. Gives the sample
 * whose rows are drawn anew each time, if there is one.
 */
export function readTableModifiers(c: Cursor): Span | undefined {
  let drawn: Span | undefined;
  for (;;) {
    const here = word(c);
    const bracketed = operator(c, 1) === '(';
    if ((here === 'for' || here === 'timestamp' || here === 'version' || here === 'system_time') && readTimeTravel(c))
      continue;
    if (
      (here === 'at' ||
        here === 'before' ||
        here === 'changes' ||
        here === 'partition' ||
        here === 'match_recognize' ||
        here === 'match_condition') &&
      bracketed
    ) {
      c.index++;
      within(c, () => readArguments(c));
    } else if (here === 'tablesample' || here === 'sample' || (here === 'using' && word(c, 1) === 'sample'))
      drawn = readSample(c) ?? drawn;
    else if (here === 'with' && word(c, 1) === 'ordinality') c.index += 2;
    else if (here === 'with' && word(c, 1) === 'offset') {
      c.index += 2;
      readAlias(c, afterTable);
    } else if (here === 'with' && bracketed) c.index = Math.min((c.match[c.index + 1] ?? c.end) + 1, c.end);
    else if (
      (here === 'use' || here === 'force' || here === 'ignore') &&
      (word(c, 1) === 'index' || word(c, 1) === 'key')
    ) {
      c.index += 2;
      while (!done(c) && operator(c) !== '(') c.index++;
      if (!done(c)) skipOne(c);
    } else if (here === 'final') c.index++;
    else return drawn;
  }
}

function readTimeTravel(c: Cursor): boolean {
  const offset = word(c) === 'for' ? 1 : 0;
  const what = word(c, offset);
  if (what !== 'timestamp' && what !== 'version' && what !== 'system_time' && what !== 'system_version') return false;
  if (offset === 1 && word(c, 2) === 'all') {
    c.index += 3;
    return true;
  }
  if (word(c, offset + 1) === 'as' && word(c, offset + 2) === 'of') {
    c.index += offset + 3;
    readExpression(c, 60);
    return true;
  }
  if (offset === 1 && (word(c, 2) === 'between' || word(c, 2) === 'from')) {
    c.index += 3;
    readExpression(c, 60);
    if (accept(c, 'and') || accept(c, 'to')) readExpression(c, 60);
    return true;
  }
  return false;
}

/** The clause where nothing fixes which rows it draws: no seed, not all of them, no bucket, no sampling key (`SAMPLE 0.1` of ClickHouse). */
function readSample(c: Cursor): Span | undefined {
  const start = startOffset(c);
  const from = c.index;
  if (accept(c, 'using')) c.index++;
  else c.index++;
  while (!done(c) && word(c) !== '' && !isGrammar(c, afterTable)) c.index++;
  if (operator(c) === '(') skipOne(c);
  else if (token(c)?.kind === 'number') {
    c.index++;
    acceptOperator(c, '%');
  }
  const said = c.tokens.slice(from, c.index).map(({ text }) => text.toLowerCase());
  const span = spanFrom(c, start);
  if ((word(c) === 'repeatable' || word(c) === 'seed') && operator(c, 1) === '(') {
    c.index++;
    skipOne(c);
    return undefined;
  }
  const isByKey = said[0] === 'sample' && !said.includes('(');
  const isFixed = said.includes('bucket') || said.includes('100') || isByKey;
  return isFixed ? undefined : span;
}
