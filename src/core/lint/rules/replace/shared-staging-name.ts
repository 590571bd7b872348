import { isJournalName, isStagingName } from '../../../lineage/facts/table-roles.ts';
import { accessedTable } from '../../../lineage/tasks/access-facts.ts';
import type { SourceSpan } from '../../../text/span.ts';
import { usesInterval } from '../../bounds/interval-columns.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { empties } from '../../reruns/insert-guard.ts';
import { isOneAtATime, type Overlap, runsOverlap } from '../../reruns/overlapping-runs.ts';
import { sharedFiles } from '../../reruns/shared-files.ts';
import {
  isKnownTable,
  placeOf,
  type StatementView,
  sameTable,
  type TaskView,
  tableKey,
  tableLabel,
  writesTo,
} from '../../source/statement-view.ts';
import { atomicity } from '../../source/transaction.ts';

/** Two runs at once fill and read one place, so that one of them loads rows of the other's interval. */
function* check(context: LintContext): Generator<RuleFinding> {
  const overlap = runsOverlap(context.pipeline);
  if (overlap === 'never') return;
  const seen: string[] = [];
  const loading = context.tasks.filter(({ task }) => task.accesses.length > 0);
  for (const task of context.tasks) {
    for (const view of task.statements) {
      for (const target of view.statement.targets) {
        const key = tableKey(view, target);
        if (seen.some((other) => sameTable(other, key)) || target.templated || !isKnownTable(view, target)) continue;
        const stage = stageOf(context, task, view, key, loading);
        if (stage === undefined) continue;
        seen.push(key);
        yield finding(context, overlap, placeOf(view, target), `The table ${tableLabel(view, target)}`, key);
      }
    }
  }
  for (const { at, path } of sharedFiles(context)) yield finding(context, overlap, at, `The file ${path}`, path);
}

const finding = (
  { pipeline }: LintContext,
  overlap: Overlap,
  at: SourceSpan,
  what: string,
  name: string,
): RuleFinding => ({
  at,
  severity: overlap === 'declared' ? 'error' : 'warning',
  message: `${what} has one name for all runs, and ${
    overlap === 'declared'
      ? `${pipeline.maxActiveRuns?.value} of them may be under way at once`
      : 'nothing keeps two of them from being under way at once'
  }: one may load what another has put there. Set max_active_runs=1, or put {{ ds_nodash }} or {{ run_id }} into the name.`,
  subject: `${pipeline.id} stages in ${name}`,
});

/** A statement or call that has to do with the table, with its task. */
interface Use {
  readonly task: TaskView;
  readonly view: StatementView | undefined;
}

/**
 * A table that lasts, that the run makes or empties (a DELETE of the interval's rows leaves those of other runs), fills
 * with its interval's rows and reads to fill another: the first place that names it, or `undefined`. What one transaction
 * empties and fills under a lock is no other run's.
 */
function stageOf(
  context: LintContext,
  task: TaskView,
  first: StatementView,
  key: string,
  loading: readonly TaskView[],
): Use | undefined {
  if (
    first.statement.temporary ||
    isJournalName(key) ||
    !/^(?:create_table|create_table_as|truncate|drop|delete|insert)$/.test(first.statement.kind)
  )
    return undefined;
  const views = usesOf(context, key, loading);
  if (views.some(({ view }) => view?.statement.temporary === true)) return undefined;
  const makes = views.some(
    ({ view }) =>
      view !== undefined && (view.statement.kind === 'create_table' || (empties(view, key) && !isCut(view))),
  );
  const fills = views.filter(({ view }) => view === undefined || fillsTable(view, key));
  const loads = views.filter(({ view }) => view !== undefined && loadsFrom(view, key));
  if (!makes || fills.length === 0 || loads.length === 0) return undefined;
  if (!isStagingName(key) && !fills.some(({ view }) => view !== undefined && isCut(view))) return undefined;
  if ([...fills, ...loads].every((use) => isOneAtATime(use.task.task))) return undefined;
  return isLocked(views) ? undefined : { task, view: first };
}

function usesOf(context: LintContext, key: string, loading: readonly TaskView[]): readonly Use[] {
  const bySql = context
    .statementsOn(key)
    .filter(({ view }) => writesTo(view, key) || reads(view, key))
    .map(({ owner, view }): Use => ({ task: owner, view }));
  const otherwise = loading
    .filter(({ task }) =>
      task.accesses.some((access) => access.direction === 'write' && sameTable(accessedTable(access) ?? '', key)),
    )
    .map((task): Use => ({ task, view: undefined }));
  return [...bySql, ...otherwise];
}

const reads = (view: StatementView, key: string): boolean =>
  view.statement.reads.some((read) => sameTable(tableKey(view, read), key));

const fillsTable = (view: StatementView, key: string): boolean =>
  /^(?:insert|insert_overwrite|create_table_as|copy|load)$/.test(view.statement.kind) && writesTo(view, key);

/** It reads the table whole, to put rows into another one. */
const loadsFrom = (view: StatementView, key: string): boolean =>
  /^(?:insert|insert_overwrite|merge|update|delete|replace)$/.test(view.statement.kind) &&
  !writesTo(view, key) &&
  !isCut(view) &&
  reads(view, key);

const isCut = (view: StatementView): boolean => {
  const { query, where } = view.statement;
  return [...where, ...(query?.where ?? [])].some((conjunct) => usesInterval(view, conjunct));
};

/** One task, one transaction, begun by what locks the whole table until it ends. */
function isLocked(uses: readonly Use[]): boolean {
  const [first] = uses;
  const views = uses.flatMap(({ view }) => view ?? []).sort((a, b) => a.order - b.order);
  const [head, ...others] = views;
  if (first === undefined || head === undefined || views.length !== uses.length) return false;
  if (uses.some(({ task }) => task !== first.task)) return false;
  const locks =
    /^(?:truncate|drop)$/.test(head.statement.kind) ||
    (/^create_table(?:_as)?$/.test(head.statement.kind) && !head.statement.ifNotExists);
  return (
    locks &&
    ['postgres', 'redshift', 'ansi'].includes(head.sql.dialect) &&
    others.every((other) => atomicity(first.task.statements, head, other).kind === 'one-transaction')
  );
}

export default {
  id: 'shared-staging-name',
  severity: 'warning',
  summary: 'A staging table or file with one name for runs that may be under way at once',
  help: 'Set `max_active_runs=1`, use a temporary table, or put `{{ ds_nodash }}` or `{{ run_id }}` into the name.',
  supersedes: [],
  check,
} satisfies Rule;
