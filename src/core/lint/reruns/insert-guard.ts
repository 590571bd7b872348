import { findsOwnRows } from '../../lineage/own-rows/finds-own-rows.ts';
import { putInBehind } from '../../lineage/own-rows/put-in-behind.ts';
import { isRetentionDelete } from '../../lineage/writes/retention-delete.ts';
import { partitionParent } from '../../lineage/writes/task-statements.ts';
import { coveredBy } from '../../pipeline/model/condition.ts';
import { filtersOf } from '../../sql/model/sql-search.ts';
import { escapePattern } from '../../text/escape-pattern.ts';
import type { SourceSpan, Span } from '../../text/span.ts';
import type { LintContext } from '../context/lint-context.ts';
import {
  placeOf,
  type StatementView,
  sameTable,
  sourceText,
  type TaskView,
  tableKey,
  writesTo,
} from '../source/statement-view.ts';
import { atomicity } from '../source/transaction.ts';
import { comparesWithTarget, readsTargetAsGuard } from './anti-join-guard.ts';
import {
  fetchesOnce,
  marksWhatIsRead,
  marksWhatWasFetched,
  readsBehindMark,
  savedMark,
  takesOut,
} from './consumed-source.ts';
import { lookedBefore } from './looked-before.ts';
import { nestedDeletes } from './nested-deletes.ts';
import { runTogether, unlessInWords } from './run-together.ts';
import { keyMadeAnew } from './table-guard.ts';

/** What keeps a second run from adding rows twice: in every run, or `unless` something is so that only a run knows. */
export type InsertGuard =
  | { readonly kind: 'sure' }
  /** It adds what differs from the open row of the target, which nothing in the run ends. */
  | { readonly kind: 'compared' }
  /** ClickHouse makes one of the rows with the same sorting key, at a time of its own. */
  | { readonly kind: 'merged' }
  | { readonly kind: 'unless'; readonly unless: string };

const sure: InsertGuard = { kind: 'sure' };

/**
 * Why a second run of this INSERT adds no row twice: something of the same run empties its target, or the INSERT
 * itself leaves out what is there. `undefined` when nothing does.
 */
export function insertGuard(
  context: LintContext,
  task: TaskView,
  view: StatementView,
  key: string,
): InsertGuard | undefined {
  const meets = view.statement.conflict !== undefined && keyMadeAnew(context, view, key) === undefined;
  if (meets || usesUpItsSource(context, view)) return sure;
  const columns = context.table(key)?.columns.map(({ name }) => name) ?? [];
  const looks = readsTargetAsGuard(context, view, key);
  if (looks && findsOwnRows(view.statement, view.sql.source.text, columns) === false) return undefined;
  if (looks || takesOut(context, task, view) !== undefined) return sure;
  const own = task.statements.filter((other) => other !== view && runTogether(context, other, view) !== 'never');
  if (own.some((other) => other.order < view.order && clearsSource(context, other, view, key))) return sure;
  const behind = readsBehindMark(task.statements, view);
  if (behind?.isSetBack === true)
    return { kind: 'unless', unless: `it is the newest one (${behind.mark} is set back to the interval that is run)` };
  if (behind !== undefined) return sure;
  if (own.some((other) => marksWhatIsRead(task.statements, other, view))) return sure;
  // Code that updates a row and inserts it where there was none: the condition is Python's.
  if (isByRow(view) && own.some((other) => other.statement.kind === 'update' && writesTo(other, key))) return sure;
  if (isByRow(view) && (marksWhatWasFetched(task.statements, view) || fetchesOnce(task.statements, view))) return sure;
  if (looksFirst(own, view, key)) return sure;
  const emptying = own.filter(
    (other) =>
      empties(other, key) || deletesSameRows(other, view, key) || moves(other, key) || mergesAway(other, view, key),
  );
  if (
    emptying.length > 0 &&
    coveredBy(
      view.sql,
      emptying.map(({ sql }) => sql),
    )
  )
    return sure;
  const written = context.factsOf(task)?.writes.find(({ table }) => sameTable(table, key));
  if (written?.partEmptied === true) return sure;
  if (written?.doneBy?.certainty === 'sure') return sure;
  if (written?.doneBy !== undefined)
    return {
      kind: 'unless',
      unless: `${written.doneBy.what}, which it asks before, tells of what a first run has added`,
    };
  if (written?.mayEmpty !== undefined)
    return { kind: 'unless', unless: `${written.mayEmpty}, which it empties, is the partition that holds them` };
  const earlier = context.runEarlier(task, key);
  if (comparesWithTarget(view, key)) {
    const ends = [...own, ...earlier].some(
      ({ statement }) => statement.kind === 'update' || statement.kind === 'merge',
    );
    return ends ? sure : { kind: 'compared' };
  }
  const before = earlier.filter((other) => empties(other, key));
  if (before.some((other) => runTogether(context, other, view) === 'always')) return sure;
  const operators = context.emptyingBefore(task, key).filter((other) => emptiesByOperator(other, key));
  if (operators.some((other) => context.together(other.task.id, task.task.id) === 'always')) return sure;
  if (context.runLater(task, key).some((other) => moves(other, key) || dropsWhole(other, key))) return sure;
  const moved = movedOut(context, task, view, key);
  if (moved !== undefined) return moved;
  const merging = mergedByEngine(context, task, view, key);
  if (merging !== undefined) return merging;
  const sometimes = [...emptying, ...before].filter((other) => runTogether(context, other, view) !== 'never');
  return sometimesGuarded(context, task, view, key, sometimes, operators);
}

