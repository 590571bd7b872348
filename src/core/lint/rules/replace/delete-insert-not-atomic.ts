import { isJournalName, isStagingName } from '../../../lineage/facts/table-roles.ts';
import { isRetentionDelete } from '../../../lineage/writes/retention-delete.ts';
import { usesInterval } from '../../bounds/interval-columns.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { editSql, indentAt, statementEnd } from '../../fixes/sql-edit.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { leavesOutWhatIsThere } from '../../reruns/insert-guard.ts';
import { runTogether } from '../../reruns/run-together.ts';
import { keyThatRefuses } from '../../reruns/table-guard.ts';
import {
  placeOf,
  type StatementView,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
  writesTo,
} from '../../source/statement-view.ts';
import { type Atomicity, atomicity, isCommittedBetween } from '../../source/transaction.ts';

/** A run that fails between the two leaves the slice empty until both have run again. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const first of task.statements) {
      for (const key of emptiedTables(first)) {
        if (!isLasting(task, key)) continue;
        const second = task.statements.find(
          (other) => other.order > first.order && fills(other, key) && runTogether(context, first, other) !== 'never',
        );
        if (second && prunes(context, task, first, second, key)) continue;
        if (second) {
          const found = pairInTask(context, task, first, second, key);
          if (found) yield found;
        } else if (!task.statements.some((other) => fills(other, key))) {
          yield* pairAcrossTasks(context, task, first, key);
        }
      }
    }
  }
}

const emptiedTables = (view: StatementView): readonly string[] => {
  const { kind } = view.statement;
  if (kind !== 'truncate' && (kind !== 'delete' || isRetentionDelete(view.statement))) return [];
  // A mutation of ClickHouse, which has no transactions to put it in.
  if (/^alter\b/i.test(view.sql.source.text.slice(view.statement.start))) return [];
  return view.statement.targets.map((target) => tableKey(view, target));
};

const fills = (view: StatementView, key: string): boolean =>
  (view.statement.kind === 'insert' ||
    view.statement.kind === 'replace' ||
    (view.statement.kind === 'copy' && view.statement.copyDirection !== 'to')) &&
  writesTo(view, key);

/**
 * An upsert, or an INSERT of what is not there, needs no DELETE before it, so one that is not cut by the interval takes away
 * other rows than it writes: what is pruned stays away, whether or not the other follows.
 */
const prunes = (
  context: LintContext,
  task: Pick<TaskView, 'statements'>,
  first: StatementView,
  second: StatementView,
  key: string,
): boolean =>
  first.statement.kind === 'delete' &&
  first.statement.where.length > 0 &&
  !first.statement.where.some((conjunct) => usesInterval(first, conjunct)) &&
  (second.statement.conflict !== undefined ||
    second.statement.kind === 'replace' ||
    leavesOutWhatIsThere(context, task, second, key));

const taskOf = (context: LintContext, view: StatementView): Pick<TaskView, 'statements'> =>
  context.tasks.find(({ task }) => task === view.task) ?? { statements: [view] };

const emptiesWhole = ({ statement }: StatementView): boolean =>
  statement.kind === 'truncate' || statement.where.length === 0;

/** Not a table that the run makes, or fills and uses up, for itself. */
const isLasting = (task: TaskView, key: string): boolean =>
  !isStagingName(key) &&
  !isJournalName(key) &&
  !task.statements.some(
    (view) =>
      /^create_table/.test(view.statement.kind) &&
      (!view.statement.ifNotExists || view.statement.temporary) &&
      writesTo(view, key),
  );

function pairInTask(
  context: LintContext,
  task: TaskView,
  first: StatementView,
  second: StatementView,
  key: string,
): RuleFinding | undefined {
  const found: Atomicity = isCommittedBetween(first, second)
    ? { kind: 'separable', cause: 'commit-between' }
    : atomicity(task.statements, first, second);
  if (found.kind === 'one-transaction') return undefined;
  // A whole rebuild by hand: the next run of the file makes it good, and no slice is left behind.
  if (found.kind === 'unknown' && emptiesWhole(first)) return undefined;
  const autocommit = found.kind === 'separable' && found.cause === 'autocommit' ? autocommitArgument(task) : undefined;
  const fix = found.kind === 'unknown' ? wrapFix(context, task, first, key) : autocommit && turnOffFix(autocommit);
  return {
    at: autocommit?.at ?? placeOf(second, second.statement.head),
    message: messageFor(found, first, key),
    subject: writeSubject(second, key),
    related: [
      { message: 'the rows are deleted here', at: placeOf(first, first.statement.head) },
      ...(autocommit ? [{ message: 'and written here', at: placeOf(second, second.statement.head) }] : []),
    ],
    fixes: fix ? [fix] : [],
  };
}

