import { holdsTimes } from '../../../lineage/columns/column-type.ts';
import { isJournalName } from '../../../lineage/facts/table-roles.ts';
import type { ColumnReference, QueryBlock, SqlExpression } from '../../../sql/model/expression.ts';
import { filtersOf, within } from '../../../sql/model/sql-search.ts';
import type { Span } from '../../../text/span.ts';
import { dayMs } from '../../../time/zones/civil.ts';
import { parseInstant } from '../../../time/zones/iso.ts';
import { type Comparison, comparisonOf } from '../../bounds/comparison.ts';
import { intervalCuts } from '../../bounds/interval-cuts.ts';
import { shortestPeriodMs, yearOfRuns } from '../../bounds/run-times.ts';
import { declaredType } from '../../context/declared-type.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { editSql } from '../../fixes/sql-edit.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { empties } from '../../reruns/insert-guard.ts';
import {
  placeOf,
  type StatementView,
  sameTable,
  sourceText,
  type TaskView,
  tableKey,
  writesTo,
} from '../../source/statement-view.ts';

/** Every run of the schedule, whatever its interval, works on the one that is written down. */
function* check(context: LintContext): Generator<RuleFinding> {
  const period = shortestPeriodMs(context.pipeline);
  if (period === undefined || period > longestMs) return;
  for (const task of context.tasks) {
    const pinned = pinnedRanges(context, task);
    const [first, ...others] = pinned;
    if (first === undefined) continue;
    const fix = intervalFix(context, task, pinned);
    yield {
      at: placeOf(first.view, first.mark),
      message: `${sourceText(first.view, first.mark).replace(/\s+/g, ' ')} is one and the same day for every run of the schedule, so no run of this task makes the rows of its own interval.`,
      subject: `${task.task.id} fixed date`,
      restsOn: pinned.map(({ view }) => view),
      related: others.map(({ view, mark }) => ({ message: 'a fixed date again', at: placeOf(view, mark) })),
      fixes: fix ? [fix] : [],
    };
  }
}

/** A fixed period that is longer than a month is rather meant: a year's table, the time of a campaign. */
const longestMs = 32 * dayMs;

/** A column that is bounded on both sides by dates that are written down. */
interface Pinned {
  readonly view: StatementView;
  readonly mark: Span;
  readonly low: Bound;
  readonly high: Bound;
}

interface Bound {
  readonly literal: SqlExpression;
  readonly at: number;
  readonly inclusive: boolean;
}

const fills = /^(?:insert|insert_overwrite|insert_replace_where|replace|merge)$/;

function pinnedRanges(context: LintContext, task: TaskView): readonly Pinned[] {
  return task.statements.flatMap((view) => {
    const { kind, target } = view.statement;
    const sends = kind === 'select' && /To[A-Z]\w*Operator$/.test(task.task.operator);
    const key = target === undefined ? undefined : tableKey(view, target);
    if (!sends && (key === undefined || isJournalName(key) || isOneOff(task, view, key))) return [];
    if (kind === 'delete') return isRefilled(task, view, key ?? '') ? inFilters(context, view) : [];
    if (!sends && !fills.test(kind)) return [];
    return [...inFilters(context, view), ...inPartition(view)];
  });
}

/** A table that is made anew by the run, and what is put there by hand. */
const isOneOff = (task: TaskView, view: StatementView, key: string): boolean =>
  (fills.test(view.statement.kind) && view.statement.query === undefined) ||
  task.statements.some(
    (other) =>
      other.order < view.order &&
      writesTo(other, key) &&
      empties(other, key) &&
      (other.statement.kind !== 'delete' || other.statement.where.length === 0),
  );

/** Rows of the same table come after the DELETE, chosen by fixed dates themselves. */
const isRefilled = (task: TaskView, view: StatementView, key: string): boolean =>
  task.statements.some(
    (other) =>
      other.order > view.order &&
      fills.test(other.statement.kind) &&
      other.statement.query !== undefined &&
      other.statement.targets.some((target) => sameTable(tableKey(other, target), key)) &&
      intervalCuts(other).length === 0,
  );

