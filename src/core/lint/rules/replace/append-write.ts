import { isJournalName } from '../../../lineage/facts/table-roles.ts';
import { accessedTable } from '../../../lineage/tasks/access-facts.ts';
import { type Conditioned, coveredBy, excludes } from '../../../pipeline/model/condition.ts';
import type { TableAccess, Unread } from '../../../pipeline/model/table-access.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { clearsFolder } from '../../reruns/clears-folder.ts';
import { isEmptiedFor, mayBeEmptiedFor, readsBefore } from '../../reruns/emptied-for.ts';
import { insertGuard } from '../../reruns/insert-guard.ts';
import { runsAgain } from '../../reruns/runs-again.ts';
import { deduplicatedByView, guardedByTable, guardedFromRows } from '../../reruns/table-guard.ts';
import {
  isKnownTable,
  placeOf,
  type StatementView,
  sameTable,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
} from '../../source/statement-view.ts';

/** A second run adds the same rows to a table that no INSERT wrote: calls append where they are told nothing. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const access of task.task.accesses) {
      const table = appendedTable(access);
      const unnamed = table === undefined ? appendsUnnamed(context, task, access) : undefined;
      if (unnamed !== undefined) yield unnamed;
      if (
        table === undefined ||
        table === '?' ||
        isJournalName(table) ||
        remembersCopies.test(access.by) ||
        isReplaced(context, task, access, table)
      )
        continue;
      if (isEmptiedFor(context, task, access, table) || looksFirst(task, access, table)) continue;
      if (guardedFromRows(context, table, !unenforced.test(`${access.by} ${task.task.operator}`))) continue;
      const unless = mayBeEmptiedFor(context, task, access, table);
      const silent = access.mode?.at === undefined ? `, which ${access.by} does unless it is told otherwise` : '';
      yield {
        // A default stands nowhere: the call or the operator has it.
        at: access.mode?.at ?? (access.by === task.task.operator ? task.task.at : access.at),
        severity: runsAgain(task) && unless === undefined ? 'error' : 'warning',
        message: `A second run of the same interval adds the same rows to ${table} again${silent}${unless === undefined ? '' : `, unless ${unless}`}: nothing ${unless === undefined ? '' : 'else '}in the run empties the table or the interval's part of it.`,
        subject: `${task.task.id} writes ${table}`,
      };
    }
    for (const view of task.statements) {
      yield* loads(context, task, view);
      yield* addsFrame(context, task, view);
    }
  }
}

const appendedTable = (access: TableAccess): string | undefined =>
  access.direction === 'write' && access.mode?.value === 'append' ? accessedTable(access) : undefined;

/**
 * To a table that only the run knows, where nothing of the run empties, replaces or hides anything, so that nothing empties
 * this one either.
 */
function appendsUnnamed(context: LintContext, task: TaskView, access: TableAccess): RuleFinding | undefined {
  if (access.direction !== 'write' || access.mode?.value !== 'append' || accessedTable(access) !== undefined)
    return undefined;
  const appends = ({ direction, mode }: TableAccess): boolean => direction === 'read' || mode?.value === 'append';
  if (!runsAgain(task) || context.emptiesAnything() || mayBeEmptiedFor(context, task, access, '?') !== undefined)
    return undefined;
  if (!context.tasks.every((other) => other.task.accesses.every(appends) && other.task.unread.every(isOfTables)))
    return undefined;
  return {
    at: access.mode.at ?? (access.by === task.task.operator ? task.task.at : access.at),
    severity: 'warning',
    message: `A second run of the same interval adds the same rows again to the table that ${access.by} writes, unless that table, which only the run knows, keeps them out by a key of its own: nothing in the run empties anything.`,
    subject: `${task.task.id} appends at ${access.at.start}`,
  };
}

/** A name that is not known, of something that is: no work of which nothing is known. */
const isOfTables = ({ hides }: Unread): boolean => hides === 'table';

/** `if session.query(Order).get(id) is None: session.add(…)`: Python asks the table and then adds under a condition. */
const looksFirst = ({ task }: TaskView, access: TableAccess, table: string): boolean =>
  (access.conditions ?? []).length > 0 && readsBefore(task.accesses, access, table);

/** Operators that send the COPY INTO of an engine that remembers a table's loaded files; FORCE is said as that. */
const remembersCopies = /^(?:\w*ToSnowflakeOperator|DatabricksCopyIntoOperator)$/;

/** Engines that take a key for a hint. */
const unenforced = /redshift|snowflake|bigquery|gbq|gcs|spark|databricks|glue|athena|hive/i;

const replacesTable = (other: TableAccess, table: string): boolean =>
  other.direction === 'write' &&
  (other.mode?.value === 'full_replace' || other.mode?.value === 'insert_overwrite') &&
  sameTable(accessedTable(other) ?? '', table);