/** It adds only what its target has not got, by itself or by way of a working table of its task. */
export const leavesOutWhatIsThere = (
  context: LintContext,
  { statements }: Pick<TaskView, 'statements'>,
  view: StatementView,
  key: string,
): boolean =>
  readsTargetAsGuard(context, view, key) ||
  statements.some((other) => other.order < view.order && clearsSource(context, other, view, key));

/**
 * ClickHouse: a Set holds each value once, a ReplacingMergeTree one row for each sorting key as soon as it has merged its
 * parts, which OPTIMIZE … FINAL has it do at once.
 */
function mergedByEngine(
  context: LintContext,
  task: TaskView,
  view: StatementView,
  key: string,
): InsertGuard | undefined {
  const engine = context.engineOf(key)?.toLowerCase();
  if (engine === 'set') return sure;
  const optimizes = task.statements.some(
    (other) =>
      other.order > view.order &&
      optimizesFinal.exec(sourceText(other, other.statement))?.[1] !== undefined &&
      sameTable((optimizesFinal.exec(sourceText(other, other.statement))?.[1] ?? '').toLowerCase(), key),
  );
  if (engine === undefined)
    return optimizes
      ? { kind: 'unless', unless: 'its ENGINE, of which no definition is at hand, has OPTIMIZE … FINAL merge them' }
      : undefined;
  if (!engine.endsWith('replacingmergetree')) return undefined;
  return optimizes ? sure : { kind: 'merged' };
}

const optimizesFinal = /^\s*optimize\s+table\s+([\w.]+)[^;]*\bfinal\b/i;

/** Values that Python brings along. */
const isByRow = ({ statement, sql }: StatementView): boolean => statement.valueRows > 0 && sql.session !== undefined;

/** A comparison with what Python has found out, and no time of the run's: `id > {last}`. */
const isCutByPython = ({ statement, sql }: StatementView): boolean =>
  sql.session !== undefined &&
  filtersOf(statement).some(
    ({ conjunct }) =>
      conjunct.kind === 'binary' &&
      /^[<>]=?$/.test(conjunct.operator) &&
      [conjunct.left, conjunct.right].some(
        (side) => side.kind === 'hole' && sql.masked.holes[side.hole]?.value.kind === 'unknown',
      ),
  );

/** Snowflake: a statement that writes moves the stream on which it reads, so a second run finds nothing in it. */
const usesUpItsSource = (context: LintContext, view: StatementView): boolean =>
  view.statement.reads.some((read) => context.isStream(tableKey(view, read))) ||
  (view.sql.dialect === 'snowflake' &&
    /\bmetadata\$(?:action|isupdate|row_id)\b/i.test(sourceText(view, view.statement)));

/** What may keep rows from coming twice, in some runs. */
function sometimesGuarded(
  context: LintContext,
  task: TaskView,
  view: StatementView,
  key: string,
  emptying: readonly StatementView[],
  operators: readonly TaskView[],
): InsertGuard | undefined {
  const [first] = emptying;
  if (first !== undefined) return { kind: 'unless', unless: unlessInWords(context, first, view) };
  const clause = putInBehind(view.sql.masked, view.statement);
  if (clause !== undefined) return { kind: 'unless', unless: `${clause} behind it keeps them out` };
  const skipped = operators.find((other) => context.together(other.task.id, task.task.id) === 'sometimes');
  if (skipped !== undefined) return { kind: 'unless', unless: `task "${skipped.task.name}" is not skipped` };
  const looking = context.deciders(task).find((other) => other.statements.some((one) => readsTable(one, key)));
  if (looking !== undefined)
    return { kind: 'unless', unless: `task "${looking.task.name}", which looks into the table, runs again too` };
  const looked = isByRow(view) || isCutByPython(view) ? lookedBefore(context, task, key, view) : undefined;
  if (looked !== undefined) return { kind: 'unless', unless: looked };
  const mark = isByRow(view) ? savedMark(task.statements, view) : undefined;
  if (mark !== undefined)
    return { kind: 'unless', unless: `the mark that it keeps in ${mark}, behind which it reads, has moved past them` };
  const called = task.statements.find(
    (other) =>
      other.order < view.order && clearing(other) !== undefined && runTogether(context, other, view) !== 'never',
  );
  if (called !== undefined)
    return { kind: 'unless', unless: `${clearing(called)}(…), which is called before it, takes them out` };
  const any = context.emptyingAny(task).find((other) => runTogether(context, other, view) !== 'never');
  if (any === undefined) {
    const hidden = hiddenBefore(context, task, placeOf(view, view.statement));
    return hidden === undefined ? undefined : { kind: 'unless', unless: hidden };
  }
  const { kind } = any.statement;
  return {
    kind: 'unless',
    unless: `the ${kind.toUpperCase()} of task "${any.task.name}", whose table only the run knows, means this one`,
  };
}

