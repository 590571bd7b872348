import type { Span } from '../../text/span.ts';
import type { Token } from '../lex/token.ts';
import type { Statement } from '../model/statement.ts';

/** Behind these something has to follow, in any statement. */
const openWords = new Set(
  'select from where and or on by into set using join insert update delete merge when then between like having limit union except intersect over partition interval not conflict do'.split(
    ' ',
  ),
);
const openOperators = new Set([',', '=', '<', '>', '<=', '>=', '<>', '!=', '(', '.', '::', '||', '+', '-', '/']);

/**
 * Where a statement breaks off: behind a word or sign that something has to follow, in a bracket that is never closed, or
 * before it says which rows. The place is its last token. A template may put in what is missing.
 */
export function unfinishedAt(
  tokens: readonly Token[],
  from: number,
  to: number,
  statement: Statement,
): Span | undefined {
  let last = to - 1;
  while (last >= from && tokens[last]?.text === ';') last--;
  const end = tokens[last];
  if (end === undefined || !writes.test(statement.kind)) return undefined;
  let depth = 0;
  for (let index = from; index <= last; index++) {
    const { kind, text } = tokens[index] as Token;
    // Only the run knows what it is.
    if (kind === 'hole' || kind === 'parameter') return undefined;
    if (kind === 'operator') depth += text === '(' ? 1 : text === ')' ? -1 : 0;
  }
  const isOpen =
    (end.kind === 'word' && openWords.has(end.text)) || (end.kind === 'operator' && openOperators.has(end.text));
  return isOpen || depth > 0 || isHead(tokens, last, statement) ? { start: end.start, end: end.end } : undefined;
}

const writes = /^(?:insert|delete|update|merge)$/;

/** It names its table, and perhaps columns, and nothing to do with them. */
function isHead(tokens: readonly Token[], last: number, statement: Statement): boolean {
  const { kind, target, head, assignments, branches } = statement;
  const end = tokens[last]?.end ?? 0;
  if (kind === 'insert') {
    if (end <= head.end || target === undefined) return true;
    const { query, valueRows, values } = statement;
    const here = tokens[last];
    // `INSERT INTO t (a, b)`, and a word that is on its way to be one of these.
    return (
      query === undefined &&
      valueRows + values.length === 0 &&
      (here?.text === ')' ||
        ['select', 'values', 'with'].some(
          (word) => here?.kind === 'word' && word.startsWith(here.text) && word !== here.text,
        ))
    );
  }
  if (kind === 'update') return assignments.length === 0;
  return kind === 'merge' && branches.length === 0;
}
