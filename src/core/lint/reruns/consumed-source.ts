import { highWaterMark, setsBack } from '../../lineage/writes/high-water-mark.ts';
import { takenSource } from '../../lineage/writes/taken-source.ts';
import { coveredBy } from '../../pipeline/model/condition.ts';
import type { SqlExpression } from '../../sql/model/expression.ts';
import { filtersOf, tablesOf, within } from '../../sql/model/sql-search.ts';
import type { Assignment, Statement } from '../../sql/model/statement.ts';
import { usesInterval } from '../bounds/interval-columns.ts';
import type { LintContext } from '../context/lint-context.ts';
import {
  type StatementView,
  sameTable,
  sourceText,
  type TaskView,
  tableKey,
  writesTo,
} from '../source/statement-view.ts';
import { atomicity } from '../source/transaction.ts';

/**
 * An UPDATE that marks rows of a table as done, where `reader` writes what it reads of the rows that are not: the column
 * that is set, or `undefined`. A mark that the interval gives (`loaded_on = '{{ ds }}'`) can be read again by it.
 */
export function marks(update: StatementView, reader: StatementView): string | undefined {
  const { kind, target, assignments } = update.statement;
  if (kind !== 'update' || target === undefined || update === reader) return undefined;
  const key = tableKey(update, target);
  if (writesTo(reader, key) || !reader.statement.reads.some((read) => sameTable(tableKey(reader, read), key)))
    return undefined;
  if (choosesOtherwise(update, reader, key)) return undefined;
  const asked = filtersOf(reader.statement).flatMap(({ conjunct }) =>
    usesInterval(reader, conjunct) ? [] : flagsAsked(conjunct),
  );
  const set = assignments.find(
    (assignment) =>
      setsMark(update, assignment) && asked.includes(assignment.column) && !tellsOfEnd.test(assignment.column),
  );
  return set?.column;
}

/** What became of the thing itself, whoever has read it. */
const tellsOfEnd =
  /^(?:is_?)?(?:deleted|removed|active|current|latest|enabled|expired|obsolete)(?:_?(?:flg|flag|ind))?$/;

/** The rows to be marked are those that other tables tell of, which the reader neither reads nor fills. */
function choosesOtherwise(update: StatementView, reader: StatementView, key: string): boolean {
  const others = update.statement.reads.map((read) => tableKey(update, read)).filter((read) => !sameTable(read, key));
  const known = [...reader.statement.reads, ...reader.statement.targets].map((table) => tableKey(reader, table));
  return others.length > 0 && !others.some((other) => known.some((one) => sameTable(one, other)));
}

/** The DELETE that takes the rows of an INSERT out of a table which nothing before it in the run fills anew. */
export function takesOut(context: LintContext, task: TaskView, view: StatementView): Statement | undefined {
  const taken = takenSource(view.statement);
  if (taken?.target === undefined) return undefined;
  const key = tableKey(view, taken.target);
  const before = [...task.statements.filter(({ order }) => order < view.order), ...context.runEarlier(task, key)];
  return before.some((other) => other.statement.kind !== 'delete' && writesTo(other, key)) ? undefined : taken;
}

/** Where the mark and what is read are one transaction no row is read twice, so the reader adds none again. */
export const marksWhatIsRead = (all: readonly StatementView[], update: StatementView, reader: StatementView): boolean =>
  update.order > reader.order &&
  marks(update, reader) !== undefined &&
  atomicity(all, reader, update).kind === 'one-transaction';

/** Code that fetches the rows without a mark, adds something for each and marks them, all in one transaction. */
export function marksWhatWasFetched(all: readonly StatementView[], insert: StatementView): boolean {
  const fetched = all.filter(({ statement, order }) => statement.kind === 'select' && order < insert.order);
  const marking = all.filter(
    (update) =>
      fetched.some((fetch) => marks(update, fetch) !== undefined) &&
      atomicity(all, insert, update).kind === 'one-transaction',
  );
  return (
    marking.length > 0 &&
    coveredBy(
      insert.sql,
      marking.map(({ sql }) => sql),
    )
  );
}

/**
 * Code that fetches what a table has not got yet, puts it there and adds something else for each of the rows, all in one
 * transaction: a second run fetches none of them.
 */
