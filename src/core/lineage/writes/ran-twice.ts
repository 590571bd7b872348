import type { DialectName } from '../../sql/model/dialect-name.ts';
import { blocksOf, within } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { walkExpressions } from '../../sql/model/walk.ts';
import { locate } from '../../text/mapped-text.ts';
import type { SourceSpan } from '../../text/span.ts';
import { addsTwice, type ChangedColumn, type WriteFact } from '../facts/facts.ts';
import { isJournalName, isRevisionCounter, isStagingName } from '../facts/table-roles.ts';
import { asksWhatIsDone } from '../own-rows/asks-what-is-done.ts';
import { leftOutByAll } from '../own-rows/finds-own-rows.ts';
import type { TableColumns } from '../queries/table-columns.ts';
import { runTwice, type SecondState } from '../twice/run-twice.ts';
import type { TaskStatement } from './task-statements.ts';

type SoFar = Pick<
  WriteFact,
  'mode' | 'again' | 'takenFrom' | 'behindMark' | 'markSetBack' | 'leavesOut' | 'refusedBy' | 'madeAnew' | 'keepsRows'
>;
type Found = Pick<WriteFact, 'again' | 'leavesOut' | 'addsNull' | 'takenFrom' | 'doneBy'>;

/** Of the worlds in which a first run changes something: where a second one changes fewer, it rests on the values. */
const most = 0.6;

const dialects: ReadonlySet<DialectName> = new Set(['postgres', 'redshift', 'ansi', 'duckdb', 'snowflake']);

/**
 * What is known of a table's second run by running all that the task does twice on made-up tables, where reading its
 * statements one by one does not tell: what a guard in a body or a common table leaves out, what a variable carries from the
 * table back into it, what a DELETE chooses among the rows that are left, rows that a partial key is not about.
 * `items`: the statements that write the table, of `all` that the task runs.
 */
export function ranTwice(
  table: string,
  items: readonly TaskStatement[],
  all: readonly TaskStatement[],
  tables: TableColumns,
  soFar: SoFar,
): Found {
  const target = items.find(({ statement }) => statement.target !== undefined)?.statement.target?.name;
  const texts = [...new Set(all.flatMap(({ sql, calls }) => (calls.length > 0 ? [] : [sql])))];
  const isKnown =
    texts.length > 0 &&
    texts.every(({ dialect }) => dialects.has(dialect)) &&
    all.every(({ calls }) => calls.length === 0);
  const isOpen =
    target !== undefined &&
    soFar.mode === 'append' &&
    addsTwice({ ...blank, ...soFar }) &&
    (asksBefore(target, items, all) || guardsItself(items, tables, target));
  const asked = soFar.mode === 'append' && addsTwice({ ...blank, ...soFar }) ? askedByAll(items, all) : undefined;
  const mayBeDone: Found = asked === undefined ? {} : { doneBy: { what: asked, certainty: 'open' } };
  const notFollowed: Found = isOpen ? { leavesOut: 'open' } : mayBeDone;
  if (
    target === undefined ||
    !isKnown ||
    all.some(({ statement }) => statement.reads.some(({ name }) => isView(name, tables)))
  )
    return notFollowed;
  const run: Run = (isEnough, nulls) => runTwice(texts, target, (name) => tables.keysOf(name), isEnough, nulls);
  if (soFar.mode === 'append') {
    // A key refuses the rows that a guard lets through.
    if (soFar.markSetBack === true) return {};
    const refuses = soFar.refusedBy !== undefined && !isOpen;
    if (refuses || soFar.madeAnew !== undefined || soFar.keepsRows === true) return {};
    const marked = markedSource(items, all, target);
    const logs = asked !== undefined && writesTo(asked, all);
    if (addsTwice({ ...blank, ...soFar }) && (marked !== undefined || logs || looksAtItself(target, all))) {
      const state = run(({ same, worlds }) => same < worlds);
      if (state === undefined) return notFollowed;
      const isSame = state.same === state.worlds;
      if (isSame && asked !== undefined && logs) return { doneBy: { what: asked, certainty: 'sure' } };
      if (isSame && marked !== undefined) return { takenFrom: marked };
      // Made-up values seldom are the one that it makes NULL of, which equals nothing and so is put in again.
      if (isSame && items.some(({ statement }) => makesNull(statement))) return {};
      if (isSame) return withNulls(items, tables, target, run, { leavesOut: 'sure' });
    }
    if (soFar.leavesOut === 'sure') return withNulls(items, tables, target, run, {});
    // A table that is asked and not written says the same the second time; what a function does is not followed.
    return all.some(({ statement }) => statement.reads.some(({ name }) => name === asked)) ? {} : mayBeDone;
  }
  if (soFar.again !== undefined || isJournalName(table) || isStagingName(table)) return {};
  const again = rowsAgain(soFar.mode, target, items, tables, run);
  return again.length === 0 ? {} : { again };
}

