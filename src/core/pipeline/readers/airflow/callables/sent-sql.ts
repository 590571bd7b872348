import { withoutLeadingComments } from '../../../../sql/lex/leading-comments.ts';
import { commonConditions, sameConditions } from '../../../model/condition.ts';
import { argument } from '../../../python/calls/call.ts';
import { markParameters } from '../../../python/library/format-text.ts';
import { unknown } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, Keyword, TextValue, Value } from '../../../python/values/value.ts';
import { statementAccesses } from '../access/sqlalchemy-statements.ts';
import type { Program, SentSql } from '../program/program.ts';
import { openedSettings } from '../session/opened-settings.ts';
import { namedTable } from '../transfers/table-name.ts';
import { type Client, connectionIdOf, isDatabase, namedLikeDatabase } from './client.ts';
import { databaseOf, sessionOf } from './client-session.ts';
import { noteAccess } from './note-access.ts';
import { noteUnread, reasonFor } from './note-unread.ts';

/** Methods and functions that give a database SQL to run, with the place of the text among the arguments. */
const sendingCalls: ReadonlyMap<string, number> = new Map([
  ...[
    'run',
    'execute',
    'executemany',
    'executescript',
    'copy_expert',
    'copy',
    'get_records',
    'get_first',
    'get_pandas_df',
    'get_pandas_df_by_chunks',
    'get_df',
    'get_df_by_chunks',
    'read_sql',
    'read_sql_query',
    'read_gbq',
    'read_clickhouse',
    'read_database',
    'read_database_uri',
    'to_dataframe',
    'query',
    'query_and_wait',
    'sql',
    'fetch',
    'fetchval',
    'fetchrow',
    'insert_job',
    'run_query',
    'execute_query',
    'execute_string',
    'execute_async',
    'unload',
    'start_query_execution',
    'execute_statement',
    'command',
    'exec_driver_sql',
    'scalar',
    'scalars',
    'query_dataframe',
    'query_df',
    'query_df_stream',
    'query_np',
    'query_arrow',
    'query_rows_stream',
    'execute_iter',
    'insert_dataframe',
  ].map((name) => [name, 0] as const),
  // The cursor comes first.
  ['execute_batch', 1],
  ['execute_values', 1],
]);

/** Of these names everything is SQL, whatever the receiver is. */
const onlySql =
  /^(?:executemany|executescript|copy_expert|get_records|get_first|get_pandas_df|get_df|read_sql|read_sql_query|execute_batch|execute_values|exec_driver_sql)$/;

/** They run a statement once for each row that they are given. */
const takesRows = /^(?:executemany|execute_batch|execute_values|insert_dataframe)$/;

