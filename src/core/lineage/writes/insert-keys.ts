import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { SqlExpression } from '../../sql/model/expression.ts';
import { within } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { WriteFact, WriteMode } from '../facts/facts.ts';
import { tellsOfRuns } from '../facts/tells-of-runs.ts';
import { putsOverNewer } from '../own-rows/puts-over-newer.ts';
import type { TableKeys } from '../queries/table-columns.ts';
import { markOfAll } from './high-water-mark.ts';
import { takenByAll } from './taken-source.ts';
import type { TaskStatement } from './task-statements.ts';

/** The primary or unique key that the engine enforces and whose columns the rows bring: with it the same rows fail. */
export function keyThatRefuses(
  statement: Statement,
  dialect: DialectName,
  table: TableKeys | undefined,
): readonly string[] | undefined {
  const enforced = ['postgres', 'mysql', 'duckdb', 'ansi'].includes(dialect);
  return enforced && table !== undefined
    ? table.keys.find(
        (key) =>
          bringsColumns(statement, table, key) &&
          !key.some((column) => isMadeAnew(statement, table, column) || isTimeOfRun(statement, table, column)),
      )
    : undefined;
}

/**
 * The key of an upsert, or of its table, that no row of it ever meets again: a column of it is made anew for each row, by the
 * statement or by the table's default. `undefined` where there is no such key, or another one that rows do meet.
 */
export function keyMadeAnew(statement: Statement, table: TableKeys): readonly string[] | undefined {
  const { conflict } = statement;
  if (conflict === undefined || conflict.constraint !== undefined) return undefined;
  const keys = conflict.key.length > 0 ? [conflict.key] : table.keys;
  const isMade = (key: readonly string[]): boolean => key.some((column) => isMadeAnew(statement, table, column));
  return keys.length > 0 && keys.every(isMade) ? keys[0] : undefined;
}

function isMadeAnew(statement: Statement, table: TableKeys, column: string): boolean {
  const index = positionOf(statement, table, column);
  if (index === undefined) {
    const known = table.columns.find(({ name }) => name === column);
    return known !== undefined && known.isNumbered === true && isLeftOut(statement, table, column);
  }
  const value = statement.query?.select[index]?.expression ?? statement.values[index];
  return (
    value !== undefined &&
    (countsOn(value, statement) ||
      statement.nondeterministic.some(
        ({ family, start, end }) => family !== 'clock' && value.start <= start && end <= value.end,
      ))
  );
}

/** The moment of the run, which no second one has again; a day of the clock two runs of that day share. */
function isTimeOfRun(statement: Statement, table: TableKeys, column: string): boolean {
  const index = positionOf(statement, table, column);
  const value =
    index === undefined ? undefined : (statement.query?.select[index]?.expression ?? statement.values[index]);
  return (
    value?.kind !== 'cast' &&
    statement.nondeterministic.some(
      ({ family, name, start, end }) =>
        family === 'clock' && moment.test(name) && value?.start === start && value.end === end,
    )
  );
}

const moment =
  /^(?:now|current_timestamp|localtimestamp|clock_timestamp|transaction_timestamp|statement_timestamp|getdate|getutcdate|sysdate|sysdatetime|sysutcdatetime|systimestamp|utc_timestamp|current_datetime)$/;

/** `(SELECT max(k) + 1 FROM target)`: one more than the rows have that are there, among them those of the run before. */
function countsOn(value: SqlExpression, { target }: Statement): boolean {
  const inside = within(value);
  const isAdded = (all: readonly SqlExpression[]): boolean =>
    all.some((one) => one.kind === 'binary' && one.operator === '+');
  return inside.some(
    (one) =>
      one.kind === 'subquery' &&
      one.query.from.length === 1 &&
      one.query.from.some(
        (item) => item.kind === 'table' && item.cte === undefined && item.table.name === target?.name,
      ) &&
      one.query.where.every((asked) => asked.kind === 'binary' && asked.operator === '=') &&
      one.query.select.some(({ expression }) => {
        const given = within(expression);
        return given.some((call) => call.kind === 'call' && call.name === 'max') && isAdded([...given, ...inside]);
      }),
  );
}

