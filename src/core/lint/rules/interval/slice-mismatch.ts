import { isNamed } from '../../../lineage/columns/query-scope.ts';
import type { FromItem, QueryBlock, SqlExpression } from '../../../sql/model/expression.ts';
import { blocksBelow, within } from '../../../sql/model/sql-search.ts';
import type { Span } from '../../../text/span.ts';
import type { Comparison } from '../../bounds/comparison.ts';
import { deletedSlice, insertedTraces, insertsAfter } from '../../bounds/deleted-slice.ts';
import { type IntervalCut, intervalCuts } from '../../bounds/interval-cuts.ts';
import { compareRanges, isPoint, rangeOf } from '../../bounds/slice-range.ts';
import { tableOf } from '../../context/declared-type.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import {
  placeOf,
  type StatementView,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
} from '../../source/statement-view.ts';

/** What is deleted and what is inserted are the same days of two columns, which are not the same rows. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const deletion of task.statements) {
      const { kind, target } = deletion.statement;
      const cuts = kind === 'delete' && target !== undefined ? deletedSlice(deletion) : [];
      const [cut] = cuts;
      if (target === undefined || cut === undefined) continue;
      const key = tableKey(deletion, target);
      for (const insert of insertsAfter(task, deletion, key)) {
        const other = cutElsewhere(task, deletion, cuts, insert);
        if (other === undefined) continue;
        yield {
          at: placeOf(insert, markOf(other)),
          message: `${tableLabel(deletion, target)} is replaced by ${cut.column.name}, but its rows are taken by ${other.column} with the same bounds: where the two dates of a row differ, a second run adds it again, or another day's run takes it out and does not bring it back.`,
          subject: writeSubject(insert, key),
          restsOn: [deletion, insert],
          related: [{ message: `replaced by ${cut.column.name}`, at: placeOf(deletion, cut.conjunct) }],
        };
      }
    }
    for (const view of task.statements) {
      const joined = /^insert/.test(view.statement.kind) ? joinedElsewhere(view) : undefined;
      const { target } = view.statement;
      if (joined === undefined || target === undefined || !isReplaced(task, view, joined.slice)) continue;
      yield {
        at: placeOf(view, markOf(joined.cut)),
        message: `The slices are cut by ${joined.slice}, this input by ${joined.cut.column} with the same bounds: rows whose two dates differ find nothing to join, and the slice is replaced without them. Take this input a day wider on each side.`,
        subject: writeSubject(view, tableKey(view, target)),
        restsOn: [view],
      };
    }
  }
}

/** The clause where it says nothing else. */
function markOf({ block, comparisons }: IntervalCut): Span {
  const first = comparisons[0]?.conjunct ?? { start: 0, end: 0 };
  return block?.whereSpan !== undefined && block.where.length === comparisons.length ? block.whereSpan : first;
}

/** The bounds of the DELETE on another column of the table from which its column comes. */
function cutElsewhere(
  { pipeline }: TaskView,
  deletion: StatementView,
  cuts: readonly Comparison[],
  insert: StatementView,
): IntervalCut | undefined {
  const column = cuts[0]?.column.name ?? '';
  const traces = insertedTraces(insert, column);
  const [trace] = traces;
  if (traces.length !== 1 || trace?.kind !== 'column' || trace.table === undefined || trace.cuts.length > 0)
    return undefined;
  const deleted = rangeOf(deletion, cuts, cuts[0]?.unit);
  if (deleted === undefined || insert.statement.query === undefined) return undefined;
  const all = intervalCuts(insert).filter((cut) => cut.block !== undefined);
  return all.find((cut) => {
    const qualifier = cut.comparisons[0]?.column.qualifier;
    if (cut.block !== trace.block || cut.column === trace.name || tableOf(insert, cut.block, qualifier) !== trace.table)
      return false;
    if (
      all.some((one) => one.column === trace.name || (one !== cut && one.block === cut.block)) ||
      holdsTogether(insert, trace.name, cut.column)
    )
      return false;
    const read = rangeOf(insert, cut.comparisons, cut.comparisons[0]?.unit);
    // A moment that is deleted is no range: of that another rule speaks.
    return (
      read !== undefined && isPoint(deleted) === isPoint(read) && compareRanges(pipeline, deleted, read) === 'same'
    );
  });
}

