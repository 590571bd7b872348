import { isJournalName, isSliceColumn } from '../../lineage/facts/table-roles.ts';
import { isRetentionDelete } from '../../lineage/writes/retention-delete.ts';
import type { QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { blocksOf, filtersOf, within } from '../../sql/model/sql-search.ts';
import type { Span } from '../../text/span.ts';
import { isFetchedToWrite } from '../context/fetched-rows.ts';
import type { LintContext } from '../context/lint-context.ts';
import { type StatementView, sameTable, type TaskView, tableKey } from '../source/statement-view.ts';
import { deletesSameRows } from './insert-guard.ts';
import { reachesRows } from './reaches-rows.ts';

/** A clock call of a writing statement and what it decides there. */
export interface ClockUse {
  readonly view: StatementView;
  readonly span: Span;
  /** Lower case, e.g. `current_date`; the expression's source for a template. */
  readonly name: string;
  /** The function that is called, as the file writes it. */
  readonly callee: string;
  /** The call stands in the Python around the SQL, where it is marked. */
  readonly python: boolean;
  /** `record`: of a table that tells what jobs did, where it belongs. `name`: of a table that is of this run only. */
  readonly role: 'filter' | 'slice' | 'audit' | 'record' | 'name';
  /** Of a query whose rows Python takes and then writes some: likely those. */
  readonly isFetched: boolean;
  /** It says from when on an INSERT looks into its own target for rows that are there. */
  readonly looksBack: boolean;
  /** The value is made of columns as well, an age for one, and so no time at which anything was written. */
  readonly isReckoned: boolean;
  /** The column that it fills, when it fills one. */
  readonly column: string | undefined;
}

const writing = new Set([
  'insert',
  'insert_overwrite',
  'insert_overwrite_dir',
  'insert_replace_where',
  'replace',
  'delete',
  'update',
  'merge',
  'create_table_as',
  'copy',
  'export',
  'unload',
]);

export function* clockUses(context: LintContext, task: TaskView, view: StatementView): Generator<ClockUse> {
  const { statement } = view;
  const transfers = statement.kind === 'select' && /To[A-Z]\w*Operator$/.test(view.task.operator);
  if (!transfers && isFetchedToWrite(context, task, view)) yield* fetchedUses(view);
  const calls = clockCalls(view);
  const names = namesByClock(task);
  for (const { start, end, name, callee, python, unique } of calls) {
    if (!names.has(name)) continue;
    const span = { start, end };
    const rest = { view, span, name, callee, python, ...plainUse };
    const renamed = statement.renamedTo;
    if (unique || names.get(name) === 'passing' || (renamed && isIn([renamed], span))) yield { ...rest, role: 'name' };
    else if (writing.has(statement.kind) && isIn(statement.targets, span)) yield { ...rest, role: 'slice' };
    else if (writing.has(statement.kind) || transfers) yield { ...rest, role: 'filter' };
  }
  if (!writing.has(statement.kind) && !transfers) return;
  if (isRetentionDelete(statement) || isArchived(context, view)) return;
  const key = statement.target && tableKey(view, statement.target);
  const isRecord = key !== undefined && isJournalName(key);
  const filters = [...filtersOf(statement)].map(({ conjunct }) => conjunct);
  const groups = [...blocksOf(statement)].flatMap((block) => block.groupBy);
  for (const call of calls) {
    if (names.has(call.name)) continue;
    const inside = (span: Span): boolean => span.start <= call.start && call.end <= span.end;
    // An option of the table itself (`expiration_timestamp`) stands before the query and is in no row.
    if (statement.kind === 'create_table_as' && statement.query !== undefined && call.end <= statement.query.start)
      continue;
    // Nothing but what this very transaction has stamped is of this moment.
    if (filters.some((one) => isOfThisMoment(one, call))) continue;
    const column = columnFilled(view, call);
    const role = isRecord
      ? 'record'
      : filters.some(inside)
        ? 'filter'
        : groups.some(inside) ||
            (column !== undefined && !isFallback(statement, call) && isSlice(context, task, view, key, column))
          ? 'slice'
          : 'audit';
    const looksBack =
      statement.kind === 'insert' && role === 'filter' && key !== undefined && isInLookAtTarget(view, key, call);
    if (role === 'audit' && !reachesRows(statement, call)) continue;
    yield {
      view,
      span: { start: call.start, end: call.end },
      name: call.name,
      callee: call.callee,
      python: call.python,
      role,
      isFetched: false,
      looksBack,
      isReckoned: role === 'audit' && isReckoned(statement, call),
      column,
    };
  }
}

const plainUse = { isFetched: false, looksBack: false, isReckoned: false, column: undefined };

/** Of a query that is not written by itself: from when on its rows are, not what is older than some age. */
function* fetchedUses(view: StatementView): Generator<ClockUse> {
  const filters = [...filtersOf(view.statement)].map(({ conjunct }) => conjunct);
  for (const { start, end, name, callee, python } of clockCalls(view)) {
    const around = filters.find((one) => one.start <= start && end <= one.end);
    if (around === undefined || isAge(around, end)) continue;
    yield { view, span: { start, end }, name, callee, python, ...plainUse, isFetched: true, role: 'filter' };
  }
}

/** `seen < now() - interval '2 months'` */
const isAge = (conjunct: SqlExpression, end: number): boolean =>
  conjunct.kind === 'binary' && (end <= conjunct.left.end ? /^>=?$/ : /^<=?$/).test(conjunct.operator);

const isIn = (spans: readonly Span[], { start, end }: Span): boolean =>
  spans.some((span) => span.start <= start && end <= span.end);

/**
 * What stands in the name of a table, by how it is written, wherever else the same expression stands, in front of a
 * column for one. Passing is a table that the task itself takes away, or that its session does.
 */
function namesByClock({ statements }: TaskView): ReadonlyMap<string, 'passing' | 'lasting'> {
  const names = new Map<string, 'passing' | 'lasting'>();
  for (const view of statements) {
    const { kind, temporary, targets, reads, renamedTo } = view.statement;
    const named = [...targets, ...reads, ...(renamedTo === undefined ? [] : [renamedTo])];
    for (const call of clockCalls(view)) {
      if (!isIn(named, call)) continue;
      if (kind === 'drop' || temporary) names.set(call.name, 'passing');
      else if (!names.has(call.name)) names.set(call.name, 'lasting');
    }
  }
  return names;
}

/** What is old goes to another table, and a DELETE by the same age takes it out of where it was. */
const isArchived = (context: LintContext, view: StatementView): boolean =>
  view.statement.kind === 'insert' &&
  view.statement.reads.some((read) => {
    const source = tableKey(view, read);
    return context
      .statementsOn(source)
      .some(({ view: other }) => isRetentionDelete(other.statement) && deletesSameRows(other, view, source));
  });

/** `updated_at = transaction_timestamp()` */
const isOfThisMoment = (conjunct: SqlExpression, { start, end, name }: Span & { readonly name: string }): boolean =>
  conjunct.kind === 'binary' &&
  conjunct.operator === '=' &&
  /^(?:now|current_timestamp|localtimestamp|transaction_timestamp|statement_timestamp)$/.test(name) &&
  [conjunct.left, conjunct.right].some((side) => side.start === start && side.end === end);

/** `coalesce(created_at, now())`: taken for rows only that have no time of their own. */
const isFallback = (statement: StatementView['statement'], call: Span): boolean =>
  [...blocksOf(statement).flatMap((block) => block.select.map(({ expression }) => expression)), ...statement.values]
    .flatMap(within)
    .some(
      (one) =>
        one.kind === 'call' &&
        /^(?:coalesce|ifnull|nvl|isnull)$/.test(one.name) &&
        one.arguments.some(({ kind }) => kind === 'column') &&
        one.arguments.slice(1).some(({ start, end }) => start <= call.start && call.end <= end),
    );

/** The select item, assignment or value around the call names columns. */
function isReckoned(statement: StatementView['statement'], call: Span): boolean {
  const assignments = [...statement.assignments, ...statement.branches.flatMap((branch) => branch.assignments)];
  const given = [
    ...blocksOf(statement).flatMap((block) => block.select.map(({ expression }) => expression)),
    ...assignments.map(({ value }) => value),
    ...statement.values,
  ];
  return given.some(
    (value) =>
      value.start <= call.start &&
      call.end <= value.end &&
      within(value).some((one) => one.kind === 'column' && (one.end <= call.start || call.end <= one.start)),
  );
}

/** The innermost query that filters by it reads the table that the statement writes, and nothing else. */
function isInLookAtTarget(view: StatementView, key: string, call: Span): boolean {
  const around = blocksOf(view.statement).filter(({ start, end }) => start <= call.start && call.end <= end);
  const [innermost] = around.sort((a, b) => a.end - a.start - (b.end - b.start));
  return (
    innermost !== undefined &&
    innermost.from.length === 1 &&
    innermost.from.every(
      (item) => item.kind === 'table' && item.cte === undefined && sameTable(tableKey(view, item.table), key),
    )
  );
}

/** Clock functions of the SQL, and expressions of templates and f-strings that ask the clock. */
function clockCalls(
  view: StatementView,
): (Span & Pick<ClockUse, 'name' | 'callee' | 'python'> & { readonly unique: boolean })[] {
  const { start, end, nondeterministic } = view.statement;
  const calls = nondeterministic
    .filter((call) => call.family === 'clock')
    .map(({ start: from, end: to, name }) => ({
      start: from,
      end: to,
      name,
      callee: name,
      python: false,
      unique: false,
    }));
  const holes = view.sql.masked.holes
    .filter((hole) => hole.start >= start && hole.end <= end)
    .flatMap((hole) => {
      const { start: from, end: to, value, source, origin } = hole;
      // The default of a parameter asks the clock where it is written.
      const python = origin !== 'template' || /^params\b/.test(source);
      if (value.kind !== 'clock') return [];
      return [{ start: from, end: to, name: source, callee: value.name, python, unique: value.unique === true }];
    });
  return [...calls, ...holes].sort((a, b) => a.start - b.start);
}

/** The target's column that a call fills: by the INSERT's column list, else by the name of the select item or SET. */
function columnFilled(view: StatementView, call: Span): string | undefined {
  const { statement } = view;
  const inside = (span: Span): boolean => span.start <= call.start && call.end <= span.end;
  const assignments = [...statement.assignments, ...statement.branches.flatMap((branch) => branch.assignments)];
  const assigned = assignments.find(inside);
  if (assigned) return assigned.column;
  const perRow = statement.valueRows > 0 ? statement.values.length / statement.valueRows : 0;
  // A part that is put in may be any number of columns or values: then nothing tells which is which.
  const columnOf = (index: number, values: number): string | undefined =>
    statement.columns.length === values ? statement.columns[index] : undefined;
  const value = statement.values.findIndex(inside);
  if (value >= 0 && perRow > 0) return columnOf(value % perRow, perRow);
  for (const block of outputBlocks(statement.query)) {
    const item = block.select.findIndex(inside);
    if (item < 0) continue;
    return statement.columns.length === 0 ? block.select[item]?.name : columnOf(item, block.select.length);
  }
  return undefined;
}

function* outputBlocks(block: QueryBlock | undefined): Generator<QueryBlock> {
  if (block === undefined) return;
  yield block;
  for (const { query } of block.then) yield query;
}

/** The column decides which rows these are: it is deleted by, part of a key, or named as slices are. */
function isSlice(
  context: LintContext,
  task: TaskView,
  view: StatementView,
  key: string | undefined,
  column: string,
): boolean {
  if (isSliceColumn(column)) return true;
  if (view.statement.conflict?.key.includes(column)) return true;
  if (key === undefined) return false;
  const deletedBy = task.statements.some(
    (other) =>
      other.statement.kind === 'delete' &&
      other.statement.targets.some((target) => sameTable(tableKey(other, target), key)) &&
      other.statement.where.some((conjunct) =>
        [...within(conjunct)].some((one) => one.kind === 'column' && one.name === column),
      ),
  );
  if (deletedBy) return true;
  const table = context.table(key);
  return table?.keys.some((columns) => columns.includes(column)) ?? false;
}
