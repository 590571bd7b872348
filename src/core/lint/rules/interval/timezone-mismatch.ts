import { type ComparedColumn, comparedColumn } from '../../../lineage/columns/compared-column.ts';
import { isSliceColumn } from '../../../lineage/facts/table-roles.ts';
import type { QueryBlock, SelectItem } from '../../../sql/model/expression.ts';
import { filtersIn } from '../../../sql/model/sql-search.ts';
import { evaluateTime } from '../../../time/expressions/evaluate-time.ts';
import { dayMs } from '../../../time/zones/civil.ts';
import { floorTo } from '../../../time/zones/floor.ts';
import { instant } from '../../../time/zones/instant.ts';
import { wallTime } from '../../../time/zones/wall-time.ts';
import { fromWall, isZone } from '../../../time/zones/zone.ts';
import type { ZoneName } from '../../../time/zones/zone-name.ts';
import { type Comparison, comparisonOf } from '../../bounds/comparison.ts';
import { deletedSlice } from '../../bounds/deleted-slice.ts';
import { usesInterval } from '../../bounds/interval-columns.ts';
import { intervalCuts } from '../../bounds/interval-cuts.ts';
import { yearOfRuns } from '../../bounds/run-times.ts';
import { boundsAt, rangeOf } from '../../bounds/slice-range.ts';
import { declaredType } from '../../context/declared-type.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import {
  placeOf,
  type StatementView,
  sourceText,
  type TaskView,
  tableKey,
  writeSubject,
  writesTo,
} from '../../source/statement-view.ts';

/** A day of one zone lies in two intervals of another, so a run makes a part of it and replaces the whole. */
function* check(context: LintContext): Generator<RuleFinding> {
  const { value } = context.pipeline.schedule;
  if ((value.kind !== 'cron' && value.kind !== 'delta') || value.intervals === 'zero-width') return;
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const { target, kind } = view.statement;
      if (
        target === undefined ||
        !/^(?:insert|insert_overwrite|insert_replace_where|merge|create_table_as)$/.test(kind)
      )
        continue;
      const found = cutDay(context, task, view) ?? openDay(context, view);
      if (found === undefined) continue;
      yield { ...found, subject: writeSubject(view, tableKey(view, target)), restsOn: [view] };
    }
  }
}

type Found = Pick<RuleFinding, 'at' | 'message'>;

const long = new Set(['day', 'week', 'month', 'quarter', 'year']);

/** A select item that is the local day of a column whose rows are taken by an interval that no local midnight ends. */
function cutDay(context: LintContext, task: TaskView, view: StatementView): Found | undefined {
  const { query } = view.statement;
  const blocks = query === undefined ? [] : [query, ...query.then.map((next) => next.query)];
  for (const block of blocks) {
    for (const [position, item] of block.select.entries()) {
      const local = localDay(context, view, block, item);
      if (local === undefined || !isSlice(task, view, block, item, position)) continue;
      const cut = intervalCuts(view).find((one) => one.block === block && one.column === local.column.name);
      // Where the local day itself is asked for as well, that decides.
      const asked = filtersIn(block).some((conjunct) => zoneOfCut(view, comparisonOf(conjunct), local.column.name));
      if (cut === undefined || asked || !isMisaligned(view, cut.comparisons, local.zone)) continue;
      return {
        at: placeOf(view, item),
        message: `${sourceText(view, item)} is a day of ${local.zone}, but the rows are taken by bounds that fall inside such a day: each run makes a part of two days and replaces them as though it had the whole.`,
      };
    }
  }
  return undefined;
}

type Local = ComparedColumn & { readonly zone: ZoneName };

/** `(ts AT TIME ZONE 'Asia/Tokyo')::date`, of a column that is known to be a moment, or not known to be a wall time. */
function localDay(context: LintContext, view: StatementView, block: QueryBlock, item: SelectItem): Local | undefined {
  const side = comparedColumn(item.expression, view.sql.dialect);
  if (side?.zone === undefined || side.zone === 'UTC' || !isZone(side.zone)) return undefined;
  if (side.unit === undefined || !long.has(side.unit)) return undefined;
  if (declaredType(context, view, block, side.column) === 'timestamp' && !isTold(view, item)) return undefined;
  return { ...side, zone: side.zone };
}

