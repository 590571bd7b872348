import { isJournalName, isSliceColumn, isStagingName } from '../../../lineage/facts/table-roles.ts';
import { accessedTable } from '../../../lineage/tasks/access-facts.ts';
import type { QueryBlock, SqlExpression } from '../../../sql/model/expression.ts';
import { blocksBelow, filtersIn, within } from '../../../sql/model/sql-search.ts';
import { evaluateTime } from '../../../time/expressions/evaluate-time.ts';
import { floorTo } from '../../../time/zones/floor.ts';
import { instant } from '../../../time/zones/instant.ts';
import { type Comparison, comparisonOf, mentionsColumn } from '../../bounds/comparison.ts';
import { usesInterval } from '../../bounds/interval-columns.ts';
import { intervalCuts } from '../../bounds/interval-cuts.ts';
import { shortestPeriodMs, yearOfRuns } from '../../bounds/run-times.ts';
import { boundsAt, meetsNextInterval, rangeOf } from '../../bounds/slice-range.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { isEmptiedFor } from '../../reruns/emptied-for.ts';
import { insertGuard } from '../../reruns/insert-guard.ts';
import { deduplicatedByView, guardedFromRows, keyThatRefuses } from '../../reruns/table-guard.ts';
import {
  isKnownTable,
  placeOf,
  type StatementView,
  sourceText,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
} from '../../source/statement-view.ts';

/** Every run, not only a second one, reads rows of the intervals before its own and adds them once more. */
function* check(context: LintContext): Generator<RuleFinding> {
  const { kind } = context.pipeline.schedule.value;
  if (kind !== 'cron' && kind !== 'delta') return;
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const { target, query } = view.statement;
      if (view.statement.kind !== 'insert' || target === undefined || query === undefined) continue;
      const window = windowAgain(view, query);
      if (window === undefined || !isKnownTable(view, target)) continue;
      const key = tableKey(view, target);
      if (isJournalName(key) || isStagingName(key) || deduplicatedByView(context, key)) continue;
      if (insertGuard(context, task, view, key) !== undefined || keyThatRefuses(context, view, key) !== undefined)
        continue;
      yield {
        at: placeOf(view, view.statement.head),
        message: messageFor(view, window, tableLabel(view, target)),
        subject: writeSubject(view, key),
        restsOn: [view],
        related: [{ message: 'reaches back into earlier intervals', at: placeOf(view, window.conjunct) }],
      };
    }
    yield* appendedQueries(context, task);
  }
}

/** A query whose result an operator or a call appends: `WRITE_APPEND`. */
function* appendedQueries(context: LintContext, task: TaskView): Generator<RuleFinding> {
  const queries = task.statements.filter(({ statement }) => statement.kind === 'select');
  const [view] = queries;
  if (view === undefined || queries.length > 1 || view.statement.query === undefined) return;
  const written = task.task.accesses.filter(({ direction }) => direction === 'write');
  const [access] = written;
  const table = access && accessedTable(access);
  if (written.length !== 1 || access?.mode?.value !== 'append' || access.mode.at === undefined || table === undefined)
    return;
  const window = windowAgain(view, view.statement.query);
  if (window === undefined || isJournalName(table) || isStagingName(table)) return;
  if (isEmptiedFor(context, task, access, table) || guardedFromRows(context, table, false)) return;
  yield {
    at: access.mode.at,
    message: messageFor(view, window, table),
    subject: `${task.task.id} writes ${table}`,
    restsOn: [view],
    related: [{ message: 'reaches back into earlier intervals', at: placeOf(view, window.conjunct) }],
  };
}

const messageFor = (view: StatementView, { conjunct }: Comparison, table: string): string =>
  `Each run reads rows of earlier intervals again (${sourceText(view, conjunct).replace(/\s+/g, ' ')}) and appends them to ${table}, so they come as often as they are read: delete the same range first, upsert by a key, or read the interval alone.`;

/** The bound from below of a window that overlaps that of the next run, where the rows still say when they are from. */
function windowAgain(view: StatementView, query: QueryBlock): Comparison | undefined {
  for (const { block, column, comparisons } of intervalCuts(view)) {
    const low = comparisons.find((one) => one.low !== undefined && usesInterval(view, one.low.value));
    if (low === undefined || block === undefined || !bringsRows(view, query, column)) continue;
    if (overlapsNext(view, comparisons) && !meetsNextInterval(view.pipeline, view, comparisons, false)) return low;
  }
  for (const block of blocksBelow(query)) {
    const low = clockWindow(view, block);
    if (low !== undefined && bringsRows(view, query, low.column.name)) return low;
  }
  return undefined;
}

