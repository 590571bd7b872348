import type { FromItem } from '../../model/expression.ts';
import type { Assignment, MergeBranch } from '../../model/statement.ts';
import {
  accept,
  type Cursor,
  done,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  within,
  word,
} from '../../parse/cursor.ts';
import { readConjuncts } from '../../parse/expressions/conjuncts.ts';
import { nameOf, readAlias, readColumnList, readTableName } from '../../parse/names.ts';
import { readFromList } from '../../parse/queries/read-from.ts';
import { readArguments } from '../../parse/read-arguments.ts';
import { afterTable } from '../../parse/words.ts';
import { readAssignments } from './assignments.ts';
import type { Reading } from './reading.ts';

/** MERGE up to RETURNING or OUTPUT: what stands between its branches and is not known is passed over. */
export function readMerge(c: Cursor): Reading {
  c.index++;
  accept(c, 'with', 'schema', 'evolution');
  accept(c, 'into');
  accept(c, 'only');
  // A name that is left out, or put in by nothing; a table of that name has a USING behind it.
  const nameless = word(c) === 'using' && word(c, 1) !== 'using' && word(c, 1) !== 'as';
  const target = nameless ? undefined : readTableName(c);
  const alias = readAlias(c, afterTable);
  const from: FromItem[] = [];
  if (accept(c, 'using')) from.push(...readFromList(c));
  const using = word(c) === 'using' && operator(c, 1) === '(';
  if (using) {
    c.index++;
    readColumnList(c);
  }
  const on = accept(c, 'on') ? readConjuncts(c) : [];
  const branches: MergeBranch[] = [];
  while (!done(c)) {
    if (word(c) === 'when') branches.push(...readBranch(c));
    else if (word(c) === 'returning' || word(c) === 'output') break;
    else skipOne(c);
  }
  const source = from.length === 1 ? from[0] : undefined;
  return {
    kind: 'merge',
    target,
    targetAlias: alias === undefined ? undefined : nameOf(alias, c.dialect),
    from,
    on,
    branches,
    assignments: branches.flatMap((branch) => branch.assignments),
    query: source?.kind === 'query' ? source.query : undefined,
  };
}

/** One `WHEN … THEN …`; none while its action is still being typed. */
function readBranch(c: Cursor): readonly MergeBranch[] {
  const start = startOffset(c);
  c.index++;
  const not = accept(c, 'not');
  accept(c, 'matched');
  const bySource = accept(c, 'by', 'source');
  accept(c, 'by', 'target');
  const condition = accept(c, 'and') ? readConjuncts(c) : [];
  accept(c, 'then');
  const actionStart = startOffset(c);
  const action = word(c);
  if (action !== 'update' && action !== 'insert' && action !== 'delete' && action !== 'do') return [];
  c.index++;
  let assignments: readonly Assignment[] = [];
  if (action === 'update') assignments = readUpdateAction(c);
  const insert = action === 'insert' ? readInsertAction(c) : { columns: [], values: [] };
  if (action === 'do') accept(c, 'nothing');
  if (accept(c, 'where')) readConjuncts(c);
  return [
    {
      action: action === 'do' ? 'nothing' : action,
      matched: !not ? 'matched' : bySource ? 'not-matched-by-source' : 'not-matched',
      condition,
      assignments,
      ...insert,
      actionSpan: spanFrom(c, actionStart),
      ...spanFrom(c, start),
    },
  ];
}

function readUpdateAction(c: Cursor): readonly Assignment[] {
  if (accept(c, 'all', 'by', 'name') || accept(c, 'by', 'name') || accept(c, 'by', 'position')) return [];
  if (!accept(c, 'set')) return [];
  if (operator(c) === '*') {
    c.index++;
    return [];
  }
  return readAssignments(c);
}

function readInsertAction(c: Cursor): Pick<MergeBranch, 'columns' | 'values'> {
  const none = { columns: [], values: [] };
  if (accept(c, 'all', 'by', 'name') || accept(c, 'by', 'name') || accept(c, 'row') || accept(c, 'default', 'values'))
    return none;
  if (operator(c) === '*') c.index++;
  const columns = readColumnList(c);
  if (word(c) === 'overriding') c.index = Math.min(c.index + 3, c.end);
  if (!accept(c, 'values')) {
    accept(c, 'row');
    return { ...none, columns };
  }
  return { columns, values: operator(c) === '(' ? within(c, () => readArguments(c)) : [] };
}