/** Where the value of a column stands among those that come in; `undefined`: it is not there, or may stand behind a star. */
function positionOf(
  { columns, outputColumns, query }: Statement,
  table: TableKeys,
  column: string,
): number | undefined {
  const names = columns.length > 0 ? columns : table.columns.map(({ name }) => name);
  const index = names.indexOf(column);
  const star = query?.select.findIndex(({ expression }) => expression.kind === 'star') ?? -1;
  if (index === -1 || (star !== -1 && star <= index)) return undefined;
  return columns.length > 0 || query === undefined || index < outputColumns.length ? index : undefined;
}

/** Whether the rows surely bring no value for a column. */
function isLeftOut(
  { columns, outputColumns, values, valueRows }: Statement,
  table: TableKeys,
  column: string,
): boolean {
  if (columns.length > 0) return !columns.includes(column) && !columns.some((name) => /[{%]/.test(name));
  if (outputColumns.includes('*')) return false;
  const count = valueRows > 0 ? values.length / valueRows : outputColumns.length;
  return table.columns.findIndex(({ name }) => name === column) >= count;
}

/** Whether rows bring these columns along, by the INSERT's list or, without one, by the order of the table's columns. */
function bringsColumns(statement: Statement, table: TableKeys, columns: readonly string[]): boolean {
  const { columns: listed, outputColumns, values, valueRows } = statement;
  // A list that only the run knows names at least what has to be given.
  const isOpen = listed.some((name) => /[{%]/.test(name)) || (listed.length === 0 && outputColumns.includes('*'));
  if (isOpen) return columns.every((name) => listed.includes(name) || hasToBeGiven(table, name));
  if (listed.length > 0) return columns.every((name) => listed.includes(name));
  const count = valueRows > 0 ? values.length / valueRows : outputColumns.length;
  const inOrder = table.columns.slice(0, count).map(({ name }) => name);
  return columns.every((name) => (inOrder.length > 0 ? inOrder : outputColumns).includes(name));
}

export const hasToBeGiven = (table: TableKeys, name: string): boolean =>
  table.columns.some((column) => column.name === name && column.notNull && column.isFilled !== true);

/** What keys make of the INSERTs of a table: that on which all of their rows fail the second time, or that which each row has anew. */
function keysOfInserts(items: readonly TaskStatement[], keys: TableKeys): Pick<WriteFact, 'refusedBy' | 'madeAnew'> {
  const inserts = items.filter(({ statement }) => statement.kind === 'insert');
  const refusing = inserts.map(({ statement, sql }) => keyThatRefuses(statement, sql.dialect, keys));
  const [refusedBy] = refusing.includes(undefined) ? [] : refusing;
  const [madeAnew] = inserts.map(({ statement }) => keyMadeAnew(statement, keys));
  return {
    ...(refusedBy === undefined ? {} : { refusedBy }),
    ...(madeAnew === undefined ? {} : { madeAnew }),
  };
}

/** What is known of the rows that come into a table in this mode: `items`, of `all` that the task runs. */
export const ofWay = (
  mode: WriteMode,
  items: readonly TaskStatement[],
  all: readonly TaskStatement[],
  keys: TableKeys,
  table: string,
): Partial<WriteFact> =>
  mode === 'append'
    ? {
        ...ofInserts(items, all, keys, table),
        ...(items.some(({ statement }) => statement.kind === 'update') ? { overNewer: true } : {}),
      }
    : replacing.has(mode) && items.some(({ statement }) => putsOverNewer(statement))
      ? { overNewer: true }
      : {};

const replacing: ReadonlySet<WriteMode> = new Set(['merge', 'update', 'delete+insert']);

/** What is known of the rows that a table's INSERTs add: `items`, of `all` that the task runs. */
function ofInserts(
  items: readonly TaskStatement[],
  all: readonly TaskStatement[],
  keys: TableKeys,
  table: string,
): Pick<WriteFact, 'takenFrom' | 'behindMark' | 'markSetBack' | 'refusedBy' | 'madeAnew' | 'tellsOfRuns'> {
  const takenFrom = takenByAll(items, all);
  const isJournal = items.every(({ statement, sql }) => tellsOfRuns(statement, sql, table));
  return {
    ...(takenFrom === undefined ? {} : { takenFrom }),
    ...markOfAll(items, all),
    ...keysOfInserts(items, keys),
    ...(isJournal ? { tellsOfRuns: true } : {}),
  };
}

/** Whether rows that come in may meet those that are there by a key. */
export const isUpsert = (statement: Statement, keys: TableKeys): boolean =>
  (statement.conflict !== undefined && keyMadeAnew(statement, keys) === undefined) || statement.kind === 'replace';
