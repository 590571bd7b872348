import type { SqlExpression } from '../../model/expression.ts';
import { type Cursor, done } from '../cursor.ts';
import { readClauseExpression } from './read-expression.ts';

/** The conditions that must all hold: an expression split at its top-level ANDs, brackets or not. */
export function conjunctsOf(expression: SqlExpression): readonly SqlExpression[] {
  const found: SqlExpression[] = [];
  const open = [expression];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    if (here.kind === 'binary' && here.operator === 'and') open.push(here.right, here.left);
    else if (here.end > here.start) found.push(here);
  }
  return found;
}

export const readConjuncts = (c: Cursor): readonly SqlExpression[] =>
  done(c) ? [] : conjunctsOf(readClauseExpression(c));
