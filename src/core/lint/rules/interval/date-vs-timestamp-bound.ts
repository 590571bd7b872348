import type { ColumnType } from '../../../lineage/columns/column-type.ts';
import { dayMs } from '../../../time/zones/civil.ts';
import type { Comparison } from '../../bounds/comparison.ts';
import { type IntervalCut, intervalCuts } from '../../bounds/interval-cuts.ts';
import { shortestPeriodMs } from '../../bounds/run-times.ts';
import { meetsNextInterval, rangeOf } from '../../bounds/slice-range.ts';
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

interface Lost {
  readonly view: StatementView;
  readonly comparison: Comparison;
  readonly message: string;
}

/** Every run leaves out the rows of a day after its midnight, a second one as well. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    const lost = task.statements.flatMap((view) => lostDays(context, task, view));
    const [first, ...others] = lost;
    if (first === undefined) continue;
    const { target } = first.view.statement;
    const fix = halfOpenFix(context, lost);
    yield {
      at: placeOf(first.view, first.comparison.conjunct),
      message: first.message,
      subject: writeSubject(first.view, target ? tableKey(first.view, target) : ''),
      restsOn: lost.map(({ view }) => view),
      related: others.map(({ view, comparison }) => ({ message: 'again', at: placeOf(view, comparison.conjunct) })),
      fixes: fix ? [fix] : [],
    };
  }
}

const written = /^(?:insert|insert_overwrite|insert_replace_where|replace|delete|merge|update|create_table_as)$/;

function lostDays(context: LintContext, task: TaskView, view: StatementView): readonly Lost[] {
  if (!written.test(view.statement.kind)) return [];
  return intervalCuts(view).flatMap((cut) => {
    const [first] = cut.comparisons;
    if (first === undefined || cut.comparisons.some(({ unit }) => unit !== undefined)) return [];
    const type = declaredType(context, view, cut.block, first.column);
    const found = type === 'date' ? lostHours(task, view, cut) : lostDay(task, view, cut, type);
    return found ?? [];
  });
}

/** The upper bound is a day that is included, which for a time is its midnight. */
function lostDay(task: TaskView, view: StatementView, cut: IntervalCut, type: ColumnType): Lost | undefined {
  const comparison = cut.comparisons.find(({ high }) => high?.inclusive === true);
  const range = rangeOf(view, cut.comparisons, undefined);
  const high = range?.highs.find(({ inclusive }) => inclusive);
  if (comparison?.high === undefined || range === undefined || high === undefined || high.unit !== 'day')
    return undefined;
  const isPoint = comparison.low?.value === comparison.high.value;
  // A time that holds days, as its name says, has nothing behind midnight.
  if (dayName.test(cut.column) || (isPoint && type === undefined)) return undefined;
  if (type === undefined && (!timeName.test(cut.column) || range.lows.length === 0)) return undefined;
  if (meetsNextInterval(task.pipeline, view, cut.comparisons, false)) return undefined;
  if (endsAtThatTime(view, comparison)) return undefined;
  const column = sourceText(view, comparison.column);
  const bound = sourceText(view, comparison.high.value);
  const unless = type === undefined ? ` (unless ${column} is a date, which its definition would say)` : '';
  return {
    view,
    comparison,
    message: isPoint
      ? `${column} is a time and ${bound} its midnight, so the rows of the rest of the day are left out.`
      : `${bound} is the midnight with which its day begins, so rows of that day by ${column} are left out but for those at 00:00${unless}.`,
  };
}

/** `BETWEEN day::timestamp - interval '30 days' AND day::timestamp`: the days before that time, written as times. */
function endsAtThatTime(view: StatementView, { low, high }: Comparison): boolean {
  if (high?.value.kind !== 'cast' || !/^(?:timestamp|datetime)/i.test(high.value.type)) return false;
  const { value } = low ?? {};
  return (
    value?.kind === 'binary' && value.operator === '-' && sourceText(view, value.left) === sourceText(view, high.value)
  );
}

/** Bounds inside a day on a column of days: only the run that holds the midnight finds any. */
function lostHours(task: TaskView, view: StatementView, cut: IntervalCut): Lost | undefined {
  const period = shortestPeriodMs(task.pipeline);
  const range = rangeOf(view, cut.comparisons, undefined);
  const [comparison] = cut.comparisons;
  if (range === undefined || comparison === undefined || period === undefined || period > 0.9 * dayMs) return undefined;
  const edges = [...range.lows, ...range.highs];
  if (range.lows.length === 0 || range.highs.length === 0 || edges.some(({ unit }) => unit !== undefined))
    return undefined;
  if (!comparison.low || comparison.low.value === comparison.high?.value) return undefined;
  return {
    view,
    comparison,
    message: `${sourceText(view, comparison.column)} is a date, which has no hours: of the runs of a day one takes all of its rows, before the day is over, and the others none.`,
  };
}

const timeName = /(?:_at|_ts|_time|timestamp|datetime|_tstamp)$/;
const dayName = /(?:^|_)(?:day|ds|dt|date_key|partition_date|month|week)$/;

function halfOpenFix(context: LintContext, lost: readonly Lost[]): Fix | undefined {
  const edits = lost.map(({ view, comparison }) => {
    const newText = halfOpen(view, comparison);
    const { start, end } = comparison.conjunct;
    return newText === undefined ? undefined : editSql(context, view, [{ start, end, newText }]);
  });
  if (edits.some((edit) => edit === undefined)) return undefined;
  return {
    title: 'End the range before the next day',
    edits: edits.flatMap((edit) => edit ?? []),
    preferred: true,
  };
}

/** `>= low AND < the day after high`. */
function halfOpen(view: StatementView, { conjunct, low, high }: Comparison): string | undefined {
  const next = high && dayAfter(sourceText(view, high.value));
  if (next === undefined || high === undefined) return undefined;
  if (conjunct.kind === 'between')
    return `${sourceText(view, conjunct.operand)} >= ${sourceText(view, conjunct.low)} AND ${sourceText(view, conjunct.operand)} < ${next}`;
  if (conjunct.kind !== 'binary') return undefined;
  const isLeft = high.value === conjunct.right;
  const column = sourceText(view, isLeft ? conjunct.left : conjunct.right);
  if (low !== undefined) return `${column} >= ${sourceText(view, high.value)} AND ${column} < ${next}`;
  return isLeft ? `${column} < ${next}` : `${next} > ${column}`;
}

/** The same text for the day after, where the day is one of the template's own. */
function dayAfter(text: string): string | undefined {
  const found = /\{\{-?\s*(?:(ds)|macros\.ds_add\(\s*ds\s*,\s*(-?\d+)\s*\))\s*-?\}\}/.exec(text);
  if (found === null) return undefined;
  const days = Number(found[2] ?? 0) + 1;
  const next = days === 0 ? '{{ ds }}' : `{{ macros.ds_add(ds, ${days}) }}`;
  return `${text.slice(0, found.index)}${next}${text.slice(found.index + found[0].length)}`;
}

export default {
  id: 'date-vs-timestamp-bound',
  severity: 'error',
  summary: 'A date as the included end of a range of times, or hours as the bounds of a date',
  help: 'Make the range half-open: `>= day AND < the day after`.',
  supersedes: ['delete-insert-range-mismatch'],
  check,
} satisfies Rule;