/**
 * What runs before it and may empty any table: SQL of the task itself that is not known, unless it stands behind the
 * place in the same file, or a task before it, which sends such SQL, or is named for clearing and runs code that is
 * not known.
 */
export function hiddenBefore(context: LintContext, task: TaskView, at: SourceSpan): string | undefined {
  const own = task.task.unread.find(
    (other) => other.hides === 'statement' && (other.at.file !== at.file || other.at.start < at.start),
  );
  if (own !== undefined) return 'a statement of the same task, which is not known, empties it';
  for (const other of context.tasks) {
    const { unread, name } = other.task;
    const sends = unread.some(({ hides }) => hides === 'statement');
    if (!sends && !(clears.test(name) && unread.some(({ hides }) => hides === 'code' || hides === 'effect'))) continue;
    if (other === task || !context.isBefore(other, task)) continue;
    if (context.together(other.task.id, task.task.id) === 'never') continue;
    return `task "${name}", ${sends ? 'whose SQL is not known' : 'of which not all is known'}, empties it`;
  }
  return undefined;
}

const clears = /(?:^|[._-])(?:clean|clear|reset|trunc|delet|drop|purg|wipe|recreat|rebuild)/i;

/** A routine that is called and whose name says that it takes rows away; which ones, only its body tells. */
const clearing = (view: StatementView): string | undefined =>
  view.statement.kind === 'select' || view.statement.kind === 'other'
    ? /([\w.]*(?:clear|delete|truncate|purge|remove|wipe)\w*)\s*\(/i.exec(sourceText(view, view.statement))?.[1]
    : undefined;

/** Python that asks the table first and inserts under a condition, or returns before it. */
const looksFirst = (own: readonly StatementView[], view: StatementView, key: string): boolean =>
  (view.sql.conditions ?? []).length > 0 &&
  own.some((other) => other.order < view.order && other.statement.kind === 'select' && readsTable(other, key));

const readsTable = (view: StatementView, key: string): boolean =>
  view.statement.reads.some((read) => sameTable(tableKey(view, read), key));

/** DELETE, TRUNCATE, DROP or a CREATE that is not conditional; also a DELETE inside another statement's WITH. */
export function empties(view: StatementView, key: string): boolean {
  const { statement } = view;
  switch (statement.kind) {
    case 'delete':
      return writesTo(view, key) && !isRetentionDelete(statement);
    case 'truncate':
    case 'drop':
    case 'create_table_as':
    case 'insert_overwrite':
    case 'insert_replace_where':
      return writesTo(view, key);
    case 'create_table':
      if (!statement.ifNotExists && isPartitionOf(view, key)) return true;
      return writesTo(view, key) && (!statement.ifNotExists || statement.temporary);
    case 'alter_partition':
      return writesTo(view, key) && /\b(drop|truncate|detach)\b/i.test(sourceText(view, statement));
    case 'alter':
      return mutates(view, key);
    case 'do':
    case 'other':
      return nestedDeletes(view, key);
    default:
      return false;
  }
}

/** ClickHouse: `ALTER TABLE t DELETE WHERE …`. */
export const mutates = (view: StatementView, key: string): boolean =>
  (view.statement.kind === 'alter' || view.statement.kind === 'delete') &&
  writesTo(view, key) &&
  /^\s*alter\b[\s\S]*\bdelete\s+(?:in\s+partition\s+\S+\s+)?where\b/i.test(sourceText(view, view.statement));

/** Postgres: a partition that is made anew is empty, and so is that part of its table. */
const isPartitionOf = ({ sql, statement }: StatementView, key: string): boolean => {
  const parent = partitionParent(sql.source.text, statement);
  return parent !== undefined && sameTable(parent, key);
};

const emptyingOperator = /delete|truncate|drop|clear|clean|empty/i;

/** An operator whose name says that it empties what one of its arguments names, or a command that holds such SQL. */
export function emptiesByOperator({ task }: TaskView, key: string): boolean {
  const sql = new RegExp(
    `\\b(delete\\s+from|truncate(\\s+table)?|drop\\s+table(\\s+if\\s+exists)?)\\s+["\`]?${escapePattern(key)}\\b`,
    'i',
  );
  return task.arguments.some(({ value, name }) => {
    if (value.kind !== 'literal' || typeof value.value !== 'string') return false;
    const names =
      emptyingOperator.test(task.operator) && name !== 'task_id' && sameTable(value.value.toLowerCase(), key);
    return names || sql.test(value.value);
  });
}

/**
 * A DELETE behind the INSERT takes what it has copied out of the table that it was copied from, which nothing of the run fills:
 * a second run finds none of it, unless only the copying is done again.
 */
function movedOut(context: LintContext, task: TaskView, view: StatementView, key: string): InsertGuard | undefined {
  for (const read of view.statement.reads) {
    const source = tableKey(view, read);
    if (sameTable(source, key)) continue;
    const behind = [...task.statements.filter(({ order }) => order > view.order), ...context.runLater(task, source)];
    const taking = behind.find((other) => deletesSameRows(other, view, source));
    if (taking === undefined || runTogether(context, view, taking) === 'never') continue;
    const before = [...task.statements.filter(({ order }) => order < view.order), ...context.runEarlier(task, source)];
    if (before.some((other) => other.statement.kind !== 'delete' && writesTo(other, source))) continue;
    if (taking.task === view.task && atomicity(task.statements, view, taking).kind === 'one-transaction') return sure;
    return { kind: 'unless', unless: `the DELETE behind it has taken them out of ${read.name}` };
  }
  return undefined;
}

/** A DELETE by the very predicates of the INSERT replaces its rows, also where the range is open to the past. */
export function deletesSameRows(other: StatementView, view: StatementView, key: string): boolean {
  if (other.statement.kind !== 'delete' || other.statement.where.length === 0 || !writesTo(other, key)) return false;
  const plain = (of: StatementView, span: Span): string =>
    sourceText(of, span)
      .replace(/\s+/g, ' ')
      .replace(/\b\w+\./g, '')
      .toLowerCase();
  const filters = new Set(filtersOf(view.statement).map(({ conjunct }) => plain(view, conjunct)));
  return other.statement.where.every((conjunct) => filters.has(plain(other, conjunct)));
}

/** `MERGE INTO t USING s … WHEN MATCHED THEN DELETE` before an INSERT out of `s`: the rows that come are taken out by their key. */
const mergesAway = (other: StatementView, view: StatementView, key: string): boolean =>
  other.statement.kind === 'merge' &&
  other.order < view.order &&
  writesTo(other, key) &&
  /\bwhen\s+matched\s+(?:and\b[\s\S]*)?then\s+delete\b/i.test(sourceText(other, other.statement)) &&
  other.statement.reads.some((read) => readsTable(view, tableKey(other, read)));

/** Takes the whole table somewhere else: renamed, swapped, exchanged or attached, so that each run fills a fresh one. */
export const moves = (view: StatementView, key: string): boolean => {
  const { kind, renamedTo } = view.statement;
  if (!/^(rename|alter_rename|alter_swap|alter_append|alter_partition)$/.test(kind)) return false;
  if (writesTo(view, key) && kind !== 'alter_partition') return true;
  if (renamedTo !== undefined && sameTable(renamedTo.name, key)) return true;
  return (
    kind === 'alter_partition' &&
    /\b(attach|exchange|move)\b/i.test(sourceText(view, view.statement)) &&
    mentions(view, key)
  );
};

export const dropsWhole = (view: StatementView, key: string): boolean => {
  const { kind, where } = view.statement;
  return writesTo(view, key) && (kind === 'drop' || kind === 'truncate' || (kind === 'delete' && where.length === 0));
};

const mentions = (view: StatementView, key: string): boolean =>
  new RegExp(`(^|[^\\w.])${escapePattern(key)}($|[^\\w.])`, 'i').test(
    sourceText(view, view.statement).replace(/["`]/g, ''),
  );

/**
 * An earlier statement takes out of the INSERT's source what the target has already: a DELETE from a working table, or
 * a working table that was filled through an anti-join.
 */
function clearsSource(context: LintContext, other: StatementView, view: StatementView, key: string): boolean {
  const sources = view.statement.reads.map((read) => tableKey(view, read));
  if (!sources.some((source) => !sameTable(source, key) && writesTo(other, source))) return false;
  if (other.statement.kind !== 'delete') return readsTargetAsGuard(context, other, key);
  return other.statement.reads.some((read) => sameTable(tableKey(other, read), key)) || mentions(other, key);
}
