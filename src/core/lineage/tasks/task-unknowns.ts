import type { Pipeline, Task } from '../../pipeline/model/model.ts';
import { madeSql } from '../../sql/calls/made-sql.ts';
import { namedInSql } from '../../sql/calls/named-in-sql.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { maskTemplate } from '../../template/mask/mask.ts';
import { locate } from '../../text/mapped-text.ts';
import type { ReadFact, Unknown, WriteFact } from '../facts/facts.ts';
import { isScheduled } from '../facts/is-scheduled.ts';
import { tableName } from '../writes/table-of-statement.ts';
import { calledElsewhere, type TaskStatement } from '../writes/task-statements.ts';
import { isSameInEveryRun } from './run-dependence.ts';
import type { KnownTablesOfWorkspace } from './workspace-tables.ts';

interface FoundFacts {
  readonly reads: readonly ReadFact[];
  readonly writes: readonly WriteFact[];
  /** Tables that the task makes for itself. */
  readonly internal: ReadonlySet<string>;
}

/** What planning needs to know about a task and nothing says; of a script that somebody runs by hand only its tables. */
export function taskUnknowns(
  task: Task,
  pipeline: Pipeline,
  statements: readonly TaskStatement[],
  { reads, writes, internal }: FoundFacts,
  tables: KnownTablesOfWorkspace,
): readonly Unknown[] {
  const found = [
    ...unreadParts(task),
    ...calledElsewhere(statements, task).map(({ statement, sql }): Unknown => {
      const message = `What ${statement.routine?.name} reads and writes is not known: the task only calls it.`;
      return { task: task.id, about: 'tables', table: undefined, message, at: locate(sql.source, statement) };
    }),
    ...(task.routines ?? []).flatMap(({ name, isRead, sql }): readonly Unknown[] => {
      const message = `Not all that ${name} reads and writes is known: it runs text that it makes as SQL, or is not written in SQL.`;
      const at = locate(sql.source, { start: 0, end: sql.source.text.length });
      return isRead ? [] : [{ task: task.id, about: 'tables', table: undefined, message, at }];
    }),
    ...madeByItself(task, statements),
    ...brokenOff(task, statements),
    ...otherBranches(task, statements),
    ...clientCommands(task),
    ...takenBack(task, statements),
    ...templatedNames(task, statements, internal),
    ...(isScheduled(pipeline) ? reads.flatMap((read) => unknownWindow(task, read, writes, tables)) : []),
    ...(isScheduled(pipeline) ? writes.flatMap((write) => unknownSlice(task, write)) : []),
  ];
  return [...new Map(found.map((one) => [JSON.stringify([one.about, one.table, one.message]), one])).values()];
}

function unreadParts({ id, unread, accesses }: Task): readonly Unknown[] {
  const said = unread.map(({ hides, reason, at, searchPath }): Unknown => {
    const about = hides === 'table' ? 'table-name' : 'tables';
    const message = hides === 'table' ? `${capital(reason)}.` : `Not all that it reads and writes is known: ${reason}.`;
    return { task: id, about, table: undefined, message, at, ...(searchPath === undefined ? {} : { searchPath }) };
  });
  const more = accesses.flatMap(({ table: { value, at }, by, direction, at: whole }): readonly Unknown[] => {
    const place = at ?? whole;
    if (value.kind === 'literal' || said.some((one) => one.at?.file === place.file && one.at.start === place.start)) {
      return [];
    }
    const verb = direction === 'read' ? 'reads' : 'writes';
    const message = `The table that ${by} ${verb} is only known when the task runs.`;
    return [{ task: id, about: 'table-name', table: undefined, message, at: place }];
  });
  return [...said, ...more];
}

/** Which tables a text is about that a body puts together is known where the text is, and that is when it runs. */
const madeByItself = (task: Task, statements: readonly TaskStatement[]): readonly Unknown[] =>
  statements.flatMap(({ statement, sql, inBody }) =>
    inBody
      ? []
      : madeSql(sql.masked, sql.dialect, statement).map((span): Unknown => {
          const message = 'Not all that it reads and writes is known: it runs SQL that it makes.';
          return { task: task.id, about: 'tables', table: undefined, message, at: locate(sql.source, span) };
        }),
  );

/** What stands behind the place where a statement breaks off may name more tables. */
const brokenOff = (task: Task, statements: readonly TaskStatement[]): readonly Unknown[] =>
  statements.flatMap(({ statement: { unfinished }, sql }) => {
    if (unfinished === undefined) return [];
    const message = 'Not all that it reads and writes is known: a statement breaks off.';
    return [{ task: task.id, about: 'tables', table: undefined, message, at: locate(sql.source, unfinished) }];
  });