/** The code makes the table anew before it loads the first part of what it loads in parts. */
const isReplacedFirst = ({ task }: TaskView, load: Conditioned, table: string): boolean => {
  const own = task.accesses.filter((other) => replacesTable(other, table) && !excludes(other, load));
  return (
    own.length > 0 &&
    (coveredBy(load, own) || own.some(({ conditions = [] }) => conditions.some(({ text }) => ofFirst.test(text))))
  );
};

/** `if i == 0:`, `if first:`, `if if_exists == "replace":` */
const ofFirst = /\b(?:i|n|idx|index|chunk\w*|part\w*|page|batch)\s*==\s*0\b|\b(?:is_)?first\b|\bif_exists\b/;

/** Another write of the task, or of one before it, replaces the table: the first chunk, or a load that is made anew. */
function isReplaced(context: LintContext, task: TaskView, access: TableAccess, table: string): boolean {
  const replaces = (other: TableAccess): boolean => other !== access && replacesTable(other, table);
  const own = task.task.accesses.filter((other) => replaces(other));
  // `if first: replace else: append` is one loop over one load.
  if (own.length > 0 && (coveredBy(access, own) || own.some((other) => excludes(other, access)))) return true;
  return context.tasks.some(
    (other) =>
      other !== task &&
      context.isBefore(other, task) &&
      context.together(other.task.id, task.task.id) === 'always' &&
      other.task.accesses.some(replaces),
  );
}

/** COPY and LOAD of files; engines that remember which files they have loaded are silent. */
function* loads(context: LintContext, task: TaskView, view: StatementView): Generator<RuleFinding> {
  const { kind, copyDirection, conflict, target } = view.statement;
  const adds = (kind === 'copy' && copyDirection === 'from') || (kind === 'load' && conflict === undefined);
  if (!adds || target === undefined || !isKnownTable(view, target) || remembersFiles(view)) return;
  const key = tableKey(view, target);
  if (isJournalName(key) || view.pipeline.format === 'sql-file' || replacesPart(view)) return;
  if (isReplacedFirst(task, view.sql, key)) return;
  const guard = insertGuard(context, task, view, key);
  if (guard?.kind === 'sure' || guardedByTable(context, view, key)) return;
  yield {
    at: view.sql.sentBy ?? placeOf(view, view.statement.head),
    severity: runsAgain(task) && guard === undefined ? 'error' : 'warning',
    message: `A second run of the same interval loads the same rows into ${tableLabel(view, target)} again${guard?.kind === 'unless' ? `, unless ${guard.unless}` : ''}: this statement adds to what is there.`,
    subject: `${task.task.id} writes ${key}`,
  };
}

/** Rows of a frame of Spark that are added to a table or to files, which know no key. */
function* addsFrame(context: LintContext, task: TaskView, view: StatementView): Generator<RuleFinding> {
  const { kind, target, head } = view.statement;
  if (kind !== 'insert' || view.sql.composed === undefined || target === undefined || !isKnownTable(view, target))
    return;
  const key = tableKey(view, target);
  if (isJournalName(key) || deduplicatedByView(context, key)) return;
  const guard = insertGuard(context, task, view, key);
  const at = placeOf(view, head);
  if (guard?.kind === 'sure' || clearsFolder(context, at)) return;
  yield {
    at,
    severity: runsAgain(task) && guard === undefined ? 'error' : 'warning',
    message: `A second run of the same interval adds the same rows to ${tableLabel(view, target)} again${guard?.kind === 'unless' ? `, unless ${guard.unless}` : ''}: nothing ${guard === undefined ? '' : 'else '}in the run empties it or the interval's part of it.`,
    subject: writeSubject(view, key),
    restsOn: [view],
  };
}

/** Snowflake keeps a table's loaded files for 64 days, Databricks for good. */
const remembersFiles = ({ sql, task }: StatementView): boolean =>
  sql.dialect === 'snowflake' || sql.dialect === 'spark' || /databricks|snowflake/i.test(task.operator);

/** `LOAD DATA OVERWRITE`, and an INPATH that is moved away. */
const replacesPart = ({ sql, statement }: StatementView): boolean =>
  statement.kind === 'load' &&
  /^\s*load\s+data\s+(?:overwrite|.*?\boverwrite\s+into\b)/is.test(
    sql.masked.text.slice(statement.start, statement.head.end),
  );

export default {
  id: 'append-write',
  severity: 'error',
  summary: 'Rows that are appended without an INSERT, to a table that nothing of the same run empties',
  help: "Delete the interval's rows in the same transaction, replace its partition, or load into a stage and upsert from there.",
  supersedes: [],
  provable: 'second run',
  check,
} satisfies Rule;
