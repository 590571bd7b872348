import { isStagingName } from '../../../lineage/facts/table-roles.ts';
import { accessedTable } from '../../../lineage/tasks/access-facts.ts';
import { overwritesOf } from '../../../pipeline/model/overwrites-of.ts';
import type { TableAccess } from '../../../pipeline/model/table-access.ts';
import type { SqlExpression } from '../../../sql/model/expression.ts';
import { within } from '../../../sql/model/sql-search.ts';
import { type ArrivingCut, arrivingCut } from '../../bounds/arriving-cut.ts';
import { holesIn, isOfRun } from '../../bounds/interval-columns.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { textAt } from '../../context/text-at.ts';
import { sliceDeletion } from '../../fixes/replace-slice-fix.ts';
import { editSql } from '../../fixes/sql-edit.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { dropsWhole, moves } from '../../reruns/insert-guard.ts';
import { templateTimes } from '../../reruns/times-used.ts';
import {
  placeOf,
  type StatementView,
  sameTable,
  sourceText,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
  writesTo,
} from '../../source/statement-view.ts';

/** Every run leaves the rows of its own interval only: those of all the others are gone. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const finding = ofStatement(context, task, view);
      if (finding) yield finding;
    }
    for (const access of task.task.accesses) {
      const finding = ofAccess(context, task, access);
      if (finding) yield finding;
    }
  }
}

function ofStatement(context: LintContext, task: TaskView, view: StatementView): RuleFinding | undefined {
  const { target, kind } = view.statement;
  if (target === undefined || view.statement.temporary) return undefined;
  // Of files whose bucket only the run knows it is as sure.
  if (target.templated && (view.sql.composed === undefined || mayNamePart.test(target.name))) return undefined;
  const key = tableKey(view, target);
  if (kind === 'merge') return ofMerge(context, task, view, key);
  const replacing = replacer(context, task, view, key);
  if (replacing === undefined || isUsedUp(context, task, view, key)) return undefined;
  const cut = arrivingCut(view);
  if (cut === undefined || mayBeLatest(context, cut, key, view) || keepsOthers(task, view, key)) return undefined;
  const fix = kind === 'insert' ? deleteFix(context, replacing, view) : dynamicFix(context, replacing);
  return {
    at: placeOf(replacing, replacing.statement.head),
    message: messageFor(tableLabel(view, target)),
    subject: writeSubject(view, key),
    restsOn: [view],
    related: [{ message: 'one interval is read here', at: placeOf(view, cut.conjunct) }],
    fixes: fix ? [fix] : [],
  };
}

/** Below the bucket or the root: a folder that only the run knows may well be that of the interval. */
const mayNamePart = /^(?:\w+:\/\/)?[^/]*\/.*\{/;

/** What MERGE does with the rows of the target that the source does not bring is done to those of all other intervals too. */
function ofMerge(context: LintContext, task: TaskView, view: StatementView, key: string): RuleFinding | undefined {
  const branch = view.statement.branches.find(
    ({ action, matched, condition }) =>
      matched === 'not-matched-by-source' &&
      (action === 'delete' || action === 'update') &&
      !condition.some((one) => mayBound(view, one)),
  );
  const cut = branch && arrivingCut(view);
  if (branch === undefined || cut === undefined || isUsedUp(context, task, view, key)) return undefined;
  if (mayBeLatest(context, cut, key, view)) return undefined;
  const table = view.statement.target === undefined ? key : tableLabel(view, view.statement.target);
  const does = branch.action === 'delete' ? 'deletes' : 'changes';
  return {
    at: placeOf(view, branch.actionSpan),
    message: `The source brings one interval, so every run ${does} the rows that ${table} has of all the others: they are matched by no row of it.`,
    subject: writeSubject(view, key),
    restsOn: [view],
    related: [{ message: 'one interval is read here', at: placeOf(view, cut.conjunct) }],
    fixes: [],
  };
}

/** It depends on the interval, or on what is not known before the run. */
const mayBound = (view: StatementView, condition: SqlExpression): boolean =>
  isOfRun(view, condition) ||
  holesIn(view, condition).length > 0 ||
  within(condition).some(({ kind }) => /^(?:subquery|exists|in|opaque)$/.test(kind));

const messageFor = (table: string): string =>
  `${table} is replaced whole by the rows of one interval, so every run erases those of all the others.`;

/** What takes the other intervals' rows away: the statement itself, or one that empties the table right before it. */
function replacer(context: LintContext, task: TaskView, view: StatementView, key: string): StatementView | undefined {
  const { kind, partition, ifNotExists, orReplace } = view.statement;
  const dropped = (): StatementView | undefined =>
    task.statements.find((other) => other.order < view.order && dropsWhole(other, key)) ??
    context.runEarlier(task, key).find((other) => dropsWhole(other, key) && isAlways(context, other, task));
  switch (kind) {
    case 'insert_overwrite':
      return (partition ?? 'none') === 'none' && !isDynamic(context, task, view, key) ? view : undefined;
    case 'create_table_as':
      return ifNotExists ? undefined : orReplace || dropped() !== undefined ? view : undefined;
    case 'insert':
      return dropped();
    default:
      return undefined;
  }
}

const isAlways = (context: LintContext, other: StatementView, task: TaskView): boolean =>
  context.together(other.task.id, task.task.id) === 'always';

/** Hive replaces by partitions what has any, and Spark does so for Hive's tables or where it is told to. */
function isDynamic(context: LintContext, { task }: TaskView, { sql }: StatementView, key: string): boolean {
  if (overwritesOf(sql) !== 'static') return true;
  if (/hive/i.test(task.operator) || /partitionOverwriteMode\W+(?:=\s*)?\W*dynamic/i.test(sql.source.text)) return true;
  if (task.arguments.some(({ valueAt }) => /partitionOverwriteMode\W+dynamic/i.test(textAt(context, valueAt))))
    return true;
  // A stand-alone file runs on whatever it is sent to.
  return task.operator === 'sql-file' && (context.table(key)?.partitionedBy.length ?? 0) > 0;
}

/** A table that the same run fills and then reads, moves or drops holds what the run needs, and nothing else. */
function isUsedUp(context: LintContext, task: TaskView, view: StatementView | undefined, key: string): boolean {
  if (isStagingName(key)) return true;
  const later = [
    ...task.statements.filter(({ order }) => view !== undefined && order > view.order),
    ...context.runLater(task, key),
    ...context.readLater(task, key),
  ];
  const uses = (other: StatementView): boolean =>
    moves(other, key) ||
    dropsWhole(other, key) ||
    (!writesTo(other, key) && other.statement.reads.some((read) => sameTable(tableKey(other, read), key)));
  return (
    later.some(uses) ||
    context.tasks.some(
      (other) =>
        context.isBefore(task, other) &&
        other.task.accesses.some(
          (access) => access.direction === 'read' && sameTable(accessedTable(access) ?? '', key),
        ),
    )
  );
}

/** The newest state of something, taken from where each day has its own: no table that holds one day beside another. */
const mayBeLatest = (context: LintContext, { column }: ArrivingCut, key: string, view?: StatementView): boolean =>
  snapshotColumn.test(column) &&
  (context.table(key)?.partitionedBy.length ?? 0) === 0 &&
  (view?.sql.composed?.partitionedBy.length ?? view?.statement.partitionedBy.length ?? 0) === 0 &&
  !context.isSliced(key);

const snapshotColumn =
  /^(?:ds|dt|p_?date|(?:snapshot|snap|as_?of|partition|load|loaded|extract|extracted|batch|ingest|ingestion|file|version|effective|process|processing)_?(?:date|day|dt|ds|on|at|time)?)$/;

/** It brings the other intervals' rows back itself, from the table as it was. */
const keepsOthers = (task: TaskView, view: StatementView, key: string): boolean =>
  view.statement.reads.some((read) => sameTable(tableKey(view, read), key)) ||
  task.statements.some(
    (other) =>
      other !== view &&
      /^(?:insert|insert_overwrite|merge)$/.test(other.statement.kind) &&
      writesTo(other, key) &&
      arrivingCut(other) === undefined,
  );

/** The DELETE of the interval's own rows in place of what takes all of them. */
function deleteFix(context: LintContext, replacing: StatementView, insert: StatementView): Fix | undefined {
  const { statement } = replacing;
  const deletion = sliceDeletion(insert);
  if (deletion === undefined || replacing.sql !== insert.sql || statement.targets.length !== 1) return undefined;
  const [target] = statement.targets;
  if (target === undefined || (statement.kind !== 'truncate' && statement.kind !== 'delete')) return undefined;
  const newText = `DELETE FROM ${sourceText(replacing, target)} WHERE ${deletion.condition}`;
  const edits = editSql(context, replacing, [{ start: statement.start, end: endOf(replacing), newText }]);
  return edits && { title: "Delete the interval's own rows only", edits, preferred: true };
}

/** The mode in which a frame that is laid out by columns replaces only the partitions that it has rows for. */
function dynamicFix(context: LintContext, view: StatementView): Fix | undefined {
  if (view.statement.kind !== 'insert_overwrite' || (view.sql.composed?.partitionedBy.length ?? 0) === 0)
    return undefined;
  const at = placeOf(view, view.statement.head);
  if (!/^mode\s*\(/.test(textAt(context, at))) return undefined;
  const edits = [
    { file: at.file, start: at.end, end: at.end, newText: '.option("partitionOverwriteMode", "dynamic")' },
  ];
  return { title: 'Replace only the partitions that get rows', edits, preferred: true };
}

const endOf = (view: StatementView): number => {
  const text = sourceText(view, view.statement);
  return view.statement.start + text.replace(/[\s;]+$/, '').length;
};

/** A call or an operator that replaces the table, of rows that a query or a path of one interval gives. */
function ofAccess(context: LintContext, task: TaskView, access: TableAccess): RuleFinding | undefined {
  const table = accessedTable(access);
  const { mode } = access;
  if (access.direction !== 'write' || mode?.value !== 'full_replace' || access.partition !== undefined)
    return undefined;
  if (table === undefined || table.includes('{{') || isUsedUp(context, task, undefined, table)) return undefined;
  const isDated = (context.table(table)?.partitionedBy.length ?? 0) > 0 || context.isSliced(table);
  const cut = takesResult.test(access.by) ? cutBefore(task) : undefined;
  const partitioning = task.task.arguments.find(({ name }) => name === 'time_partitioning');
  const path = task.task.arguments.find(
    ({ name, valueAt }) => sourceArgument.test(name) && templateTimes(context, valueAt).length > 0,
  );
  const byQuery = cut !== undefined && (isDated || !mayBeLatest(context, cut, table));
  if (!byQuery && (path === undefined || !(isDated || partitioning !== undefined))) return undefined;
  const fix = partitionFix(context, task, partitioning !== undefined);
  return {
    at: mode.at ?? access.at,
    message: messageFor(table),
    subject: `${task.task.id} writes ${table}`,
    related: path === undefined ? [] : [{ message: 'one interval is read here', at: path.at }],
    fixes: fix ? [fix] : [],
  };
}

/** Calls and operators whose rows are those of the query that the task sends, rather than of another table. */
const takesResult = /to_sql|to_gbq|from_dataframe|write_pandas|InsertJobOperator|BigQuery(?:ExecuteQuery)?Operator/;

const sourceArgument = /source|object|key|prefix|path|file|uri|glob/i;

const cutBefore = ({ statements }: TaskView): ArrivingCut | undefined => {
  const selects = statements.filter(({ statement }) => statement.kind === 'select');
  return selects.length === 1 && selects[0] !== undefined ? arrivingCut(selects[0]) : undefined;
};

/** BigQuery: the day's own partition, named behind the table. */
function partitionFix(context: LintContext, { task, pipeline }: TaskView, isByDay: boolean): Fix | undefined {
  const table = task.arguments.find(({ name }) => /^destination_(?:project_)?dataset_table$/.test(name));
  const partitioning = task.arguments.find(({ name }) => name === 'time_partitioning');
  if (table === undefined || partitioning === undefined || !isByDay) return undefined;
  const schedule = pipeline.schedule.value;
  const isDaily = schedule.kind === 'cron' && /^(?:@daily|\S+ \S+ \* \* \*)$/.test(schedule.expression);
  const text = textAt(context, table.valueAt);
  if (!isDaily || !/["']DAY["']/.test(textAt(context, partitioning.valueAt)) || !/^(["'])[\w.:-]+\1$/.test(text))
    return undefined;
  const at = table.valueAt.end - 1;
  return {
    title: "Replace the day's partition only",
    edits: [{ file: table.valueAt.file, start: at, end: at, newText: '$' + '{{ ds_nodash }}' }],
    preferred: true,
  };
}

export default {
  id: 'whole-target-overwrite',
  severity: 'error',
  summary: 'A table that is replaced whole by the rows of one interval',
  help: "Replace the interval's part only: DELETE by the same bounds, a partition (`PARTITION (day = …)`, `table$20240301`), dynamic mode, a bound in the branch of a MERGE.",
  supersedes: ['missing-interval-filter', 'delete-insert-range-mismatch'],
  provable: 'second run',
  check,
} satisfies Rule;
