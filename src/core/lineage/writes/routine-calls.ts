import type { DatabaseDefinitions, DatabaseRoutine } from '../../pipeline/model/database-definitions.ts';
import { makeTaskSql } from '../../pipeline/model/make-task-sql.ts';
import type { CalledRoutine, Task, TaskSql } from '../../pipeline/model/model.ts';
import { type CallInSql, callsInSql } from '../../sql/calls/calls-in-sql.ts';
import { asBlock } from '../../sql/calls/named-in-sql.ts';
import { withArguments } from '../../sql/calls/with-arguments.ts';
import { locate } from '../../text/mapped-text.ts';
import type { SourceSpan } from '../../text/span.ts';

/** Routines that call routines beyond this are not followed. */
const maxDepth = 5;

/** What a task calls of a database's own routines, itself and through views, each body as it reads for that call. */
export function routineCalls(task: Task, database: DatabaseDefinitions): readonly CalledRoutine[] {
  if (database.routines.size === 0) return [];
  return task.sql.flatMap((sql, sqlIndex) => {
    if (sql.dialect !== 'postgres') return [];
    const found: CalledRoutine[] = [];
    const follow = (
      calls: readonly CallInSql[],
      text: string,
      at: number | undefined,
      path: readonly string[],
    ): void => {
      for (const call of calls) {
        for (const routine of database.routines.get(call.name) ?? []) {
          if (routine.parameters.length < call.arguments.length || !isOwn(routine)) continue;
          const place = at ?? call.start;
          const body = bodyOf(routine, call, text, sql, locate(sql.source, { start: place, end: place + 1 }), database);
          found.push({ sqlIndex, at: place, name: call.name, isRead: routine.isRead, sql: body });
          if (path.includes(routine.name) || path.length >= maxDepth) continue;
          follow(callsInSql(body.masked, 'postgres'), body.source.text, place, [...path, routine.name]);
        }
      }
    };
    follow(callsInSql(sql.masked, sql.dialect), sql.source.text, undefined, []);
    for (const { start, table } of namedTables(sql)) {
      const calls = viewCalls(table, database, new Set()).map((name) => ({ name, start, arguments: [] }));
      follow(calls, '', start, []);
    }
    return found;
  });
}

/** In a language that reads no tables by SQL of its own: what an extension brings, for the most part. */
const isOwn = ({ language }: DatabaseRoutine): boolean => language !== 'c' && language !== 'internal';

function bodyOf(
  routine: DatabaseRoutine,
  call: CallInSql,
  caller: string,
  sql: TaskSql,
  at: SourceSpan | undefined,
  { relations }: DatabaseDefinitions,
): TaskSql {
  const columns = new Set(
    routine.language === 'sql' ? routine.reads.flatMap((name) => relations.get(name)?.columns ?? []) : [],
  );
  const given = routine.parameters.map(({ name, type }, index) => ({
    name,
    type,
    text: argument(call, caller, name, index),
  }));
  const body = withArguments(routine.body ?? '', routine.name, given, columns);
  const text = routine.language === 'plpgsql' ? asBlock(asQueries(body)) : body;
  // A whole body stands where it is called.
  const pieces = at === undefined ? [] : [{ at: 0, length: text.length, source: at, exact: false }];
  const { session, environment, sessionZone } = sql;
  return makeTaskSql({ text, pieces }, [], 'postgres', 'imported', { session, environment, sessionZone });
}

/** `RETURN QUERY SELECT …`, `RETURN …` and `PERFORM …` as the queries that they run. */
const asQueries = (body: string): string =>
  body
    .replace(/\breturn\b(?!\s*;|\s+(?:query|next|new|old)\b)/gi, 'select')
    .replace(/\breturn\s+query\b(?!\s+execute\b)/gi, (words) => ' '.repeat(words.length))
    .replace(/\bperform\b/gi, 'select ');

/** `p_day => '…'`, or the one in its place; what Python puts into it is not known. */
function argument(call: CallInSql, caller: string, name: string, index: number): string | undefined {
  const texts = call.arguments.map(({ start, end }) => caller.slice(start, end));
  const named = (text: string): string | undefined => /^\s*"?([\w$]+)"?\s*(?:=>|:=)/.exec(text)?.[1];
  const own = texts.find((text) => name !== '' && named(text)?.toLowerCase() === name.toLowerCase());
  if (own !== undefined) return own.replace(/^[^=:]*(?:=>|:=)\s*/, '');
  const text = texts[index];
  return text === undefined || named(text) !== undefined ? undefined : text;
}

/** Every table's place in a text, by the start of its name. */
const namedTables = ({ reading }: TaskSql): readonly { readonly start: number; readonly table: string }[] =>
  reading.statements.flatMap((statement) =>
    [statement, ...statement.body, ...statement.modifying].flatMap(({ reads }) =>
      reads.map(({ name, start }) => ({ start, table: name })),
    ),
  );

function viewCalls(name: string, { relations }: DatabaseDefinitions, seen: Set<string>): readonly string[] {
  const relation = relations.get(name);
  if (relation?.kind !== 'view' || seen.has(relation.name)) return [];
  seen.add(relation.name);
  return [
    ...relation.calls,
    ...relation.reads.flatMap((read) => viewCalls(read, { relations, routines: new Map() }, seen)),
  ];
}
