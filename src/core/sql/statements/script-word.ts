import { type Cursor, done, operator, token, within, word } from '../parse/cursor.ts';
import { readTableName } from '../parse/names.ts';
import { readFromList } from '../parse/queries/read-from.ts';
import { readQuery } from '../parse/queries/read-query.ts';
import { queryStarts } from '../parse/words.ts';
import type { Reading } from './rows/reading.ts';

/** Words of scripts and bodies whose queries read tables, though they write none. */
export const scriptWords = new Set(
  'set declare let if elseif elsif else while for when until return perform open raise case foreach'.split(' '),
);

/** `SET x = (SELECT …)`, `FOR r IN SELECT … LOOP`, `RETURN QUERY SELECT …`, `PERFORM f(a) FROM t`. */
export function readScriptWord(c: Cursor): Reading {
  const performs = word(c) === 'perform';
  while (!done(c)) {
    if (operator(c) === '(' && queryStarts.has(word(c, 1))) within(c, () => readQuery(c));
    else if (word(c) === 'select') readQuery(c);
    else if (performs && word(c) === 'from') {
      c.index++;
      readFromList(c);
    } else c.index++;
  }
  return { kind: 'other' };
}

/** `CALL schema.procedure(…)`. */
export function readCallStatement(c: Cursor): Reading {
  c.index++;
  const routine = readTableName(c);
  readScriptWord(c);
  return { kind: 'other', routine };
}

/**
 * `EXEC dbo.load @day = '…'` of SQL Server calls a procedure, `EXECUTE plan(…)` runs a statement that was prepared:
 * either does what is written elsewhere.
 */
export function readExecuteStatement(c: Cursor): Reading {
  c.index++;
  if (word(c) === 'immediate' || token(c)?.kind === 'parameter' || operator(c) !== '') return { kind: 'other' };
  const routine = readTableName(c);
  return { kind: 'other', routine };
}