export function fetchesOnce(all: readonly StatementView[], insert: StatementView): boolean {
  const fetched = all.filter(({ statement, order }) => statement.kind === 'select' && order < insert.order);
  const missing = fetched.flatMap((fetch) =>
    filtersOf(fetch.statement).flatMap(({ conjunct }) =>
      within(conjunct).flatMap((one) =>
        (one.kind === 'in' || one.kind === 'exists') && one.negated && one.query !== undefined
          ? tablesOf(one.query).map(({ table }) => tableKey(fetch, table))
          : [],
      ),
    ),
  );
  const putting = all.filter(
    (other) =>
      other !== insert &&
      other.statement.kind === 'insert' &&
      missing.some((key) => writesTo(other, key)) &&
      atomicity(all, other.order < insert.order ? other : insert, other.order < insert.order ? insert : other).kind ===
        'one-transaction',
  );
  return (
    putting.length > 0 &&
    coveredBy(
      insert.sql,
      putting.map(({ sql }) => sql),
    )
  );
}

/**
 * Code that looks a mark up in a table, fetches what is newer and saves where it came to: the table of the mark. What is
 * handed from one to the other is Python's.
 */
export function savedMark(all: readonly StatementView[], insert: StatementView): string | undefined {
  const before = all.filter(({ statement, order }) => statement.kind === 'select' && order < insert.order);
  const isNewer = before.some((view) => newerThanGiven.test(sourceText(view, view.statement)));
  const saved = all
    .filter(({ statement, order }) => order > insert.order && (statement.kind === 'update' || statement.conflict))
    .flatMap((view) => view.statement.targets.map((target) => tableKey(view, target)));
  return isNewer
    ? saved.find(
        (key) =>
          !writesTo(insert, key) &&
          before.some((view) => view.statement.reads.some((read) => tableKey(view, read) === key)),
      )
    : undefined;
}

const newerThanGiven = />=?\s*(?:%\(\w+\)s|%s|:\w+|\$\d|\?|'?\{)/;

/** It reads behind a mark that the same transaction moves on, or sets back where it is of an older interval. */
export function readsBehindMark(
  all: readonly StatementView[],
  view: StatementView,
): { readonly mark: string; readonly isSetBack: boolean } | undefined {
  const later = all.filter(({ order }) => order > view.order);
  const found = highWaterMark(
    all.filter(({ order }) => order < view.order).map(({ statement }) => statement),
    view.statement,
    later.map(({ statement }) => statement),
    (hole) => view.sql.masked.holes[hole]?.value.kind !== 'time',
  );
  const update = later.find(({ statement }) => statement === found);
  if (update?.statement.target === undefined || atomicity(all, view, update).kind !== 'one-transaction')
    return undefined;
  const isSetBack = setsBack(update.statement, (hole) => update.sql.masked.holes[hole]?.value.kind === 'time');
  return { mark: update.statement.target.name, isSetBack };
}

/** Columns that a condition compares with a constant or NULL: `done = false`, `NOT done`, `sent_at IS NULL`. */
function flagsAsked(conjunct: SqlExpression): readonly string[] {
  return within(conjunct).flatMap((one): readonly string[] => {
    if (one.kind === 'binary' && (one.operator === '=' || one.operator === '<>' || one.operator === '!=')) {
      const [column, other] = one.left.kind === 'column' ? [one.left, one.right] : [one.right, one.left];
      return column.kind === 'column' && other.kind === 'literal' && isCode(other) ? [column.name] : [];
    }
    if (one.kind === 'unary' && /^(not|is null|is not true|is false|is)\b/.test(one.operator))
      return one.operand.kind === 'column' ? [one.operand.name] : [];
    return one === conjunct && one.kind === 'column' ? [one.name] : [];
  });
}

/** A word, a switch or a small number; a large one is an id, which a repair may well set to another one. */
const isCode = ({ type, text }: { readonly type: string; readonly text: string }): boolean =>
  type !== 'number' || Math.abs(Number(text)) < 100;

/** A constant or the clock, the same for all of the rows, or a value that Python gives. */
const setsMark = (view: StatementView, { value }: Assignment): boolean =>
  value.kind === 'literal'
    ? value.type !== 'null'
    : value.kind === 'hole'
      ? view.sql.masked.holes[value.hole]?.value.kind !== 'time'
      : view.statement.nondeterministic.some(
          ({ family, start, end }) => family === 'clock' && value.start <= start && end <= value.end,
        );
