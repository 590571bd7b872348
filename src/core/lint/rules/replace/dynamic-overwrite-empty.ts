import { isStagingName } from '../../../lineage/facts/table-roles.ts';
import { overwritesOf } from '../../../pipeline/model/overwrites-of.ts';
import { filtersOf } from '../../../sql/model/sql-search.ts';
import type { Span } from '../../../text/span.ts';
import { comparisonOf } from '../../bounds/comparison.ts';
import { isOfRun, usesInterval } from '../../bounds/interval-columns.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { textAt } from '../../context/text-at.ts';
import { editSql } from '../../fixes/sql-edit.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { empties } from '../../reruns/insert-guard.ts';
import {
  placeOf,
  type StatementView,
  sourceText,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
} from '../../source/statement-view.ts';

/** Only partitions that a run has rows for are replaced: one that has none any more keeps those of the run before. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const { target, kind } = view.statement;
      if (kind !== 'insert_overwrite' || target === undefined) continue;
      const key = tableKey(view, target);
      const open = openPartitions(context, task, view, key);
      if (open === undefined || isStagingName(key) || !isOfInterval(view)) continue;
      if (isDropped(context, task, view, key)) continue;
      const fix = open.isAll ? staticFix(context, view) : undefined;
      yield {
        at: placeOf(view, open.at),
        severity: 'info',
        message: `Only the partitions of ${tableLabel(view, target)} that have rows are replaced: where a second run finds none any more, those of the first one stay.`,
        subject: `${writeSubject(view, key)} empty`,
        restsOn: [view],
        fixes: fix ? [fix] : [],
      };
    }
  }
}

interface OpenPartitions {
  readonly at: Span;
  /** No partition is named by a constant. */
  readonly isAll: boolean;
}

/** The part of the statement that leaves it to the rows which partitions are replaced. */
function openPartitions(
  context: LintContext,
  task: TaskView,
  view: StatementView,
  key: string,
): OpenPartitions | undefined {
  const { partition, partitionBy, head } = view.statement;
  if (!isDynamic(context, task, view)) return undefined;
  const first = partitionBy.find(({ kind }) => kind === 'column');
  const last = partitionBy.findLast(({ kind }) => kind === 'column');
  if (first !== undefined && last !== undefined && (partition === 'dynamic' || partition === 'mixed'))
    return { at: clauseOf(view, first, last), isAll: partition === 'dynamic' };
  // A call that is told to work by partitions has a table of partitions before it.
  const isPartitioned = view.sql.composed !== undefined || (context.table(key)?.partitionedBy.length ?? 0) > 0;
  return (partition ?? 'none') === 'none' && isPartitioned ? { at: head, isAll: false } : undefined;
}

/** `PARTITION (ds)` as a whole. */
function clauseOf({ sql, statement }: StatementView, first: Span, last: Span): Span {
  const before = /\bpartition\s*\([^()]*$/i.exec(sql.masked.text.slice(statement.start, first.start));
  const after = /^[^()]*\)/.exec(sql.masked.text.slice(last.end));
  return {
    start: before === null ? first.start : statement.start + before.index,
    end: after === null ? last.end : last.end + after[0].length,
  };
}

/** Hive always works so; Spark where it is told to. */
const isDynamic = (context: LintContext, { task }: TaskView, { sql }: StatementView): boolean =>
  overwritesOf(sql) === 'dynamic' ||
  /hive/i.test(task.operator) ||
  /partitionOverwriteMode\W+(?:=\s*)?\W*dynamic|hive\.exec\.dynamic\.partition/i.test(sql.source.text) ||
  task.arguments.some(({ valueAt }) =>
    /partitionOverwriteMode\W+dynamic|hive\.exec\.dynamic\.partition/i.test(textAt(context, valueAt)),
  );

/** A whole table that is made anew has its rows whatever the interval. */
const isOfInterval = (view: StatementView): boolean =>
  filtersOf(view.statement).some(({ conjunct }) => isOfRun(view, conjunct) && comparisonOf(conjunct) !== undefined);

const isDropped = (context: LintContext, task: TaskView, view: StatementView, key: string): boolean =>
  task.statements.some((other) => other.order < view.order && empties(other, key)) ||
  context.runEarlier(task, key).some((other) => empties(other, key));

/** `PARTITION (ds = '{{ ds }}')` and the item left out, where the query is cut to the one value of its last item. */
function staticFix(context: LintContext, view: StatementView): Fix | undefined {
  const { partitionBy, query, columns } = view.statement;
  const [column] = partitionBy;
  if (column?.kind !== 'column' || partitionBy.length !== 1 || columns.length > 0) return undefined;
  if (query === undefined || query.then.length > 0 || query.from.length !== 1 || query.from[0]?.kind !== 'table')
    return undefined;
  const item = query.select.at(-1);
  const before = query.select.at(-2);
  if (item?.expression.kind !== 'column' || item.expression.name !== column.name || before === undefined)
    return undefined;
  if (query.select.some(({ expression }) => expression.kind === 'star') || query.groupBy.length > 0) return undefined;
  const cuts = query.where
    .filter((conjunct) => usesInterval(view, conjunct))
    .flatMap((conjunct) => comparisonOf(conjunct) ?? []);
  const [cut] = cuts;
  if (cuts.length !== 1 || cut === undefined || cut.column.name !== column.name || cut.unit !== undefined)
    return undefined;
  if (cut.low === undefined || cut.high === undefined || cut.low.value !== cut.high.value) return undefined;
  const value = sourceText(view, cut.low.value);
  const edits = editSql(context, view, [
    { start: column.start, end: column.end, newText: `${sourceText(view, column)} = ${value}` },
    { start: before.end, end: item.end, newText: '' },
  ]);
  return edits && { title: `Replace the partition of the interval, with or without rows`, edits, preferred: true };
}

export default {
  id: 'dynamic-overwrite-empty',
  severity: 'info',
  summary: 'Partitions that are replaced only where a run has rows for them',
  help: 'Name the partition of the interval (`PARTITION (ds = …)`), or drop it before.',
  supersedes: [],
  check,
} satisfies Rule;
