import { isEventTimeColumn, isJournalName, isStagingName } from '../../../lineage/facts/table-roles.ts';
import type { FromItem, QueryBlock, SelectItem, SqlExpression } from '../../../sql/model/expression.ts';
import { blocksBelow, filtersIn, filtersOf, within } from '../../../sql/model/sql-search.ts';
import type { Assignment } from '../../../sql/model/statement.ts';
import { comparisonOf, flooredColumn, mentionsColumn } from '../../bounds/comparison.ts';
import { deletedSlice } from '../../bounds/deleted-slice.ts';
import { usesInterval } from '../../bounds/interval-columns.ts';
import { type IntervalCut, intervalCuts } from '../../bounds/interval-cuts.ts';
import { yearOfRuns } from '../../bounds/run-times.ts';
import { boundsAt, rangeOf } from '../../bounds/slice-range.ts';
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
  tableLabel,
  writeSubject,
  writesTo,
} from '../../source/statement-view.ts';

/** A run sees only the part of a group that lies in its interval, and writes that as the whole. */
function* check(context: LintContext): Generator<RuleFinding> {
  const { kind } = context.pipeline.schedule.value;
  if (kind !== 'cron' && kind !== 'delta' && context.pipeline.format !== 'sql-file') return;
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const { target } = view.statement;
      if (target === undefined || !/^(?:insert|merge|insert_overwrite)$/.test(view.statement.kind)) continue;
      const key = tableKey(view, target);
      if (isJournalName(key) || isStagingName(key)) continue;
      const found = writtenOver(view) ?? splitGroup(task, view, key) ?? partialWindow(view);
      if (found === undefined) continue;
      const fix = found.group && wholeGroups(context, view, found.group);
      yield {
        at: placeOf(view, found.item),
        message: found.message(tableLabel(view, target)),
        subject: `${writeSubject(view, key)} by groups`,
        restsOn: [view],
        fixes: fix ? [fix] : [],
      };
    }
  }
}

interface Found {
  readonly item: SelectItem;
  readonly message: (table: string) => string;
  readonly group?: Group;
}

/** A block that groups rows of the interval. */
interface Group {
  readonly block: QueryBlock;
  readonly cut: IntervalCut;
  /** What it groups by, positions resolved. */
  readonly by: readonly SqlExpression[];
}

function groupOf(view: StatementView): Group | undefined {
  const { query } = view.statement;
  if (query === undefined || query.groupBy.length === 0 || query.then.length > 0) return undefined;
  const sources = onlySources(query);
  const own = cutsOf(view).filter(({ block }) => block !== undefined && sources.includes(block));
  const [cut] = own;
  if (cut === undefined || own.length > 1) return undefined;
  const by = query.groupBy.map((one) => {
    const position = one.kind === 'literal' && one.type === 'number' ? Number(one.text) : undefined;
    const item =
      position === undefined
        ? query.select.find(({ name }) => one.kind === 'column' && one.qualifier === undefined && name === one.name)
        : query.select[position - 1];
    return item?.expression ?? one;
  });
  return { block: query, cut, by };
}

/** How blocks are cut to what is new: by the interval, or from some time before the clock on. */
function cutsOf(view: StatementView): readonly IntervalCut[] {
  const clocks = view.statement.nondeterministic.filter(({ family }) => family === 'clock');
  if (clocks.length === 0) return intervalCuts(view);
  const recent = filtersOf(view.statement).flatMap(({ conjunct, block }): readonly IntervalCut[] => {
    const cut = comparisonOf(conjunct);
    const low = cut?.low?.value;
    const isRecent = low !== undefined && clocks.some(({ start, end }) => low.start <= start && end <= low.end);
    return cut !== undefined && isRecent ? [{ block, column: cut.column.name, comparisons: [cut] }] : [];
  });
  return [...intervalCuts(view), ...recent];
}

/** The block and those below it of which each is all that the one above reads. */
function onlySources(query: QueryBlock): readonly QueryBlock[] {
  const found = [query];
  for (let block: QueryBlock | undefined = query; block !== undefined; ) {
    const [item, ...others]: readonly FromItem[] = block.from;
    const below: QueryBlock | undefined =
      item === undefined || others.length > 0
        ? undefined
        : item.kind === 'query'
          ? item.query
          : item.kind === 'table' && item.cte !== undefined
            ? query.with.find(({ name }) => name === item.cte)?.query
            : undefined;
    if (below === undefined || below.then.length > 0 || found.includes(below)) return found;
    found.push(below);
    block = below;
  }
  return found;
}

const partial =
  /^(?:sum|count|avg|min|count_if|countif|array_agg|string_agg|listagg|group_concat|collect_list|collect_set|approx_count_distinct|median|stddev)$/;

const isAggregate = (one: SqlExpression): boolean =>
  one.kind === 'call' && one.window === undefined && partial.test(one.name);