/** Runs the task on made-up worlds, until `isEnough`. */
type Run = (
  isEnough?: (state: SecondState) => boolean,
  nulls?: (table: string, column: string) => boolean,
) => SecondState | undefined;

/** What a rule of `WriteFact` asks that is of no weight here. */
const blank = { table: '', slice: { kind: 'unknown', reason: '' }, key: [], provenance: 'sql', at: undefined } as const;

const isView = (name: string, tables: TableColumns): boolean =>
  tables.viewOf(name) !== undefined || tables.materializedOf(name) !== undefined;

function makesNull(statement: Statement): boolean {
  let found = false;
  walkExpressions(statement, (one) => {
    found ||= one.kind === 'call' && one.name === 'nullif';
  });
  return found;
}

/** Whether a statement of the task asks the table before it writes it, in a body or by a query. */
const looksAtItself = (target: string, all: readonly TaskStatement[]): boolean =>
  all.some(
    ({ statement }) =>
      statement.modifying.length > 0 ||
      ((statement.kind === 'update' || statement.kind === 'merge') && statement.target?.name === target) ||
      readsTarget(statement, target) ||
      statement.reads.some(({ name }) => name === target),
  );

/** Whether a body asks the table before each of its INSERTs, by whatever it then does with the answer. */
function asksBefore(target: string, items: readonly TaskStatement[], all: readonly TaskStatement[]): boolean {
  const asks = all.findIndex(
    ({ statement: { kind, reads }, inBody }) =>
      inBody && (kind === 'other' || kind === 'select') && reads.some(({ name }) => name === target),
  );
  return asks !== -1 && items.every((item) => item.inBody && asks < all.indexOf(item));
}

/** What each of the INSERTs asks before it adds anything: whether it is done already. */
function askedByAll(items: readonly TaskStatement[], all: readonly TaskStatement[]): string | undefined {
  const asked = items.map(({ statement, sql, inBody }) => {
    const whole = all.find((one) => one.sql === sql && !one.inBody && covers(one.statement, statement));
    const from = whole?.statement.start ?? 0;
    return asksWhatIsDone(statement, inBody ? sql.masked.text.slice(from, statement.start) : undefined, (name) =>
      writesTo(name, all),
    );
  });
  const [first] = asked;
  const isOwn = items.some(({ statement }) => statement.target?.name === first);
  return isOwn || asked.some((one) => one !== first) ? undefined : first;
}

const covers = (whole: Statement, part: Statement): boolean => whole.start <= part.start && part.end <= whole.end;

const writesTo = (name: string, all: readonly TaskStatement[]): boolean =>
  all.some(({ statement: { kind, target } }) => /^(?:insert|merge|update)$/.test(kind) && target?.name === name);

/** Whether its INSERTs leave out what they find there, beside an UPDATE that may change what they look for. */
function guardsItself(items: readonly TaskStatement[], tables: TableColumns, target: string): boolean {
  const inserts = items.filter(({ statement }) => statement.kind !== 'update');
  const columns = tables.keysOf(target).columns.map(({ name }) => name);
  return leftOutByAll('append', inserts, columns) !== undefined;
}

/** A table out of which the INSERTs take their rows, which the task itself writes: it marks there what it has taken. */
const markedSource = (
  items: readonly TaskStatement[],
  all: readonly TaskStatement[],
  target: string,
): string | undefined =>
  items
    .flatMap(({ statement }) => statement.reads.map(({ name }) => name))
    .find(
      (name) =>
        name !== target && all.some(({ statement }) => statement.kind === 'update' && statement.target?.name === name),
    );

const readsTarget = (statement: Statement, target: string): boolean =>
  blocksOf(statement).some(({ from }) =>
    from.some((item) => item.kind === 'table' && item.cte === undefined && item.table.name === target),
  ) || statement.from.some((item) => item.kind === 'table' && item.cte === undefined && item.table.name === target);

