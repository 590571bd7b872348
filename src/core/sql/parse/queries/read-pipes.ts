import {
  accept,
  acceptOperator,
  type Cursor,
  done,
  isName,
  lastOffset,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  token,
  within,
  word,
} from '../cursor.ts';
import { readConjuncts } from '../expressions/conjuncts.ts';
import { nameOf, readTableName } from '../names.ts';
import { isQueryAhead } from '../query-ahead.ts';
import { readArguments } from '../read-arguments.ts';
import { acceptSetOperator, type QueryDraft, readQueryTail } from './query-tail.ts';
import { readJoins } from './read-from.ts';
import { readSelectList } from './read-select-list.ts';
import { readWith } from './read-with.ts';

/**
 * The operators of the pipe syntax (`FROM t |> WHERE … |> SELECT …`), which change the block before them in turn. WHERE
 * counts as the block's own only while its columns and rows are still those of the tables, and as HAVING from then on.
 */
export function readPipes(c: Cursor, draft: QueryDraft): void {
  let plain = true;
  // Collected once, so that a long chain is not copied at each of its steps.
  const filters = [...draft.where];
  const from = [...draft.from];
  const having = [...draft.having];
  while (acceptOperator(c, '|>')) {
    const start = startOffset(c);
    const here = word(c);
    if (here === 'where') {
      c.index++;
      const where = readConjuncts(c);
      if (!plain) having.push(...where);
      else {
        filters.push(...where);
        draft.where = filters;
        draft.whereSpan = { start: draft.whereSpan?.start ?? start, end: lastOffset(c) };
      }
    } else if (here === 'join' || joinStarts.has(here)) readJoins(c, from);
    else plain = readStep(c, draft, here) && plain;
    while (!done(c) && operator(c) !== '|>') skipOne(c);
  }
  draft.from = from;
  draft.having = having;
}

const joinStarts = new Set(['left', 'right', 'full', 'inner', 'cross', 'natural']);

/** One operator but WHERE and JOIN; true when the rows and the tables' own columns stay. */
function readStep(c: Cursor, draft: QueryDraft, here: string): boolean {
  switch (here) {
    case 'select':
      c.index++;
      accept(c, 'distinct');
      draft.select = readSelectList(c);
      return false;
    case 'extend':
    case 'window':
      c.index++;
      draft.select.push(...readSelectList(c));
      return true;
    case 'aggregate': {
      c.index++;
      const values = readSelectList(c);
      const groups = accept(c, 'group', 'by') || accept(c, 'group', 'and', 'order', 'by') ? readSelectList(c) : [];
      draft.select = [...groups, ...values];
      draft.groupBy = groups.map(({ expression }) => expression);
      return false;
    }
    case 'drop':
      c.index++;
      draft.select = without(draft.select, readNames(c));
      return true;
    case 'rename':
    case 'set':
      c.index++;
      readSelectList(c);
      return false;
    case 'union':
    case 'intersect':
    case 'except':
      readSet(c, draft);
      return false;
    case 'with':
      draft.with = [...draft.with, ...readWith(c)];
      return true;
    case 'call':
      c.index++;
      readTableName(c);
      if (operator(c) === '(') within(c, () => readArguments(c));
      return false;
    case 'order':
    case 'limit':
      readQueryTail(c, draft);
      return here === 'order';
    default:
      return here === 'as';
  }
}

const without = (select: QueryDraft['select'], names: ReadonlySet<string>): QueryDraft['select'] =>
  select.filter(({ name }) => name === undefined || !names.has(name));

function readNames(c: Cursor): ReadonlySet<string> {
  const names = new Set<string>();
  for (let here = token(c); here !== undefined && isName(here); here = token(c)) {
    names.add(nameOf(here, c.dialect));
    c.index++;
    if (!acceptOperator(c, ',')) break;
  }
  return names;
}

/** `UNION ALL (query), (query)`. */
function readSet(c: Cursor, draft: QueryDraft): void {
  const set = acceptSetOperator(c);
  while (set !== undefined && isQueryAhead(c)) {
    const start = startOffset(c);
    const query = within(c, () => c.grammar.query(c));
    draft.next.push({ operator: set, query: { ...query, ...spanFrom(c, start) } });
    if (!acceptOperator(c, ',')) break;
  }
}
