import { isDayColumn } from '../../../lineage/facts/table-roles.ts';
import type { QueryBlock, SqlExpression } from '../../../sql/model/expression.ts';
import { filtersOf, within } from '../../../sql/model/sql-search.ts';
import { type Comparison, comparisonOf } from '../../bounds/comparison.ts';
import { usesInterval } from '../../bounds/interval-columns.ts';
import { meetsNextInterval } from '../../bounds/slice-range.ts';
import { declaredType } from '../../context/declared-type.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { editSql } from '../../fixes/sql-edit.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import {
  placeOf,
  type StatementView,
  sourceText,
  type TaskView,
  tableKey,
  writeSubject,
} from '../../source/statement-view.ts';

interface ClosedEnd {
  readonly view: StatementView;
  readonly comparison: Comparison;
}

/** Rows at the very end are read by two intervals, and the one that ran last has them. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    // Where the interval is empty both bounds are one and the same; another rule says so.
    const schedule = task.pipeline.schedule.value;
    if ((schedule.kind === 'cron' || schedule.kind === 'delta') && schedule.intervals === 'zero-width') continue;
    const closed = task.statements.flatMap((view) => closedEnds(context, task, view));
    const [first] = closed;
    if (first === undefined) continue;
    const { column } = first.comparison;
    const { target } = first.view.statement;
    const fix = halfOpenFix(context, closed);
    yield {
      at: placeOf(first.view, first.comparison.conjunct),
      message: `Rows with ${sourceText(first.view, column)} exactly at the end of the interval belong to the next one as well, so two runs take them.`,
      subject: writeSubject(first.view, target ? tableKey(first.view, target) : ''),
      restsOn: closed.map(({ view }) => view),
      related: closed
        .slice(1)
        .map((one) => ({ message: 'closed end again', at: placeOf(one.view, one.comparison.conjunct) })),
      fixes: fix ? [fix] : [],
    };
  }
}

/** Comparisons of one block that hold both a closed start and a closed end, where the end is the next interval's start. */
function closedEnds(context: LintContext, { pipeline }: TaskView, view: StatementView): ClosedEnd[] {
  const byBlock = new Map<QueryBlock | undefined, Comparison[]>();
  for (const { conjunct, block } of filtersOf(view.statement)) {
    const comparison = usesInterval(view, conjunct) ? comparisonOf(conjunct) : undefined;
    if (comparison) byBlock.set(block, [...(byBlock.get(block) ?? []), comparison]);
  }
  return [...byBlock].flatMap(([block, comparisons]) =>
    comparisons.flatMap((comparison) => {
      const { high, column } = comparison;
      // An equality holds one value on both sides; it has no end that could be left open.
      if (high?.inclusive !== true || high.value === comparison.low?.value) return [];
      const low = comparisons.find(
        (one) =>
          one.low?.inclusive === true && one.column.name === column.name && one.column.qualifier === column.qualifier,
      );
      const others = low === undefined || low === comparison ? [comparison] : [low, comparison];
      return low !== undefined &&
        meetsNextInterval(
          pipeline,
          view,
          others,
          writesOneSlice(view, column.name) || holdsDays(context, view, block, others),
        )
        ? [{ view, comparison }]
        : [];
    }),
  );
}

/** What is compared are whole days, as its definition, its name or a cast of it says: nothing stands at the edge of one. */
const holdsDays = (
  context: LintContext,
  view: StatementView,
  block: QueryBlock | undefined,
  comparisons: readonly Comparison[],
): boolean =>
  comparisons.every(({ column, unit }) => {
    const declared = declaredType(context, view, block, column);
    return unit === 'day' || declared === 'date' || (declared === undefined && isDayColumn(column.name));
  });

/** The rows say which interval they are of, and not by the column that is bounded. */
function writesOneSlice(view: StatementView, column: string): boolean {
  const select = view.statement.query?.select ?? [];
  const isConstant = (expression: SqlExpression): boolean => within(expression).every(({ kind }) => kind !== 'column');
  return (
    select.some(({ expression }) => usesInterval(view, expression) && isConstant(expression)) &&
    !select.some(({ expression }) => expression.kind === 'column' && expression.name === column)
  );
}

function halfOpenFix(context: LintContext, closed: readonly ClosedEnd[]): Fix | undefined {
  const edits = closed.map(({ view, comparison }) => {
    const edit = halfOpenEdit(view, comparison);
    return edit && editSql(context, view, [edit]);
  });
  if (edits.some((edit) => edit === undefined)) return undefined;
  return {
    title: 'End the range before the next interval',
    edits: edits.flatMap((edit) => edit ?? []),
    preferred: true,
  };
}

function halfOpenEdit(view: StatementView, { conjunct }: Comparison) {
  if (conjunct.kind === 'between') {
    const operand = sourceText(view, conjunct.operand);
    const newText = `${operand} >= ${sourceText(view, conjunct.low)} AND ${operand} < ${sourceText(view, conjunct.high)}`;
    return { start: conjunct.start, end: conjunct.end, newText };
  }
  if (conjunct.kind !== 'binary') return undefined;
  const between = view.sql.masked.text.slice(conjunct.left.end, conjunct.right.start);
  const at = between.indexOf(conjunct.operator);
  if (at < 0) return undefined;
  const start = conjunct.left.end + at;
  return { start, end: start + conjunct.operator.length, newText: conjunct.operator.charAt(0) };
}

export default {
  id: 'inclusive-interval-end',
  severity: 'error',
  summary: 'A range that includes the end of the interval',
  help: 'Make the range half-open: `>= start AND < end`.',
  supersedes: ['delete-insert-range-mismatch'],
  check,
} satisfies Rule;