function rowsAgain(
  mode: WriteFact['mode'],
  target: string,
  items: readonly TaskStatement[],
  tables: TableColumns,
  run: Run,
): readonly ChangedColumn[] {
  const deletes = items.filter(({ statement }) => statement.kind === 'delete');
  const inserts = items.filter(({ statement }) => statement.kind === 'insert');
  const choosing = deletes.find(({ statement }) => readsTarget(statement, target));
  if (mode === 'delete' && choosing !== undefined) {
    const why = 'which rows are left';
    return rowsOf(run(), 'loses', { rows: 'fewer', why, at: headOf(choosing) });
  }
  const together = inserts.find(({ statement }) =>
    statement.modifying.some(({ target: other }) => other?.name === target),
  );
  if (together !== undefined && mode === 'delete+insert') {
    const why = 'what the INSERT finds there: it sees the table as it was before its own WITH deletes from it';
    const state = run();
    if (state === undefined || state.loses >= state.adds) return rowsOf(state, 'loses', { why, at: headOf(together) });
    return rowsOf(state, 'adds', { rows: 'more', why: fewerFound, at: headOf(together) }).map(asOpen);
  }
  const byKey = deletes.find(
    ({ statement: { from, where } }) =>
      from.length > 0 || where.some((one) => within(one).some(({ kind }) => kind === 'in' || kind === 'exists')),
  );
  const [first] = inserts;
  if (mode === 'delete+insert' && byKey !== undefined && first !== undefined && deletes.length === 1) {
    return rowsOf(run(), 'adds', { rows: 'more', why: fewerFound, at: headOf(first) }).map(asOpen);
  }
  const upsert = items.find(({ statement: { conflict } }) => conflict !== undefined);
  const conflict = upsert?.statement.conflict;
  if (upsert !== undefined && conflict !== undefined && conflict.constraint === undefined) {
    const { keys, partialKeys = [] } = tables.keysOf(target);
    const isOf = (columns: readonly string[]): boolean =>
      columns.length === conflict.key.length && columns.every((name) => conflict.key.includes(name));
    const partial = partialKeys.find(({ columns }) => isOf(columns));
    if (conflict.key.length > 0 && !keys.some(isOf) && (partial !== undefined || conflict.asked !== undefined)) {
      const { text } = upsert.sql.source;
      const asked =
        partial?.where ?? (conflict.asked ?? []).map(({ start, end }) => text.slice(start, end)).join(' and ');
      const why = `whether there are rows for which ${asked} is not so: the unique index on (${conflict.key.join(', ')}) is not about those, so they meet no row`;
      const state = run();
      const isAll = state !== undefined && state.adds === state.worlds;
      return rowsOf(state, 'adds', { rows: 'more', why, at: locate(upsert.sql.source, conflict) }).map((one) =>
        isAll ? one : { ...one, certainty: 'open' },
      );
    }
  }
  const body = items.find(({ inBody }) => inBody);
  if (body === undefined || !/^(update|merge)$/.test(mode)) return [];
  return columnsOf(run(), items, body);
}

const fewerFound = 'whether the DELETE finds every row that the INSERT adds';
const asOpen = (one: ChangedColumn): ChangedColumn => ({ ...one, certainty: 'open' });

const headOf = ({ sql, statement }: TaskStatement): SourceSpan | undefined => locate(sql.source, statement.head);

function rowsOf(
  state: SecondState | undefined,
  kind: 'adds' | 'loses',
  said: { readonly rows?: 'more' | 'fewer'; readonly why: string; readonly at: SourceSpan | undefined },
): readonly ChangedColumn[] {
  if (state === undefined || state[kind] === 0) return [];
  const { rows, why, at } = said;
  const certainty = state[kind] >= state.worlds * most ? 'sure' : 'open';
  return [{ column: undefined, adds: false, certainty, why, at, ...(rows === undefined ? {} : { rows }) }];
}

/** Columns that a body makes of what it has read of them. */
function columnsOf(
  state: SecondState | undefined,
  items: readonly TaskStatement[],
  body: TaskStatement,
): readonly ChangedColumn[] {
  if (state === undefined) return [];
  if (state.adds > 0)
    return rowsOf(state, 'adds', { rows: 'more', why: 'what the body finds there', at: headOf(body) });
  return [...state.columns].flatMap(([column, count]): ChangedColumn[] => {
    if (isRevisionCounter(column)) return [];
    const place = items.flatMap(({ sql, statement }) =>
      statement.assignments.flatMap((one) =>
        one.column.split('.').at(-1) === column ? (locate(sql.source, one) ?? []) : [],
      ),
    )[0];
    const certainty = count >= state.worlds * most ? 'sure' : 'open';
    return [
      {
        column,
        adds: false,
        certainty,
        at: place ?? headOf(body),
        ...(certainty === 'open' ? { why: 'what the body finds there' } : {}),
      },
    ];
  });
}

/** Guards compare by `=`, and NULL equals nothing: columns by which rows that have none come in again. */
function withNulls(
  items: readonly TaskStatement[],
  tables: TableColumns,
  target: string,
  run: Run,
  found: Found,
): Found {
  const takesNull = (table: string, column: string): boolean =>
    tables.keysOf(table).columns.some(({ name, notNull }) => name === column && !notNull);
  const sources = [...new Set(items.flatMap(({ statement }) => statement.reads.map(({ name }) => name)))].filter(
    (name) => name !== target,
  );
  const compared = new Set<string>();
  for (const { statement } of items)
    walkExpressions(statement, (one) => {
      if (one.kind !== 'binary' || one.operator !== '=') return;
      for (const side of [one.left, one.right]) if (side.kind === 'column') compared.add(side.name);
    });
  const column = [...compared].find((name) => {
    if (!takesNull(target, name) || !sources.some((source) => takesNull(source, name))) return false;
    const state = run(
      ({ adds }) => adds > 0,
      (_, other) => other === name,
    );
    return state !== undefined && state.adds > 0;
  });
  return column === undefined ? found : { leavesOut: 'open', addsNull: column };
}