/** Some condition of the statement speaks of both columns, so that they may well be kept together. */
const holdsTogether = ({ statement }: StatementView, a: string, b: string): boolean =>
  statement.query !== undefined &&
  blocksBelow(statement.query).some((block) =>
    [...block.where, ...block.having, ...block.qualify, ...block.from.flatMap(({ on }) => on)].some(
      (conjunct) => names(conjunct, a) && names(conjunct, b),
    ),
  );

const names = (expression: SqlExpression, column: string): boolean =>
  within(expression).some((one) => one.kind === 'column' && one.name === column);

interface Joined {
  /** Cuts the input that is joined. */
  readonly cut: IntervalCut;
  /** The column that cuts the other one. */
  readonly slice: string;
}

/** Two inputs that are joined by the date of one of them, where the other is cut by another date of its own. */
function joinedElsewhere(view: StatementView): Joined | undefined {
  const { query } = view.statement;
  if (query === undefined) return undefined;
  const all = intervalCuts(view);
  for (const block of [query, ...query.then.map((next) => next.query)]) {
    const inputs = block.from.flatMap((item) => {
      const cuts = cutsOf(query, block, item, all);
      return cuts.length === 1 && cuts[0] ? [{ item, cut: cuts[0] }] : [];
    });
    for (const one of inputs) {
      for (const other of inputs) {
        if (one === other || one.cut.column === other.cut.column) continue;
        if (!joinsBy(block, other.item, one.item, other.cut.column)) continue;
        const [a, b] = [one, other].map(({ cut }) => rangeOf(view, cut.comparisons, cut.comparisons[0]?.unit));
        if (a === undefined || b === undefined || a.lows.length === 0 || compareRanges(view.pipeline, a, b) !== 'same')
          continue;
        return { cut: other.cut, slice: one.cut.column };
      }
    }
  }
  return undefined;
}

/** How an input of a block is cut: in its own query, or in the block's conditions by its name. */
function cutsOf(
  query: QueryBlock,
  block: QueryBlock,
  item: FromItem,
  all: readonly IntervalCut[],
): readonly IntervalCut[] {
  const own =
    item.kind === 'query'
      ? item.query
      : item.kind === 'table' && item.cte !== undefined
        ? query.with.find(({ name }) => name === item.cte)?.query
        : undefined;
  const inside =
    own === undefined || own.then.length > 0 || own.from.length !== 1 ? [] : all.filter((cut) => cut.block === own);
  const outside = all.filter((cut) => {
    const qualifier = cut.comparisons[0]?.column.qualifier;
    return cut.block === block && qualifier !== undefined && isNamed(item, qualifier);
  });
  return [...inside, ...outside];
}

/** The inputs are joined by a column: `USING (day, id)`, `a.day = b.day`. */
function joinsBy(block: QueryBlock, cut: FromItem, other: FromItem, column: string): boolean {
  if (
    block.from.some(
      (item) => (item === cut || item === other) && item.kind !== 'function' && item.using.includes(column),
    )
  )
    return true;
  return [...block.from.flatMap(({ on }) => on), ...block.where].some((conjunct) => {
    if (conjunct.kind !== 'binary' || !/^==?$/.test(conjunct.operator)) return false;
    const { left, right } = conjunct;
    if (left.kind !== 'column' || right.kind !== 'column') return false;
    const of = (item: FromItem, side: typeof left): boolean =>
      side.qualifier !== undefined && isNamed(item, side.qualifier) && side.name === column;
    return (of(cut, left) && of(other, right)) || (of(cut, right) && of(other, left));
  });
}

/** Its target is replaced by slices of the column. */
const isReplaced = (task: TaskView, view: StatementView, column: string): boolean =>
  /^insert_(?:overwrite|replace_where)$/.test(view.statement.kind) ||
  task.statements.some(
    (other) =>
      other.statement.kind === 'delete' &&
      other.statement.target?.name === view.statement.target?.name &&
      deletedSlice(other)[0]?.column.name === column,
  );

export default {
  id: 'slice-mismatch',
  severity: 'error',
  summary: 'Slices by one date, filled from rows that are chosen by another one with the same bounds',
  help: 'Cut the input by the column by which the target is replaced, and read a margin of the other where it only prunes.',
  supersedes: ['delete-insert-range-mismatch', 'missing-interval-filter'],
  provable: 'second run',
  check,
} satisfies Rule;