/** An upsert by the group: what an earlier interval made of it is replaced by this interval's part. */
function writtenOver(view: StatementView): Found | undefined {
  const group = groupOf(view);
  const { conflict, branches, on, columns, assignments: set } = view.statement;
  if (group === undefined) return undefined;
  const branch = branches.find(({ action, matched }) => action === 'update' && matched === 'matched');
  const assignments = conflict?.action === 'update' ? set : (branch?.assignments ?? []);
  const key = new Set(
    conflict?.key ?? on.flatMap((one) => within(one).flatMap((part) => (part.kind === 'column' ? [part.name] : []))),
  );
  if (assignments.length === 0 || key.size === 0) return undefined;
  const nameAt = (index: number): string | undefined =>
    conflict !== undefined && columns.length > 0 ? columns[index] : group.block.select[index]?.name;
  const names = group.block.select.map((_, index) => nameAt(index));
  if (![...key].every((name) => names.includes(name))) return undefined;
  // What makes the row is what is grouped by; a stamp of the interval among the keys keeps the intervals apart.
  const keyItems = group.block.select.filter((_, index) => key.has(names[index] ?? ''));
  if (keyItems.some(({ expression }) => usesInterval(view, expression) || within(expression).some(isAggregate)))
    return undefined;
  const period = coarserPeriod(view, group);
  if (period === undefined && keyItems.some(({ expression, name }) => isDated(expression, name))) return undefined;
  if (period === undefined && group.by.some((one) => mentionsColumn(one, group.cut.column) || isDated(one, undefined)))
    return undefined;
  const index = group.block.select.findIndex(
    ({ expression }, position) =>
      within(expression).some(isAggregate) &&
      assignments.some((one) => one.column === names[position] && isTakenOver(view, one)),
  );
  const item = group.block.select[index];
  if (item === undefined) return undefined;
  return {
    item,
    message: (table) =>
      `${sourceText(view, item)} is made of the rows of one interval, but ${table} has one row for each ${period ?? [...key].join(', ')}: each run replaces what the runs before it have counted by its own part. Read whole groups.`,
    ...(period === undefined ? { group } : {}),
  };
}

/** Grouped by something that moves on: then a row is of its own time. */
const isDated = (expression: SqlExpression, name: string | undefined): boolean =>
  (name !== undefined && isEventTimeColumn(name)) ||
  within(expression).some((one) => (one.kind === 'column' && isEventTimeColumn(one.name)) || one.kind === 'hole');

const lengths: Readonly<Record<string, number>> = { week: 7, month: 28, quarter: 90, year: 365 };

/** `date_trunc('month', ts)` of rows of a day: the unit, where every interval is shorter than it. */
function coarserPeriod(view: StatementView, { by, cut }: Group): string | undefined {
  const range = rangeOf(view, cut.comparisons, cut.comparisons[0]?.unit);
  const intervals = yearOfRuns(view.pipeline);
  for (const one of by) {
    const floored = flooredColumn(one);
    const days = floored?.unit === undefined ? undefined : lengths[floored.unit];
    if (floored?.column.name !== cut.column || days === undefined || range === undefined || intervals.length === 0)
      continue;
    if (range.lows.length === 0 || range.highs.length === 0) continue;
    const isShort = intervals.every((interval) => {
      const { from, to } = boundsAt(range, interval, undefined);
      return to - from < (days - 0.5) * 86_400_000;
    });
    if (isShort) return floored.unit;
  }
  return undefined;
}

/** `n = EXCLUDED.n`, `n = s.n`, `n = VALUES(n)`: the new value alone. */
function isTakenOver(view: StatementView, { value, column }: Assignment): boolean {
  if (value.kind === 'column') return value.qualifier !== undefined && value.qualifier !== view.statement.targetAlias;
  return value.kind === 'call' && value.name === 'values' && mentionsColumn(value, column);
}

/** The slice is the first or last moment of a group, of which a run sees what lies in its interval. */
function splitGroup(task: TaskView, view: StatementView, key: string): Found | undefined {
  const group = groupOf(view);
  if (group === undefined || group.block.having.length > 0) return undefined;
  if (group.by.some((one) => mentionsColumn(one, group.cut.column) || isDated(one, undefined))) return undefined;
  const deletion = task.statements.find(
    (other) =>
      other.statement.kind === 'delete' &&
      other.order < view.order &&
      writesTo(other, key) &&
      deletedSlice(other).length > 0,
  );
  const column = deletion && deletedSlice(deletion)[0]?.column.name;
  const position = column === undefined ? -1 : view.statement.columns.indexOf(column);
  const item = position >= 0 ? group.block.select[position] : group.block.select.find(({ name }) => name === column);
  if (column === undefined || item === undefined) return undefined;
  const isEnd = within(item.expression).some(
    (one) =>
      one.kind === 'call' &&
      one.window === undefined &&
      /^(?:min|max)$/.test(one.name) &&
      mentionsColumn(one, group.cut.column),
  );
  if (!isEnd) return undefined;
  return {
    item,
    message: (table) =>
      `A group (${group.by.map((one) => sourceText(view, one)).join(', ')}) that reaches over the end of an interval is split: each run sees its own part only, and ${table} gets two rows of it. Read whole groups: those that begin in the interval, with all of their rows.`,
  };
}