/** A wall time of which the text says whose it is: `AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'`. */
const isTold = (view: StatementView, item: SelectItem): boolean =>
  /\bat\s+time\s+zone\b.*\bat\s+time\s+zone\b|from_utc_timestamp|convert_timezone\([^,]+,[^,]+,/is.test(
    sourceText(view, item),
  );

/** The target is replaced by the column, or the rows are put together by it. */
function isSlice(task: TaskView, view: StatementView, block: QueryBlock, item: SelectItem, position: number): boolean {
  const { columns, target } = view.statement;
  const name = columns.length > 0 ? columns[position] : item.name;
  const key = target === undefined ? '' : tableKey(view, target);
  const isDeleted = task.statements.some(
    (other) =>
      other.statement.kind === 'delete' && writesTo(other, key) && deletedSlice(other)[0]?.column.name === name,
  );
  const own = sourceText(view, item.expression);
  const isPartition =
    view.statement.partitionBy.some((entry) => entry.kind === 'column' && entry.name === name) ||
    (/^insert_overwrite/.test(view.statement.kind) && name !== undefined && isSliceColumn(name));
  return (
    isDeleted ||
    isPartition ||
    block.groupBy.some((one) => {
      const text = sourceText(view, one);
      return text === own || text === String(position + 1) || (one.kind === 'column' && one.name === item.name);
    })
  );
}

/** Some bound of the range is no local midnight, in some interval of the year. */
function isMisaligned(view: StatementView, cuts: readonly Comparison[], zone: ZoneName): boolean {
  if (cuts.some((cut) => zoneOfCut(view, cut, cut.column.name) !== undefined)) return false;
  const range = rangeOf(view, cuts, cuts[0]?.unit);
  const intervals = yearOfRuns(view.pipeline);
  if (range === undefined || range.lows.length === 0 || range.highs.length === 0 || intervals.length === 0)
    return false;
  if ([...range.lows, ...range.highs].some(({ certain }) => !certain)) return false;
  return intervals.every((interval) => {
    const { from, to } = boundsAt(range, interval, undefined);
    return [from, to].some((at) => Number.isFinite(at) && floorTo(instant(at), 'day', zone) !== at);
  });
}

/** The zone on whose clock a comparison looks at the column. */
function zoneOfCut(view: StatementView, cut: Comparison | undefined, column: string): ZoneName | undefined {
  if (cut === undefined || cut.column.name !== column || cut.conjunct.kind === 'in') return undefined;
  const { conjunct } = cut;
  const sides =
    conjunct.kind === 'between'
      ? [conjunct.operand]
      : conjunct.kind === 'binary'
        ? [conjunct.left, conjunct.right]
        : [];
  return sides.map((side) => comparedColumn(side, view.sql.dialect)?.zone).find((zone) => zone !== undefined);
}

/** A filter by a local day that is not over when the run may start. */
function openDay(context: LintContext, view: StatementView): Found | undefined {
  for (const { comparisons, block } of intervalCuts(view)) {
    for (const cut of comparisons) {
      const zone = zoneOfCut(view, cut, cut.column.name);
      if (zone === undefined || zone === 'UTC' || !isZone(zone) || cut.unit !== 'day' || cut.high?.inclusive !== true)
        continue;
      if (!usesInterval(view, cut.high.value) || declaredType(context, view, block, cut.column) === 'timestamp')
        continue;
      const [high] = rangeOf(view, [cut], undefined)?.highs ?? [];
      const intervals = yearOfRuns(view.pipeline);
      if (high === undefined || high.unit !== 'day' || !high.certain || intervals.length === 0) continue;
      if (high.time.steps.some((step) => step.zone !== 'UTC')) continue;
      const missing = intervals.map((interval) => {
        const label = evaluateTime(high.time, interval, 'upper');
        return fromWall(zone, wallTime(Math.floor(label / dayMs) * dayMs + dayMs)) - interval.end;
      });
      const least = Math.min(...missing);
      if (least <= 0) continue;
      const hours = Math.round(least / 3_600_000);
      return {
        at: placeOf(view, cut.conjunct),
        message: `The day of ${zone} that is asked for ends ${hours === 1 ? 'an hour' : `${hours} hours`} or more after its run may start, so the first run leaves the evening out and a second one finds it.`,
      };
    }
  }
  return undefined;
}

export default {
  id: 'timezone-mismatch',
  severity: 'error',
  summary: 'Days of one zone that are cut by the interval of another',
  help: "Give the DAG the zone of its days (`pendulum.datetime(…, tz='Asia/Tokyo')`) and cut by `data_interval_start` and `data_interval_end`, or cut and replace by the same local day.",
  supersedes: ['delete-insert-range-mismatch', 'slice-mismatch'],
  check,
} satisfies Rule;