/** A verb that something to act on follows: an expression of a data frame (`from == "x"`) or a path is none. */
const sqlVerb =
  /^\(*\s*(?:(?:select|insert|update|delete|merge|create|drop|truncate|copy|with|alter|replace|call|unload|refresh|vacuum|analyze|grant|lock|set|use|load|msck|optimize|export|from|exec|execute|declare|do|begin|start|prepare)(?=\s+(?!(?:in|not|and|is|or(?!\s+(?:replace|alter|ignore|abort|fail|rollback|refresh)\b))\s)[^=<>!&|\s]|\s*[(*"'])|(?:begin|commit|rollback|vacuum|analyze)\b\s*(?:;|$))/i;

/** Whether a text is a statement, or begins with one. */
export const isSql = (value: TextValue): boolean => {
  const text = withoutLeadingComments(withoutLeadingComments(value.mapped.text).replace(preparing, ''));
  return sqlVerb.test(text) && !flux.test(text);
};

/** Statements that come before those of data in one text and touch no rows: `INSTALL spatial; LOAD spatial; …`. */
const preparing = /^(?:\s*(?:install|load|attach|detach|pragma|reset|checkpoint|system|flush)\b[^;]*;)+/i;

/** InfluxDB's own language: `from(bucket: "b") |> range(…)`. */
const flux = /^\s*from\s*\(\s*bucket(?:ID)?\s*:/;

/** Takes note of SQL that the Python of a task sends; the result is rows that are not known. */
export function sendSql(program: Program, self: Value | undefined, name: string, call: Call): Value | undefined {
  const last = name.slice(name.lastIndexOf('.') + 1);
  const position = sendingCalls.get(last);
  if (program.running === undefined || position === undefined || self?.kind === 'host') return undefined;
  const given = textArgument(call, position);
  if (given === undefined) return undefined;
  const client = databaseOf(self, call);
  const parameters =
    argument(call, 'parameters')?.value ?? call.keywords.get('params')?.value ?? call.positional[position + 1];
  const isSent = sendTexts(program, given, client, call, { name, last, parameters });
  return isSent ? unknown('rows of a query') : undefined;
}

interface Sending {
  /** Of the call, fully qualified where that is known. */
  readonly name: string;
  readonly last: string;
  readonly parameters: Value | undefined;
}

/** Takes note of each statement of an argument; false when none of it is SQL. */
export function sendTexts(
  program: Program,
  given: Keyword,
  client: Client | undefined,
  call: Call,
  { name, last, parameters }: Sending = { name: 'execute', last: 'execute', parameters: undefined },
): boolean {
  const session = () => sessionOf(program, client, call);
  let isSent = false;
  for (const value of alternatives(given.value)) {
    if (value.kind === 'text' && isSql(value)) {
      const number = session();
      noteSent(program, {
        text: parameters === undefined ? value : markParameters(value, parameters),
        call,
        client: clientName(client, name, call),
        connection: client && connectionIdOf(client),
        settings: client === undefined ? [] : openedSettings(client.opened),
        session: number,
        commits: program.commits.get(number) ?? 0,
        byRow: program.isRepeated() || takesRows.test(last),
        conditions: program.conditions(),
      });
      isSent = true;
      continue;
    }
    const accesses = statementAccesses(value, call.at, session);
    for (const access of accesses ?? []) noteAccess(program, access);
    if (accesses !== undefined || readsTable(program, last, value, given, call, session)) isSent = true;
    else if (onlySql.test(last) || isDatabase(client) || namedLikeDatabase(call.callee))
      isSent = sayUnknown(program, last, value, given, call) || isSent;
  }
  return isSent;
}

/** The same text of the same call on two ways is sent under what the ways have in common. */
export function noteSent(program: Program, sent: SentSql): void {
  const all = program.running?.sent ?? [];
  const known = all.findIndex(
    (other) =>
      other.call.at.file === sent.call.at.file &&
      other.call.at.start === sent.call.at.start &&
      other.text.mapped.text === sent.text.mapped.text &&
      other.conditions !== sent.conditions,
  );
  const other = all[known];
  if (other === undefined || sameConditions(other.conditions, sent.conditions)) all.push(sent);
  else all[known] = { ...other, conditions: commonConditions(other.conditions, sent.conditions) };
}

function textArgument(call: Call, position: number): Keyword | undefined {
  for (const name of ['sql', 'query', 'statement', 'operation', 'stmt', 'QueryString', 'Sql', 'querystring']) {
    const keyword = call.keywords.get(name);
    if (keyword !== undefined) return keyword;
  }
  const configured = call.keywords.get('configuration') ?? argument(call, 'configuration', position);
  if (configured?.value.kind === 'dict') {
    const job = configured.value.entries.get('query')?.value;
    const entry = job?.kind === 'dict' ? job.entries.get('query') : undefined;
    return entry && { name: 'query', ...entry };
  }
  return argument(call, 'sql', position);
}

/** A list is several statements; under a condition a value may be one or the other. */
function alternatives(value: Value): readonly Value[] {
  if (value.kind === 'list') return value.items.flatMap(alternatives);
  if (value.kind === 'unknown' && value.options !== undefined) return value.options;
  return [value];
}

/** Names of the hook or driver, for the dialect. */
const clientName = (client: Client | undefined, name: string, call: Call): string =>
  client === undefined ? `${name} ${call.callee}` : `${client.type} ${plainText(client.opened.positional[0]) ?? ''}`;

/** `read_sql("orders", con)` and `read_gbq("shop.orders")` take a table's name as well. */
function readsTable(
  program: Program,
  last: string,
  value: Value,
  given: Keyword,
  call: Call,
  session: () => number,
): boolean {
  const name = plainText(value);
  if (!/^read_(?:sql|gbq)$/.test(last) || name === undefined || !/^[\w.$`"-]+$/.test(name)) return false;
  const { table, partition } = namedTable(value);
  noteAccess(program, {
    direction: 'read',
    table: { value: table, at: given.valueAt },
    by: last,
    mode: undefined,
    partition: partition && { value: partition, at: given.valueAt },
    key: [],
    at: call.at,
    session: session(),
  });
  return true;
}

/** Says that a statement is sent and what it says is not known. */
function sayUnknown(program: Program, last: string, value: Value, given: Keyword, call: Call): boolean {
  if (value.kind === 'external' && /^airflow\./.test(value.name)) return false;
  const text = value.kind === 'text' ? value : undefined;
  const [hole] = text?.holes ?? [];
  // What begins with a word of its own is no statement of data: SHOW, PRAGMA, PUT, the command of something else.
  const beginning = text === undefined ? '' : withoutLeadingComments(text.mapped.text.slice(0, hole?.start));
  if (text !== undefined && (hole === undefined || /\w/.test(beginning))) return false;
  if (value.kind === 'scalar' || (value.kind === 'list' && value.items.length === 0)) return false;
  if (value.kind === 'instance' && /(?:^|\.)(?:Create|Drop)(?:Schema|Table|Index|Sequence)$/.test(value.type))
    return false;
  if (last === 'query' && text === undefined && value.kind !== 'unknown') {
    // A query object over something else than a class of the workspace.
    const reason = reasonFor(value, 'its columns and expressions are not followed');
    noteUnread(program, 'table', `what ${call.callee}(…) reads is not known: ${reason}`, given.valueAt);
    return true;
  }
  const reason =
    hole === undefined
      ? reasonFor(value, 'it is known at run time only')
      : `it begins with ${hole.source}${hole.value.kind === 'unknown' ? `: ${hole.value.reason}` : ''}`;
  noteUnread(program, 'statement', `the SQL that ${call.callee}(…) sends is not known: ${reason}`, given.valueAt);
  return true;
}
