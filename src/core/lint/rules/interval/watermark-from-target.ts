import { isJournalName } from '../../../lineage/facts/table-roles.ts';
import type { QueryBlock, SqlExpression } from '../../../sql/model/expression.ts';
import { blocksBelow, blocksOf, tablesOf, within } from '../../../sql/model/sql-search.ts';
import { comparisonOf } from '../../bounds/comparison.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { empties } from '../../reruns/insert-guard.ts';
import { runsAgain } from '../../reruns/runs-again.ts';
import { keyThatRefuses } from '../../reruns/table-guard.ts';
import {
  placeOf,
  type StatementView,
  sameTable,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
} from '../../source/statement-view.ts';

/** A second run of an interval reads from where the last run of any interval has ended. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const { target, kind } = view.statement;
      if (target === undefined || (kind !== 'insert' && kind !== 'merge')) continue;
      const key = tableKey(view, target);
      const mark = isJournalName(key) ? undefined : markOf(view, key);
      if (mark === undefined || leavesOut(view, key) || isMadeAnew(context, task, view, key)) continue;
      const isKeyed =
        kind === 'merge' || view.statement.conflict !== undefined || keyThatRefuses(context, view, key) !== undefined;
      // What a look-back or the boundary brings again the key takes up.
      if (isKeyed && (mark.looksBack || !mark.strict)) continue;
      // A window that is appended again is more than a mark, and said as the rows that it doubles.
      if (mark.looksBack) continue;
      yield {
        at: placeOf(view, mark.query),
        severity: isKeyed || !runsAgain(task) ? 'warning' : 'error',
        message: messageFor(tableLabel(view, target), mark.strict),
        subject: writeSubject(view, key),
        restsOn: [view],
      };
    }
  }
}

const messageFor = (table: string, strict: boolean): string =>
  strict
    ? `What is read begins behind the newest row of ${table}, so a past interval cannot be run again, and rows that arrive late behind that mark are never read.`
    : `What is read begins with the newest rows of ${table}, so a second run adds those of the mark itself again, and a past interval cannot be run again.`;

interface Mark {
  readonly query: SqlExpression;
  readonly strict: boolean;
  /** Something is taken off the mark, so that a window is read again. */
  readonly looksBack: boolean;
}

/** `ts > (SELECT max(ts) FROM target)` among the conditions of what is read. */
function markOf(view: StatementView, key: string): Mark | undefined {
  for (const { where } of blocksOf(view.statement)) {
    for (const conjunct of where) {
      const low = comparisonOf(conjunct)?.low;
      if (low === undefined) continue;
      const query = within(low.value).find((one) => one.kind === 'subquery' && isNewest(view, one.query, key));
      if (query?.kind !== 'subquery') continue;
      const shifts = [low.value, ...query.query.select.map(({ expression }) => expression)];
      const looksBack = shifts.some((one) => within(one).some(isLookBack));
      return { query, strict: !low.inclusive, looksBack };
    }
  }
  return undefined;
}

const isNewest = (view: StatementView, query: QueryBlock, key: string): boolean =>
  query.groupBy.length === 0 &&
  tablesOf(query).some(({ table }) => sameTable(tableKey(view, table), key)) &&
  query.select.some(({ expression }) => within(expression).some((one) => one.kind === 'call' && one.name === 'max'));

const isLookBack = (one: SqlExpression): boolean =>
  (one.kind === 'binary' && one.operator === '-') ||
  (one.kind === 'call' && /^(?:date_?sub|date_?add|dateadd|timestamp_sub|timestampadd|subtract\w*)$/.test(one.name));

/** An anti-join on the target beside the mark keeps known rows out. */
const leavesOut = (view: StatementView, key: string): boolean =>
  blocksOf(view.statement).some(({ where, from }) =>
    [...where, ...from.flatMap(({ on }) => on)].some(
      (one) =>
        (one.kind === 'exists' || one.kind === 'in') &&
        one.query !== undefined &&
        blocksBelow(one.query).some((block) =>
          tablesOf(block).some(({ table }) => sameTable(tableKey(view, table), key)),
        ),
    ),
  );

const isMadeAnew = (context: LintContext, task: TaskView, view: StatementView, key: string): boolean =>
  task.statements.some((other) => other !== view && empties(other, key)) ||
  context.runEarlier(task, key).some((other) => empties(other, key));

export default {
  id: 'watermark-from-target',
  severity: 'error',
  summary: 'A range that begins behind the newest row of the target',
  help: 'Cut by the data interval: `>= data_interval_start AND < data_interval_end`; with a key, read a look-back behind the mark.',
  supersedes: ['plain-insert'],
  check,
} satisfies Rule;