/** It begins before the interval, and the window of the next interval begins before this one has ended. */
function overlapsNext(view: StatementView, cuts: readonly Comparison[]): boolean {
  const range = rangeOf(view, cuts, cuts[0]?.unit);
  const intervals = yearOfRuns(view.pipeline);
  if (range === undefined || range.lows.length === 0 || range.highs.length === 0 || intervals.length === 0)
    return false;
  return intervals.every((interval) => {
    const next = { start: interval.end, end: instant(2 * interval.end - interval.start) };
    const reaches = range.lows.every((low) => {
      const own = low.unit === undefined ? interval.start : floorTo(interval.start, low.unit, 'UTC');
      return evaluateTime(low.time, interval, 'lower') < own;
    });
    const { to } = boundsAt(range, interval, undefined);
    const { from } = boundsAt(range, next, undefined);
    return reaches && from < to;
  });
}

/** `ts >= now() - interval '2 days'` in runs that come more often than that. */
function clockWindow(view: StatementView, block: QueryBlock): Comparison | undefined {
  const period = shortestPeriodMs(view.pipeline);
  if (period === undefined) return undefined;
  const cuts = filtersIn(block).flatMap((conjunct) => comparisonOf(conjunct) ?? []);
  return cuts.find(({ low, high, column }) => {
    const back = low && high?.value !== low.value ? behindClock(view, low.value) : undefined;
    if (back === undefined) return false;
    const ends = [
      high,
      ...cuts.filter((one) => one.column.name === column.name && one.low === undefined).map((one) => one.high),
    ]
      .filter((one) => one !== undefined)
      .map(({ value }) => behindClock(view, value));
    if (ends.includes(undefined)) return false;
    return back - Math.max(0, ...ends.map((end) => end ?? 0)) > period * 1.5;
  });
}

const dayMs = 86_400_000;
const units: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
};

/** How long before the clock a value is, in ms; 0 for the clock itself, `undefined` for anything else. */
function behindClock(view: StatementView, value: SqlExpression): number | undefined {
  const clocks = view.statement.nondeterministic.filter(
    ({ family, start, end }) => family === 'clock' && value.start <= start && end <= value.end,
  );
  if (clocks.length !== 1 || within(value).some(({ kind }) => kind === 'column' || kind === 'hole')) return undefined;
  if (value.kind === 'call' && value.arguments.length === 0) return 0;
  const text = sourceText(view, value).toLowerCase();
  const by =
    /(?:-|sub\w*\s*\().*?\binterval\s*'?\s*(\d+)'?\s*'?\s*(minute|hour|day|week|month)s?\b/s.exec(text) ??
    /-\s*(\d+)\s*(?:::\w+)?$/.exec(text) ??
    /\bdate_?add\s*\(\s*(minute|hour|day|week|month)s?\s*,\s*-\s*(\d+)/.exec(text);
  if (by === null) return undefined;
  const [, first = '', second = 'day'] = by;
  const [amount, unit] = /^\d/.test(first) ? [first, second] : [second, first];
  return Number(amount) * (units[unit] ?? dayMs);
}

/** What comes out are rows of their own times: no figure of the whole window, and no stamp of the run that tells them apart. */
function bringsRows(view: StatementView, query: QueryBlock, column: string): boolean {
  return [query, ...query.then.map((next) => next.query)].every(({ select }) => {
    const isStamped = select.some(
      ({ expression, name }) =>
        !within(expression).some((one) => one.kind === 'column' || one.kind === 'subquery' || one.kind === 'star') &&
        (usesInterval(view, expression) || (name !== undefined && isSliceColumn(name))),
    );
    return (
      !isStamped &&
      select.some(
        ({ expression }) =>
          expression.kind === 'star' || (mentionsColumn(expression, column) && !within(expression).some(isAggregate)),
      )
    );
  });
}

const isAggregate = (one: SqlExpression): boolean =>
  one.kind === 'call' && /^(?:min|max|sum|count|avg|array_agg|any_value)$/.test(one.name);

export default {
  id: 'append-lookback',
  severity: 'error',
  summary: 'An append that reads rows of earlier intervals again',
  help: 'Delete the range that is read before the INSERT, in one transaction, upsert by a key of the record, or read the interval alone.',
  supersedes: ['append-write', 'plain-insert'],
  provable: 'second run',
  check,
} satisfies Rule;