function inFilters(context: LintContext, view: StatementView): readonly Pinned[] {
  const groups = new Map<string, { block: QueryBlock | undefined; column: ColumnReference; cuts: Comparison[] }>();
  const blocks: (QueryBlock | undefined)[] = [];
  for (const { conjunct, block } of filtersOf(view.statement)) {
    const cut = comparisonOf(conjunct);
    if (cut === undefined) continue;
    if (!blocks.includes(block)) blocks.push(block);
    const name = `${blocks.indexOf(block)} ${cut.column.qualifier ?? ''}.${cut.column.name}`;
    const known = groups.get(name);
    if (known === undefined) groups.set(name, { block, column: cut.column, cuts: [cut] });
    else known.cuts.push(cut);
  }
  return [...groups.values()].flatMap(({ block, column, cuts }) => {
    const bounds = (side: 'low' | 'high'): readonly (Bound | undefined)[] =>
      cuts.flatMap((cut) => (cut[side] === undefined ? [] : [dateOf(view, cut[side])]));
    const lows = bounds('low');
    const highs = bounds('high');
    const [low, high] = [lows[0], highs[0]];
    if (low === undefined || high === undefined || lows.length > 1 || highs.length > 1) return [];
    if (high.at < low.at || high.at - low.at > longestMs) return [];
    if (!holdsTimes(column.name, declaredType(context, view, block, column)) || validity.test(column.name)) return [];
    const [first] = cuts;
    return first === undefined ? [] : [{ view, mark: first.conjunct, low, high }];
  });
}

/** From when to when a version of a record counts. */
const validity = /valid|effective|expir|(?:^|_)(?:start|end|from|to|until|since)(?:_|$)|birth|launch|release/;

/** `PARTITION (day = '2024-01-01')`. */
function inPartition(view: StatementView): readonly Pinned[] {
  if (intervalCuts(view).length > 0) return [];
  return view.statement.partitionBy.flatMap((entry) => {
    if (entry.kind !== 'binary') return [];
    const bound = dateOf(view, { value: entry.right, inclusive: true });
    return bound === undefined ? [] : [{ view, mark: entry, low: bound, high: bound }];
  });
}

/** The bound where it is a date and nothing else; far dates stand for "always". */
function dateOf(
  view: StatementView,
  { value, inclusive }: { readonly value: SqlExpression; readonly inclusive: boolean },
): Bound | undefined {
  const parts = within(value);
  const [literal, ...others] = parts.filter(({ kind }) => kind === 'literal');
  if (literal?.kind !== 'literal' || literal.type !== 'string' || others.length > 0) return undefined;
  if (parts.some(({ kind }) => kind === 'column' || kind === 'hole' || kind === 'binary' || kind === 'subquery'))
    return undefined;
  const text = literal.text.replace(/^'|'$/g, '');
  const at = parseInstant(/^\d{8}$/.test(text) ? text.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3') : text, 'UTC');
  if (at === undefined || at < Date.UTC(2000, 0, 2) || at > Date.UTC(2090, 0, 1)) return undefined;
  return view.sql.masked.holes.some(({ start, end }) => literal.start < end && start < literal.end)
    ? undefined
    : { literal, at, inclusive };
}

/** The day of the run for the day that is written down, in a daily DAG whose texts are templates. */
function intervalFix(context: LintContext, task: TaskView, pinned: readonly Pinned[]): Fix | undefined {
  const { value } = context.pipeline.schedule;
  if ((value.kind !== 'cron' && value.kind !== 'delta') || value.intervals !== 'tick-to-tick') return undefined;
  if (
    !yearOfRuns(context.pipeline).every(
      ({ start, end }) => end - start >= 23 * 3_600_000 && end - start <= 25 * 3_600_000,
    )
  )
    return undefined;
  const day = pinned[0]?.low.at;
  const edits = pinned.flatMap(({ view, low, high }) => {
    const isDay = low.inclusive && low.at === day && (high.inclusive ? high.at === day : high.at - low.at === dayMs);
    const bounds = low.literal === high.literal ? [low] : [low, high];
    return bounds.map(({ literal, at }) => {
      const isTemplate = view.sql.sentBy === undefined && view.sql.session === undefined;
      const newText = at === day ? "'{{ ds }}'" : "'{{ macros.ds_add(ds, 1) }}'";
      return isDay && isTemplate && /^'\d{4}-\d\d-\d\d'$/.test(sourceText(view, literal))
        ? editSql(context, view, [{ start: literal.start, end: literal.end, newText }])
        : undefined;
    });
  });
  if (task.task.sql.length === 0 || edits.some((edit) => edit === undefined)) return undefined;
  return { title: 'Use the day of the run', edits: edits.flatMap((edit) => edit ?? []), preferred: true };
}

export default {
  id: 'hard-coded-date',
  severity: 'warning',
  summary: 'A date that is written down as the bound of work that runs by a schedule',
  help: 'Use the interval of the run: `{{ ds }}`, `{{ data_interval_start }}`, `{{ data_interval_end }}`.',
  supersedes: [],
  check,
} satisfies Rule;
