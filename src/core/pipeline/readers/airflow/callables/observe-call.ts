import { emptyCall } from '../../../python/calls/call.ts';
import { openedPath } from '../../../python/library/method-call.ts';
import { none } from '../../../python/values/make-value.ts';
import type { Call, Interpreter, Value } from '../../../python/values/value.ts';
import { foreignSparkCall } from '../../spark/foreign-spark-call.ts';
import { handsFrames } from '../../spark/handed-frames.ts';
import { callAccesses } from '../access/call-accesses.ts';
import { sessionAccess, statementAccesses, statementCall } from '../access/sqlalchemy-statements.ts';
import { holderName } from '../access/table-value.ts';
import type { Program } from '../program/program.ts';
import { clientOf, isDatabase } from './client.ts';
import { argumentsOf, databaseOf, sessionOf } from './client-session.ts';
import { clockArguments } from './clock-arguments.ts';
import { noteAccess } from './note-access.ts';
import { noteUnread } from './note-unread.ts';
import { asksService } from './outside-calls.ts';
import { runsElsewhere, runsScript } from './remote-commands.ts';
import { isSql, sendSql } from './sent-sql.ts';
import { loadsCode, usesStore } from './unfollowed-calls.ts';

/**
 * A call that nothing in the workspace answers: what it reads and writes, what a clock reading is handed to, what of it
 * is not known. `self` is the receiver of a method.
 */
export function observeCall(
  program: Program,
  name: string,
  call: Call,
  run: Interpreter,
  self?: Value,
): Value | undefined {
  followHanded(program, name, call, run);
  const statement = statementCall(name, call, self);
  if (statement !== undefined) {
    noteQuery(program, name, statement, call, self);
    return statement;
  }
  const last = name.slice(name.lastIndexOf('.') + 1);
  const spark = self && foreignSparkCall(last, call, self, run);
  if (spark !== undefined) return spark;
  noteClocks(program, last, call, self);
  noteCommit(program, last, call, self);
  noteWritten(program, last, call, self);
  const isNoted = noteTables(program, name, last, call, self);
  const rows = sendSql(program, self, name, call);
  if (rows !== undefined) {
    if (runsScript(name, call)) sayHidden(program, name, last, call, self);
    return rows;
  }
  const opened = openedFrom(last, call, self);
  if (opened !== undefined) return opened;
  if (silent.test(last)) return none;
  if (!isNoted && !handsFrames(call, run, name)) sayHidden(program, name, last, call, self);
  return undefined;
}

/** `session.query(Order)` reads when it is iterated, `.delete()` and `.update(…)` of it write at once. */
function noteQuery(program: Program, name: string, statement: Value, call: Call, self: Value | undefined): void {
  const isQuery = name === 'query' || (self?.kind === 'instance' && self.attributes?.has(queryMark) === true);
  if (!isQuery || statement.kind !== 'instance') return;
  statement.attributes?.set(queryMark, none);
  if (name !== 'query' && name !== 'delete' && name !== 'update') return;
  const session = () => sessionOf(program, databaseOf(self, call), call);
  for (const access of statementAccesses(statement, call.at, session) ?? []) noteAccess(program, access);
}

const queryMark = 'query of a session';

const silent =
  /^(?:print|debug|info|warning|warn|error|exception|critical|log|sleep|append|xcom_push|monotonic|perf_counter)$|logg/i;

/** A function of the workspace that is handed to other code is called by it, some number of times. */
function followHanded(program: Program, name: string, call: Call, run: Interpreter): void {
  if (program.running === undefined) return;
  const [first, ...rest] = call.positional;
  const isSubmitted = /(?:^|\.)(?:submit|apply_async|run_in_executor|to_thread|call_soon|start_new_thread)$/.test(name);
  const threadArguments = call.keywords.get('args')?.value;
  run.uncertainty++;
  for (const value of argumentsOf(call)) {
    if (value.kind !== 'function') continue;
    const given =
      value === first && isSubmitted ? rest : threadArguments?.kind === 'list' ? threadArguments.items : undefined;
    const isFirst = value === first && isSubmitted;
    run.callFunction(value, {
      ...emptyCall(call.at, value.name, given),
      keywords: isFirst ? call.keywords : new Map(),
      open: given === undefined,
    });
  }
  run.uncertainty--;
}

/** `out.write("INSERT …")`: a later task may run the file. */
function noteWritten(program: Program, last: string, call: Call, self: Value | undefined): void {
  const path = last === 'write' || last === 'writelines' ? openedPath(self) : undefined;
  if (program.running === undefined || path === undefined) return;
  const [given] = call.positional;
  for (const text of given?.kind === 'list' ? given.items : [given])
    if (text?.kind === 'text') program.written.push({ path, text, conditions: program.conditions() });
}

/** `connection.commit()`: what is sent after it is another transaction of the same session. */
function noteCommit(program: Program, last: string, call: Call, self: Value | undefined): void {
  const client = clientOf(self);
  if (last !== 'commit' || program.running === undefined || !isDatabase(client)) return;
  const session = sessionOf(program, client, call);
  program.commits.set(session, (program.commits.get(session) ?? 0) + 1);
}