/** A window over the rows of one interval, whose group began earlier. */
function partialWindow(view: StatementView): Found | undefined {
  const { query } = view.statement;
  if (query === undefined) return undefined;
  const cuts = cutsOf(view).filter(({ block }) => block !== undefined);
  const [cut] = cuts;
  // Where a wider range is cut once more above it, whole groups are read.
  if (cut?.block === undefined || cuts.length > 1 || reachesBack(view, cut)) return undefined;
  const outputs = [query, ...query.then.map((next) => next.query)];
  for (const block of blocksBelow(query)) {
    if (!outputs.includes(block) || !(block === cut.block || blocksBelow(block).includes(cut.block))) continue;
    for (const item of block.select) {
      if (!isWindowOfGroup(view, item, cut.column) || isFilteredBy(query, item.name)) continue;
      return {
        item,
        message: () =>
          `${sourceText(view, item).replace(/\s+/g, ' ')} looks at the rows of this interval only: what a group had before it is not seen, so it begins anew in every run. Compute it over whole groups, and cut by the interval above it.`,
      };
    }
  }
  return undefined;
}

/** The range begins before the interval, which makes room for what was before. */
function reachesBack(view: StatementView, cut: IntervalCut): boolean {
  const range = rangeOf(view, cut.comparisons, cut.comparisons[0]?.unit);
  const intervals = yearOfRuns(view.pipeline);
  // From some time before the clock on: how far back that is was chosen for what is new, not for groups.
  if (cut.comparisons.every(({ low }) => low !== undefined && !usesInterval(view, low.value))) return false;
  if (range === undefined || range.lows.length === 0 || range.highs.length === 0) return true;
  return intervals.some((interval) => {
    const { from, to } = boundsAt(range, interval, undefined);
    return to - from > (interval.end - interval.start) * 1.2 + 3_600_000;
  });
}

/** `lag(…) OVER (PARTITION BY user ORDER BY ts)`, and numbers and sums that go on from row to row. */
function isWindowOfGroup(view: StatementView, { expression, name = '' }: SelectItem, column: string): boolean {
  return within(expression).some((one) => {
    if (one.kind !== 'call' || one.window === undefined) return false;
    const window = sourceText(view, one.window);
    const [, by = '', order = ''] = /\bpartition\s+by\b(.*?)\border\s+by\b(.*)/is.exec(window) ?? [];
    const inOrder = new RegExp(`\\b${column}\\b`, 'i').test(order) || /(?:\b|_)(?:at|ts)\b|time|date/i.test(order);
    if (
      by === '' ||
      (!inOrder && !/(?:^|_)(?:first|new|initial)(?:_|$)/.test(name)) ||
      /\b\w*(?:date|day|_dt|_at|hour|month)\b|\bds\b|\bdt\b/i.test(by)
    )
      return false;
    if (new RegExp(`\\b${column}\\b`, 'i').test(by)) return false;
    if (/^(?:lag|lead)$/.test(one.name)) return true;
    if (/^(?:row_number|rank|dense_rank)$/.test(one.name))
      return !/\bdesc\b/i.test(order) && (expression.kind === 'binary' || counting.test(name));
    return /^(?:sum|count)$/.test(one.name) && running.test(name);
  });
}

const counting = /(?:^|_)(?:first|new|initial|nth|seq|sequence|ordinal|number|num|no|index|idx)(?:_|$)/;
const running = /cum|running|to_date|balance|so_far/;

/** `WHERE rn = 1`: it chooses rows, and is not written. */
const isFilteredBy = (query: QueryBlock, name: string | undefined): boolean =>
  name !== undefined &&
  blocksBelow(query).some((block) => filtersIn(block).some((conjunct) => mentionsColumn(conjunct, name)));

/** The groups that have rows in the interval, with all of their rows. */
function wholeGroups(context: LintContext, view: StatementView, { block, cut, by }: Group): Fix | undefined {
  const [key, ...others] = by;
  const [from, ...joined] = block.from;
  if (
    key?.kind !== 'column' ||
    others.length > 0 ||
    from?.kind !== 'table' ||
    from.cte !== undefined ||
    joined.length > 0
  )
    return undefined;
  if (cut.block !== block || block.whereSpan === undefined || block.where.length !== cut.comparisons.length)
    return undefined;
  const name = sourceText(view, key);
  const where = sourceText(view, block.whereSpan);
  const newText = `WHERE ${name} IN (SELECT ${name} FROM ${sourceText(view, from)} ${where})`;
  const edits = editSql(context, view, [{ start: block.whereSpan.start, end: block.whereSpan.end, newText }]);
  return edits && { title: 'Read all rows of the groups that have some in the interval', edits, preferred: true };
}

export default {
  id: 'partial-group',
  severity: 'error',
  summary: 'Groups and windows that are computed over the rows of one interval though they reach beyond it',
  help: 'Read whole groups: choose those with rows in the interval, and take all of their rows.',
  supersedes: [],
  check,
} satisfies Rule;