/** Of an `if` one branch is read: what only the others name is read and written all the same, in other runs. */
function otherBranches(task: Task, statements: readonly TaskStatement[]): readonly Unknown[] {
  if (task.sql.every(({ masked }) => masked.passed === undefined)) return [];
  const known = new Set(
    statements.flatMap(({ statement }) => [...statement.targets, ...statement.reads].map(({ name }) => name)),
  );
  return task.sql.flatMap((sql) =>
    (sql.masked.passed ?? []).flatMap((span): readonly Unknown[] => {
      const branch = maskTemplate(sql.source.text.slice(span.start, span.end), [], sql.environment);
      const named = namedInSql(branch, sql.dialect).relations.filter((name) => !known.has(name));
      if (named.length === 0) return [];
      const message = `Not all that it reads and writes is known: another branch of its template names ${named.join(', ')}.`;
      return [{ task: task.id, about: 'tables', table: undefined, message, at: locate(sql.source, span) }];
    }),
  );
}

/** What another file, a condition or a copy of psql does stands in no statement. */
const clientCommands = (task: Task): readonly Unknown[] =>
  task.sql.flatMap((sql) =>
    (sql.reading.clientCommands ?? []).map((span): Unknown => {
      const command = sql.source.text.slice(span.start, span.end).trim();
      const message = `Not all that it reads and writes is known: ${command} is a command of psql.`;
      return { task: task.id, about: 'tables', table: undefined, message, at: locate(sql.source, span) };
    }),
  );

/** Which of the statements before it have an effect is not told by them. A handler only takes back what failed. */
const takenBack = (task: Task, statements: readonly TaskStatement[]): readonly Unknown[] =>
  statements.flatMap(({ statement, sql, inBody }) => {
    if (statement.kind !== 'rollback' || statement.conditional || inBody) return [];
    const message = 'Not all that it reads and writes is known: ROLLBACK takes back what stands before it.';
    return [{ task: task.id, about: 'tables', table: undefined, message, at: locate(sql.source, statement) }];
  });

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function templatedNames(
  task: Task,
  statements: readonly TaskStatement[],
  internal: ReadonlySet<string>,
): readonly Unknown[] {
  return statements.flatMap((item) => {
    const { statement, sql } = item;
    if (writesNameless(statement)) {
      const message = `Which table this ${statement.kind.replace(/_/g, ' ').toUpperCase()} writes is not known: it names none.`;
      const at = locate(sql.source, statement.head);
      return [{ task: task.id, about: 'table-name', table: undefined, message, at }];
    }
    return [...statement.targets, ...statement.reads].flatMap((table): readonly Unknown[] => {
      if (tableName(table, item) !== undefined || internal.has(table.name)) return [];
      const text = /\|\|/.test(sql.source.text.slice(table.start, table.end))
        ? table.name.replace(/\$\{[^}]*\}/g, '…')
        : sql.source.text.slice(table.start, table.end);
      const message = `The table ${text} is only known when the task runs.`;
      return [{ task: task.id, about: 'table-name', table: undefined, message, at: locate(sql.source, table) }];
    });
  });
}

/** A name is left out, or a template or a value puts nothing there. */
const writesNameless = ({ kind, target, targets, copyDirection }: Statement): boolean =>
  target === undefined &&
  targets.length === 0 &&
  (/^(?:insert|insert_overwrite|replace|delete|update|merge|truncate|load|create_table_as)$/.test(kind) ||
    (kind === 'copy' && copyDirection === 'from'));

function unknownWindow(
  task: Task,
  { table, window, at }: ReadFact,
  writes: readonly WriteFact[],
  tables: KnownTablesOfWorkspace,
): readonly Unknown[] {
  const unknown = (message: string, place: ReadFact['at']): readonly Unknown[] => [
    { task: task.id, about: 'window', table, message, at: place },
  ];
  if (window.kind === 'unknown') {
    return unknown(`The range that it reads of ${table} is not known: ${window.reason}.`, window.at ?? at);
  }
  if (window.kind !== 'unbounded' || tables.slicedBy(table).length === 0) return [];
  // A full refresh makes its tables anew from all there is: that no condition says which rows is what it means.
  if (isSameInEveryRun(task) && writes.length > 0 && writes.every(isWholeReplace)) return [];
  // What it reads of its own whole table is a matter of how it writes.
  if (writes.some((write) => write.slice.kind === 'whole-table' && tables.same(write.table, table))) return [];
  const columns = tables.slicedBy(table).join(', ');
  return unknown(`It reads all of ${table}, which is written in slices of ${columns}: no condition says which.`, at);
}

const isWholeReplace = ({ slice, mode }: WriteFact): boolean => slice.kind === 'whole-table' && mode === 'full_replace';

function unknownSlice(task: Task, { table, slice, sliceAt, at }: WriteFact): readonly Unknown[] {
  const unknown = (message: string): readonly Unknown[] => [
    { task: task.id, about: 'slice', table, message, at: sliceAt ?? at },
  ];
  if (slice.kind === 'unknown')
    return unknown(`The rows of ${table} that one interval owns are not known: ${slice.reason}.`);
  if (slice.kind !== 'range' || slice.openZone === undefined) return [];
  const { column, openZone } = slice;
  return unknown(
    `The rows of ${table} that one interval owns are those of UTC’s days or, where ${column} holds moments, of ${openZone}’s, and its type is not known: plan with a connection, keep CREATE TABLE ${table} in the workspace, or declare it under writes of the task in backfill.yaml, such as slice: day of start (UTC).`,
  );
}
