import type { Ordering, QueryBlock, SelectItem, SqlExpression } from '../../sql/model/expression.ts';
import { blocksOf, filtersOf, within } from '../../sql/model/sql-search.ts';
import type { Span } from '../../text/span.ts';
import type { StatementView } from '../source/statement-view.ts';

/** A place at which a statement keeps some of its rows by their order. */
export interface Pick {
  readonly block: QueryBlock;
  /** Of the rows that are alike in these it keeps some; of all rows where there is none. */
  readonly within: readonly SqlExpression[];
  readonly order: Ordering | undefined;
  /** What is underlined: the order, or what keeps rows where there is none. */
  readonly at: Span;
  /** The item that numbers the rows, which is no column of theirs. */
  readonly number: SelectItem | undefined;
  readonly by: 'row_number' | 'distinct on' | 'limit';
}

/** `row_number() … = 1`, DISTINCT ON and LIMIT of a statement. */
export function picksOf(view: StatementView): readonly Pick[] {
  return blocksOf(view.statement).flatMap((block) => [
    ...numbered(view, block),
    ...firstOfEach(view, block),
    ...limited(view, block),
  ]);
}

function numbered(view: StatementView, block: QueryBlock): readonly Pick[] {
  const picks: Pick[] = [];
  const add = (expression: SqlExpression, number: SelectItem | undefined): void => {
    if (expression.kind !== 'call' || expression.name !== 'row_number' || expression.window === undefined) return;
    const { isNamed, partitionBy, orderBy } = expression.window;
    if (!isNamed)
      picks.push({ block, within: partitionBy, order: orderBy, at: orderBy ?? expression, number, by: 'row_number' });
  };
  for (const item of block.select)
    if (item.name !== undefined && isFirstAsked(view, item.name)) add(item.expression, item);
  for (const conjunct of block.qualify) {
    if (conjunct.kind !== 'binary' || !keepsFirst(conjunct)) continue;
    add(conjunct.left, undefined);
  }
  return picks;
}

/** `WHERE rn = 1`, `<= 3`, or a DELETE of `rn > 1`. */
const isFirstAsked = (view: StatementView, name: string): boolean =>
  filtersOf(view.statement).some(({ conjunct }) =>
    within(conjunct).some(
      (one) => one.kind === 'binary' && one.left.kind === 'column' && one.left.name === name && keepsFirst(one),
    ),
  );

const keepsFirst = ({ operator, right }: Extract<SqlExpression, { kind: 'binary' }>): boolean =>
  /^(?:=|==|<|<=|>|>=|<>|!=)$/.test(operator) && right.kind === 'literal' && right.type === 'number';

/** In DISTINCT ON the first columns of the order are those that it is on. */
function firstOfEach(view: StatementView, block: QueryBlock): readonly Pick[] {
  const { distinctOn, orderBy } = block;
  if (distinctOn === undefined || distinctOn.length === 0) return [];
  const rest = orderBy?.by.slice(distinctOn.length) ?? [];
  const order = orderBy === undefined || rest.length === 0 ? undefined : { ...orderBy, by: rest };
  const on = /\bdistinct\s+on\s*\([^)]*\)/i.exec(view.sql.masked.text.slice(block.start, block.end));
  const clause = on === null ? block : { start: block.start + on.index, end: block.start + on.index + on[0].length };
  return [{ block, within: distinctOn, order, at: orderBy ?? clause, number: undefined, by: 'distinct on' }];
}

function limited(view: StatementView, block: QueryBlock): readonly Pick[] {
  const { limit, orderBy } = block;
  if (limit === undefined || block.then.length > 0) return [];
  const text = view.sql.source.text.slice(limit.start, limit.end);
  // None are asked for; or only for some runs, such as a try.
  if (!/^limit\s+[1-9]\d*$|^fetch\b/i.test(text) || isConditional(view, limit)) return [];
  return [{ block, within: [], order: orderBy, at: orderBy ?? limit, number: undefined, by: 'limit' }];
}

/** Inside a branch of the template. */
function isConditional({ sql }: StatementView, span: Span): boolean {
  const before = sql.masked.tags.filter(({ end }) => end <= span.start);
  const opened = before.filter(({ source }) => /^(?:\{%[-+]?)?\s*if\b/.test(source)).length;
  return opened > before.filter(({ source }) => /^(?:\{%[-+]?)?\s*endif\b/.test(source)).length;
}
