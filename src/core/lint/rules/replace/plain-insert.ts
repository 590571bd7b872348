import { addsTwice } from '../../../lineage/facts/facts.ts';
import { madeAnewInWords, refusedInWords } from '../../../lineage/facts/insert-words.ts';
import { isJournalName, isStagingName } from '../../../lineage/facts/table-roles.ts';
import { tellsOfRuns } from '../../../lineage/facts/tells-of-runs.ts';
import { locate } from '../../../text/mapped-text.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { runsOnce } from '../../context/runs-once.ts';
import { replaceSliceFix } from '../../fixes/replace-slice-fix.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { empties, type InsertGuard, insertGuard } from '../../reruns/insert-guard.ts';
import { runsAgain } from '../../reruns/runs-again.ts';
import { deduplicatedByView, keyMadeAnew, keyThatRefuses } from '../../reruns/table-guard.ts';
import {
  isKnownTable,
  placeOf,
  type StatementView,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
} from '../../source/statement-view.ts';

/** A second run leaves the rows of the first one there, and they come twice. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    yield* ofItself(context, task);
    yield* inBodies(context, task);
    for (const view of task.statements) {
      // Of calls that append speaks append-write.
      if (view.statement.kind !== 'insert' || view.sql.composed) continue;
      for (const target of view.statement.targets) {
        const key = tableKey(view, target);
        const isKnown = isKnownTable(view, target);
        // Of a table that only the run knows: where nothing of the run empties anything, nothing empties it either.
        if (!isKnown && (context.emptiesAnything(view) || !runsAgain(task))) continue;
        if (tellsOfRuns(view.statement, view.sql, key) || isLoadedByHand(view, key)) continue;
        const found = insertGuard(context, task, view, key);
        if (found?.kind === 'sure') continue;
        const guard = found ?? (isUnscheduled(view) ? runnerOfTheFile : isKnown ? undefined : keyOfTheRun);
        if (deduplicatedByView(context, key)) continue;
        const refusing = keyThatRefuses(context, view, key);
        const made = keyMadeAnew(context, view, key);
        const fix = replaceSliceFix(context, view, target);
        yield {
          at: placeOf(view, view.statement.head),
          severity:
            refusing === undefined
              ? guard?.kind === 'merged'
                ? 'info'
                : runsAgain(task) && guard === undefined
                  ? 'error'
                  : 'warning'
              : graveness(task, view, refusing),
          message:
            refusing === undefined
              ? messageFor(tableLabel(view, target), guard, made, isUnscheduled(view) ? 'in the file' : 'in the run')
              : refusedInWords(tableLabel(view, target), refusing, found?.kind === 'unless' ? found.unless : undefined),
          subject: writeSubject(view, key),
          // Whether its own query keeps known rows out.
          restsOn: view.statement.query === undefined ? [] : [view],
          fixes: fix ? [fix] : [],
        };
      }
    }
  }
}

/** Tables that are made anew of all of their own rows and those of the interval. */
function* ofItself(context: LintContext, task: TaskView): Generator<RuleFinding> {
  for (const { table, keepsRows, at } of context.factsOf(task)?.writes ?? []) {
    if (keepsRows !== true || isJournalName(table) || deduplicatedByView(context, table)) continue;
    yield {
      at: at ?? task.task.nameAt,
      severity: runsAgain(task) ? 'error' : 'warning',
      message: `A second run of the same interval adds the same rows to ${table} again: the table is made anew of all of its own rows and those of the interval.`,
      subject: `${task.task.id} writes ${table}`,
    };
  }
}

/** INSERTs in the body of a DO, which no statement of the task's own text shows. */
function* inBodies(context: LintContext, task: TaskView): Generator<RuleFinding> {
  for (const write of context.factsOf(task)?.writes ?? []) {
    const { table, at, refusedBy } = write;
    if (!addsTwice(write) || at === undefined || refusedBy !== undefined || write.tellsOfRuns === true) continue;
    const isInBody = task.statements.some(({ statement: { kind, body }, sql }) => {
      const places = kind === 'do' ? body.map(({ head }) => locate(sql.source, head)) : [];
      return places.some((place) => place?.file === at.file && place.start === at.start);
    });
    if (!isInBody || isStagingName(table) || deduplicatedByView(context, table)) continue;
    if (context.runEarlier(task, table).some((other) => empties(other, table))) continue;
    yield {
      at,
      severity: runsAgain(task) ? 'error' : 'warning',
      message: messageFor(table, undefined, write.madeAnew, isUnscheduled(task) ? 'in the file' : 'in the run'),
      subject: `${task.task.id} writes ${table}`,
    };
  }
}

/**
 * Where Airflow itself runs the task again, rows that are moved from table to table belong to the interval, which cannot be run again. Rows that the statement or
 * the code brings along may well be meant to be there once, and without a list of columns the definition that is at hand
 * only tells which of them is the key.
 */
const graveness = (task: TaskView, { statement }: StatementView, key: readonly string[]): 'warning' | 'info' =>
  runsAgain(task) &&
  statement.query !== undefined &&
  statement.reads.length > 0 &&
  key.every((name) => statement.columns.includes(name))
    ? 'warning'
    : 'info';

/** What a table that only the run knows may have. */
const keyOfTheRun: InsertGuard = {
  kind: 'unless',
  unless: 'the table, which only the run knows, keeps them out by a key of its own',
};

/** A file of SQL that no pipeline is known to run: what runs it may empty the table before. */
const runnerOfTheFile: InsertGuard = { kind: 'unless', unless: 'what runs this file deletes them before' };

const isUnscheduled = ({ pipeline }: Pick<StatementView, 'pipeline'>): boolean =>
  pipeline.format === 'sql-file' && pipeline.schedule.value.kind !== 'cron';

const messageFor = (
  table: string,
  guard: InsertGuard | undefined,
  made: readonly string[] | undefined,
  where: 'in the file' | 'in the run',
): string =>
  made !== undefined && guard === undefined
    ? `A second run of the same interval adds the same rows to ${table} again: ${madeAnewInWords(made)}.`
    : guard?.kind === 'merged'
      ? `A second run of the same interval adds the same rows to ${table} again, and those who read it without FINAL see both until ReplacingMergeTree has merged the rows of one sorting key.`
      : guard?.kind === 'compared'
        ? `What has changed is added to ${table} once more by a second run: it is compared with the row that is open there, and nothing in the run ends that one.`
        : guard?.kind === 'unless'
          ? `A second run of the same interval adds the same rows to ${table} again, unless ${guard.unless}: nothing else ${where} deletes them, and no key or anti-join keeps them out.`
          : `A second run of the same interval adds the same rows to ${table} again: nothing in the run deletes them, and no key or anti-join keeps them out.`;

/**
 * In a file that no scheduler runs: constant rows are a seed, folders of migrations are run once, and a staging table is
 * emptied by whoever loads it.
 */
function isLoadedByHand(view: StatementView, key: string): boolean {
  if (!isUnscheduled(view)) return false;
  if (runsOnce(view.pipeline) || isStagingName(key)) return true;
  const { start, end, reads } = view.statement;
  return reads.length === 0 && !view.sql.masked.holes.some((hole) => start <= hole.start && hole.end <= end);
}

export default {
  id: 'plain-insert',
  severity: 'error',
  summary: 'INSERT into a table that nothing of the same run empties or protects',
  help: 'Delete the slice of the interval before the INSERT, in one transaction, or make it an upsert on a key of the data; where the tables are files, overwrite the partition of the interval (INSERT OVERWRITE … PARTITION (…)).',
  supersedes: [],
  provable: 'second run',
  check,
} satisfies Rule;
