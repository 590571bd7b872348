import type { QueryBlock } from '../../../sql/model/expression.ts';
import { blocksBelow } from '../../../sql/model/sql-search.ts';
import type { Span } from '../../../text/span.ts';
import { type Comparison, comparisonOf } from '../../bounds/comparison.ts';
import { usesInterval } from '../../bounds/interval-columns.ts';
import { shortestPeriodMs, yearOfRuns } from '../../bounds/run-times.ts';
import { boundsAt, rangeOf } from '../../bounds/slice-range.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { dropsWhole } from '../../reruns/insert-guard.ts';
import {
  placeOf,
  type StatementView,
  sourceText,
  type TaskView,
  tableKey,
  tableLabel,
  writesTo,
} from '../../source/statement-view.ts';

/** Each run of a day reads the whole day, and writes again what the run before it has written. */
function* check(context: LintContext): Generator<RuleFinding> {
  const period = shortestPeriodMs(context.pipeline);
  if (period === undefined || period >= shortestDayMs) return;
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const { kind, query, target, conflict } = view.statement;
      if (kind !== 'insert' || conflict !== undefined || query === undefined || target === undefined) continue;
      const key = tableKey(view, target);
      const found = wholeDay(view, query);
      if (found === undefined || !isPartlyReplaced(context, task, view, key)) continue;
      yield {
        at: placeOf(view, found.mark),
        message: `Runs come every ${inWords(period)} but each reads the whole day of ${found.words}, so those of one day add the same rows to ${tableLabel(view, target)}: cut by data_interval_start and data_interval_end.`,
        subject: `${task.task.id} grain of ${key}`,
        restsOn: [view],
      };
    }
  }
}

/**
 * Something is deleted before the INSERT, but another range than it reads: where nothing is, every run adds its rows
 * again, which is said as that; where it is the same range, the last run of the day makes the day.
 */
function isPartlyReplaced(context: LintContext, task: TaskView, view: StatementView, key: string): boolean {
  const before = [...task.statements.filter(({ order }) => order < view.order), ...context.runEarlier(task, key)];
  const deletes = before.filter((other) => other.statement.kind === 'delete' && writesTo(other, key));
  if (deletes.length === 0 || before.some((other) => dropsWhole(other, key))) return false;
  return deletes.every((other) =>
    other.statement.where.every((one) => {
      const cut = comparisonOf(one);
      return cut !== undefined && !isWide(other, cut);
    }),
  );
}

/** The condition by which a run reads a whole day; the clause that consists of it alone. */
function wholeDay(view: StatementView, query: QueryBlock): { readonly mark: Span; readonly words: string } | undefined {
  for (const { where, whereSpan } of blocksBelow(query)) {
    const wide = where.find((conjunct) => isWide(view, comparisonOf(conjunct)));
    if (wide === undefined) continue;
    const words = sourceText(view, wide).replace(/\s+/g, ' ');
    return { mark: where.length === 1 ? (whereSpan ?? wide) : wide, words };
  }
  return undefined;
}

/** A condition that is one and the same day for runs that follow each other, which are closer than a day. */
function isWide(view: StatementView, cut: Comparison | undefined): boolean {
  if (cut?.low === undefined || cut.high === undefined || !usesInterval(view, cut.conjunct)) return false;
  const range = rangeOf(view, [cut], undefined);
  if (range === undefined) return false;
  const widths = yearOfRuns(view.pipeline).map((interval) => {
    const { from, to } = boundsAt(range, interval, undefined);
    return to - from;
  });
  return widths.length > 0 && widths.every((width) => width >= shortestDayMs);
}

const shortestDayMs = 23 * 3_600_000;

const inWords = (ms: number): string => {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return minutes === 1 ? 'minute' : `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours === 1 ? 'hour' : `${hours} hours`;
};

export default {
  id: 'interval-grain',
  severity: 'warning',
  summary: 'A schedule that is finer than the slice that a run reads',
  help: 'Cut by the interval itself (`>= data_interval_start AND < data_interval_end`), or delete the same day that is read.',
  supersedes: [],
  provable: 'second run',
  check,
} satisfies Rule;