function noteClocks(program: Program, last: string, call: Call, self: Value | undefined): void {
  const task = program.running;
  if (task === undefined || silent.test(last) || /logg/i.test(call.callee)) return;
  task.clockUses.push(...clockArguments(last, call, self));
}

function noteTables(program: Program, name: string, last: string, call: Call, self: Value | undefined): boolean {
  if (program.running === undefined) return false;
  const client = databaseOf(self, call);
  const session = () => sessionOf(program, client, call);
  const type = self === undefined ? name : (client?.type ?? call.callee);
  const found = [
    ...(callAccesses({ name, call, type, session }) ?? []),
    ...[self && sessionAccess(last, call, session)].filter((access) => access !== undefined),
  ];
  for (const access of found) noteAccess(program, access);
  return found.length > 0;
}

/** A connection, cursor or engine keeps the hook that it came from; a table keeps its dataset. */
function openedFrom(last: string, call: Call, self: Value | undefined): Value | undefined {
  const client = self?.kind === 'unknown' ? undefined : clientOf(self);
  if (client === undefined || self === undefined) return undefined;
  if (opening.test(last))
    return {
      kind: 'instance',
      type: client.type.replace(/Hook$/, 'Connection'),
      call: client.type.endsWith('Hook') ? { ...client.opened } : client.opened,
    };
  if (/bigquery/i.test(client.type) && /^(?:dataset|table|get_table)$/.test(last))
    return { kind: 'instance', type: `bigquery.${last}`, call, attributes: new Map([[holderName, self]]) };
  return undefined;
}

const opening =
  /^(?:get_conn|get_connection_object|get_sqlalchemy_engine|get_cursor|cursor|connect|begin|connection|raw_connection|get_client|get_uri|__enter__|execution_options|getconn|acquire)$/;

/** Says where the Python of a task hands over to code that this workspace does not hold. */
function sayHidden(program: Program, name: string, last: string, call: Call, self: Value | undefined): void {
  if (program.running === undefined) return;
  if (name === 'builtins.exec' || name === 'builtins.eval') {
    noteUnread(program, 'code', `${last}(…) runs code that is put together at run time`, call.at);
    return;
  }
  const elsewhere = runsElsewhere(name, last, call, self) ?? loadsCode(name, last, call) ?? usesStore(name, self);
  if (elsewhere !== undefined) {
    if (!program.running.unread.some(({ reason }) => reason === elsewhere))
      noteUnread(program, 'code', elsewhere, call.at);
    return;
  }
  if (self !== undefined && isDatabase(clientOf(self))) return;
  if (handlesConnections.test(name) || handlesConnections.test(call.callee)) return;
  if (self === undefined && name.includes('.') && !/^(?:airflow|builtins)\./.test(name) && handsSql(call)) {
    noteUnread(
      program,
      'code',
      `${call.callee}(…) is given SQL and is defined outside the workspace, so what it reads and writes is not known`,
      call.at,
    );
    return;
  }
  if (
    argumentsOf(call).some(isConnection) ||
    [...call.keywords.keys()].some((keyword) => leadsToDatabase.test(keyword))
  )
    noteUnread(
      program,
      'code',
      `${call.callee}(…) is given a connection and is defined outside the workspace, so what it reads and writes is not known`,
      call.at,
    );
  else {
    const asked = asksService(name, last, call, self);
    if (asked !== undefined) noteUnread(program, 'effect', asked, call.at);
  }
}

/** A hook, connection, engine or session, rather than a table or expression made with one. */
function isConnection(value: Value): boolean {
  const client = value.kind === 'instance' || value.kind === 'object' ? clientOf(value) : undefined;
  return (
    isDatabase(client) &&
    /(?:Hook|[Cc]onnection|Client|connect|[Ee]ngine|[Ss]ession|sessionmaker|[Pp]ool|[Cc]ursor)$/.test(
      client?.type ?? '',
    )
  );
}

/** A text of SQL under a keyword that says it is one: what takes it as such means to run it. */
const handsSql = (call: Call): boolean =>
  [...call.keywords.values()].some(
    ({ name, value }) => /(?:^|_)(?:sql|query)$/.test(name) && value.kind === 'text' && isSql(value),
  );

/** Keywords under which a function is told where a database is. */
const leadsToDatabase = /^(?:database_ur[li]|db_ur[li]|dsn|(?:db_)?conn(?:ection)?_(?:string|str|ur[li]))$/;

/** What manages, wraps or describes a connection and touches no rows by itself. */
const handlesConnections =
  /closing|[Ss]ession|connect|urlparse|make_url|inspect|MetaData|(?:^|\.)Table$|declarative|register_|create_engine|isinstance|hasattr|getattr|type|DataFrame|logg|json|nullcontext|ExitStack|enter_context|automap|listen|dispose|close|commit|rollback|execute_values|read_sql|Operator$|Sensor$|JobConfig$|SchemaField|TimePartitioning|TableReference|DatasetReference|bigquery\.(?:Table|Dataset)$|append$/;
