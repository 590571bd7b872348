import type { SqlExpression } from '../model/expression.ts';
import { type Cursor, done, operator } from './cursor.ts';

/** Expressions separated by commas, to the end of the bracket. */
export function readArguments(c: Cursor): SqlExpression[] {
  const list: SqlExpression[] = [];
  while (!done(c)) {
    const before = c.index;
    const item = c.grammar.expression(c);
    if (c.index > before) list.push(item);
    if (operator(c) === ',' || c.index === before) c.index++;
  }
  return list;
}