function messageFor(found: Atomicity, first: StatementView, key: string): string {
  const hole = `a failure between them leaves the rows of ${label(first, key)} deleted until both run again`;
  if (found.kind !== 'separable') return `Unless whoever runs this file opens one transaction around it, ${hole}.`;
  switch (found.cause) {
    case 'autocommit':
      return `The DELETE and the INSERT are committed one by one: ${hole}.`;
    case 'commit-between':
      return `The DELETE is committed before the INSERT runs: ${hole}.`;
    case 'sessions':
      return `The DELETE and the INSERT run in two sessions: ${hole}.`;
    case 'engine':
      return `This engine commits each statement by itself: ${hole}.`;
  }
}

const label = (view: StatementView, key: string): string => {
  const target = view.statement.targets.find((one) => tableKey(view, one) === key);
  return target ? tableLabel(view, target) : key;
};

/** The DELETE in one task, the INSERT in a later one: two sessions. */
function* pairAcrossTasks(
  context: LintContext,
  task: TaskView,
  first: StatementView,
  key: string,
): Generator<RuleFinding> {
  const second = context
    .runLater(task, key)
    .find((other) => fills(other, key) && runTogether(context, first, other) !== 'never');
  if (second === undefined || prunes(context, taskOf(context, second), first, second, key)) return;
  // Emptied as a whole and read by the same run afterwards: filled and used up, so no reader sees the hole.
  const usedUp = context
    .readLater(task, key)
    .some((other) => other.task !== second.task && other.statement.reads.some((read) => tableKey(other, read) === key));
  if (emptiesWhole(first) && usedUp) return;
  // What is left out or refused where it is there comes no second time.
  const { conflict, kind } = second.statement;
  const isKept =
    conflict !== undefined ||
    kind === 'replace' ||
    keyThatRefuses(context, second, key) !== undefined ||
    leavesOutWhatIsThere(context, taskOf(context, second), second, key);
  yield {
    at: placeOf(second, second.statement.head),
    message: `Task "${task.task.name}" deletes these rows of ${label(first, key)} in a session of its own: when this task fails, readers miss them until both have run again${isKept ? '' : ', and clearing this task alone adds its rows once more'}.`,
    subject: writeSubject(second, key),
    related: [{ message: 'the rows are deleted here', at: placeOf(first, first.statement.head) }],
  };
}

interface AutocommitArgument {
  readonly at: { readonly file: string; readonly start: number; readonly end: number };
  readonly valueAt: { readonly file: string; readonly start: number; readonly end: number } | undefined;
}

function autocommitArgument({ task }: TaskView): AutocommitArgument | undefined {
  const argument = task.arguments.find((one) => one.name === 'autocommit');
  if (argument) return argument;
  const at = task.autocommit?.at;
  return at && { at, valueAt: undefined };
}

const turnOffFix = ({ valueAt }: AutocommitArgument): Fix | undefined =>
  valueAt && {
    title: 'Let one transaction hold both statements: autocommit=False',
    edits: [{ ...valueAt, newText: 'False' }],
    preferred: true,
  };

/** BEGIN before the DELETE and COMMIT behind the last INSERT; only where the file has no transaction of its own. */
function wrapFix(context: LintContext, task: TaskView, first: StatementView, key: string): Fix | undefined {
  if (task.statements.some(({ statement }) => statement.kind === 'begin' || statement.kind === 'commit'))
    return undefined;
  const last = task.statements
    .filter((other) => other.order > first.order && other.sql === first.sql && fills(other, key))
    .at(-1);
  if (last === undefined) return undefined;
  const indent = indentAt(first.sql.source.text, first.statement.start);
  const end = statementEnd(last);
  const begin = first.sql.dialect === 'mysql' ? 'START TRANSACTION' : 'BEGIN';
  const edits = editSql(context, first, [
    { start: first.statement.start, end: first.statement.start, newText: `${begin};\n${indent}` },
    { start: end.offset, end: end.offset, newText: `${end.terminated ? '' : ';'}\n${indent}COMMIT;` },
  ]);
  return edits && { title: 'Wrap both statements in one transaction', edits, preferred: true };
}

export default {
  id: 'delete-insert-not-atomic',
  severity: 'warning',
  summary: 'A DELETE and its INSERT that a failure can separate',
  help: 'Run both statements in one transaction.',
  supersedes: [],
  check,
} satisfies Rule;
