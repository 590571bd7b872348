import type { Call } from '../../python/call.ts';
import { argumentClocks } from '../../python/call-value.ts';
import { iterate } from '../../python/iterate.ts';
import { plainText } from '../../python/text-value.ts';
import type { Value } from '../../python/value.ts';
import { none } from '../../python/value.ts';
import { callAccesses } from './access/call-accesses.ts';
import { noteAccess } from './access/note-access.ts';
import { sparkAccess, writerCall } from './access/spark-accesses.ts';
import { sessionAccess, statementCall } from './access/sqlalchemy-statements.ts';
import { holderName } from './access/table-value.ts';
import { clientOf, isDatabase } from './client.ts';
import { argumentsOf, databaseOf, sessionOf } from './client-session.ts';
import { noteUnread } from './note-unread.ts';
import type { Program } from './program.ts';
import { sendSql } from './sent-sql.ts';

/**
 * A call that nothing in the workspace answers: what it reads and writes, what a clock reading is handed to, what of it
 * is not known. `self` is the receiver of a method.
 */
export function observeCall(program: Program, name: string, call: Call, self?: Value): Value | undefined {
  const statement = statementCall(name, call, self);
  if (statement !== undefined) return statement;
  const last = name.slice(name.lastIndexOf('.') + 1);
  const writer = self && writerCall(last, call, self);
  if (writer !== undefined) return writer;
  noteClocks(program, last, call);
  const isNoted = noteTables(program, name, last, call, self);
  const rows = sendSql(program, self, name, call);
  if (rows !== undefined) return rows;
  const opened = openedFrom(last, call, self);
  if (opened !== undefined) return opened;
  if (silent.test(last)) return none;
  if (!isNoted) sayHidden(program, name, last, call, self);
  return undefined;
}

const silent =
  /^(?:print|debug|info|warning|warn|error|exception|critical|log|sleep|append|xcom_push|monotonic|perf_counter)$|logg/i;
const pathLike =
  /open|path|read_|to_csv|to_parquet|to_json|upload|download|load_file|load_string|load_bytes|put_object|get_object|key|blob|copy|save|write|listdir|glob|makedirs/i;

function noteClocks(program: Program, last: string, call: Call): void {
  const task = program.running;
  if (task === undefined || silent.test(last) || /logg/i.test(call.callee)) return;
  const into = pathLike.test(last) ? 'path' : 'argument';
  for (const site of argumentClocks(call)) task.clockUses.push({ site, into });
}

function noteTables(program: Program, name: string, last: string, call: Call, self: Value | undefined): boolean {
  if (program.running === undefined) return false;
  const client = databaseOf(self, call);
  const session = () => sessionOf(program, client, call);
  const type = self === undefined ? name : (client?.type ?? call.callee);
  const found = [
    ...(callAccesses({ name, call, type, session }) ?? []),
    ...[self && sparkAccess(last, call, self, session), self && sessionAccess(last, call, session)].filter(
      (access) => access !== undefined,
    ),
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

const shellCommand =
  /^(?:subprocess\.(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)|os\.(?:system|popen))$/;

/** Commands that move files and touch no table. */
const fileCommand =
  /^(?:wget|curl|unzip|tar|gzip|gunzip|zip|7z|rm|mkdir|cp|mv|ls|cat|chmod|chown|pip|pip3|echo|sleep|find|touch|head|tail|wc|sed|awk|gsutil|git|ffmpeg|which|kill|df|du|scp|rsync|sftp|ssh-keyscan)$/;

/** Says where the Python of a task hands over to code that this workspace does not hold. */
function sayHidden(program: Program, name: string, last: string, call: Call, self: Value | undefined): void {
  if (program.running === undefined) return;
  if (name === 'builtins.exec' || name === 'builtins.eval') {
    noteUnread(program, 'code', `${last}(…) runs code that is put together at run time`, call.at);
    return;
  }
  if (shellCommand.test(name) || (last === 'run_command' && self !== undefined)) {
    const command = commandOf(call);
    if (command === undefined || !fileCommand.test(command))
      noteUnread(
        program,
        'code',
        `it runs ${command === undefined ? 'a shell command' : `the command ${command}`}`,
        call.at,
      );
    return;
  }
  if (self !== undefined && isDatabase(clientOf(self))) return;
  if (handlesConnections.test(name) || handlesConnections.test(call.callee)) return;
  const given = argumentsOf(call).find((value) => isDatabase(clientOf(value)) && value.kind !== 'bound-method');
  if (given !== undefined)
    noteUnread(
      program,
      'code',
      `${call.callee}(…) is given a connection and is defined outside the workspace, so what it reads and writes is not known`,
      call.at,
    );
}

/** What manages, wraps or describes a connection and touches no rows by itself. */
const handlesConnections =
  /closing|[Ss]ession|inspect|MetaData|(?:^|\.)Table$|declarative|register_|create_engine|isinstance|hasattr|getattr|type|DataFrame|logg|json|nullcontext|ExitStack|enter_context|automap|listen|dispose|close|commit|rollback|execute_values|read_sql|Operator$|Sensor$|JobConfig$|SchemaField|TimePartitioning|TableReference|DatasetReference|bigquery\.(?:Table|Dataset)$|append$/;

function commandOf(call: Call): string | undefined {
  const [first] = call.positional;
  const given = first ?? call.keywords.get('args')?.value ?? call.keywords.get('command')?.value;
  const word = given?.kind === 'list' ? iterate(given).values[0] : given;
  const text = word === undefined ? undefined : plainText(word);
  return /^\s*([\w./-]+)/.exec(text ?? '')?.[1]?.replace(/^.*\//, '');
}
