import { withoutLeadingComments } from '../../../sql/lex/leading-comments.ts';
import { argument, type Call } from '../../python/call.ts';
import { argumentClocks } from '../../python/call-value.ts';
import { markParameters } from '../../python/format-text.ts';
import { plainText, type TextValue } from '../../python/text-value.ts';
import type { Value } from '../../python/value.ts';
import { none, unknown } from '../../python/value.ts';
import type { Program } from './program.ts';

/** Methods and functions whose first argument is SQL that a database runs. */
const sendingCalls: ReadonlySet<string> = new Set([
  'run',
  'execute',
  'executemany',
  'execute_batch',
  'execute_values',
  'copy_expert',
  'get_records',
  'get_first',
  'get_pandas_df',
  'get_df',
  'read_sql',
  'read_sql_query',
  'query',
  'sql',
  'fetch',
  'fetchval',
  'fetchrow',
  'insert_job',
  'run_query',
  'execute_query',
  'execute_string',
]);

const sqlVerb =
  /^(?:select|insert|update|delete|merge|create|drop|truncate|copy|with|alter|begin|start\s+transaction|replace|call|unload|refresh|vacuum|analyze|grant|lock|set|use|load|msck|optimize|commit|rollback|export|from)\b/i;

/** Takes note of SQL that the Python of a task sends; the result is rows that are not known. */
export function sendSql(program: Program, self: Value | undefined, name: string, call: Call): Value | undefined {
  const task = program.running;
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (task === undefined || !sendingCalls.has(last)) return undefined;
  // `psycopg2.extras.execute_values(cursor, sql, …)` has the cursor first.
  const position = /^execute_(?:batch|values)$/.test(last) ? 1 : 0;
  const given =
    argument(call, 'sql', position) ??
    call.keywords.get('query') ??
    call.keywords.get('statement') ??
    call.keywords.get('operation');
  if (given === undefined) return undefined;
  const texts = given.value.kind === 'list' ? given.value.items : [given.value];
  const queries = texts.filter(
    (value): value is TextValue => value.kind === 'text' && sqlVerb.test(withoutLeadingComments(value.mapped.text)),
  );
  if (queries.length === 0) return undefined;
  const parameters =
    argument(call, 'parameters')?.value ?? call.keywords.get('params')?.value ?? call.positional[position + 1];
  const { client, connection, session } = sender(program, self, name, call);
  for (const query of queries)
    task.sent.push({
      text: parameters === undefined ? query : markParameters(query, parameters),
      call,
      client,
      connection,
      session,
    });
  return unknown('rows of a query');
}

/** Who sends it: a hook opens a session per call, a cursor or connection is one session. */
function sender(program: Program, self: Value | undefined, name: string, call: Call) {
  const opened = self?.kind === 'instance' ? self : undefined;
  const client = opened?.type ?? `${name} ${call.callee}`;
  const opener = opened?.call;
  const connection =
    opener === undefined
      ? undefined
      : plainText(
          opener.positional[0] ?? [...opener.keywords.values()].find((keyword) => /conn_id$/.test(keyword.name))?.value,
        );
  const isHook = /Hook$/.test(client);
  const key: unknown = isHook ? call : (opener ?? program.running);
  return { client, connection, session: sessionNumber(program, key) };
}

function sessionNumber(program: Program, key: unknown): number {
  const number = program.sessions.get(key) ?? program.sessions.size;
  program.sessions.set(key, number);
  return number;
}

const silent =
  /^(?:print|debug|info|warning|warn|error|exception|critical|log|sleep|append|xcom_push|monotonic|perf_counter)$|logg/i;
const pathLike =
  /open|path|read_|to_csv|to_parquet|to_json|upload|download|load_file|load_string|load_bytes|put_object|get_object|key|blob|copy|save|write|listdir|glob|makedirs/i;

/** A call that is not followed: what a clock reading is handed to, and connections opened from a hook. */
export function observeCall(program: Program, name: string, call: Call, self?: Value): Value | undefined {
  const last = name.slice(name.lastIndexOf('.') + 1);
  const task = program.running;
  if (task !== undefined && !silent.test(last) && !/logg/i.test(call.callee)) {
    const into = pathLike.test(last) ? 'path' : 'argument';
    for (const site of argumentClocks(call)) task.clockUses.push({ site, into });
  }
  // A connection, cursor or engine keeps the hook that it came from.
  if (
    self?.kind === 'instance' &&
    /^(?:get_conn|get_sqlalchemy_engine|get_cursor|cursor|connect|begin|connection|raw_connection|get_client|get_uri|__enter__)$/.test(
      last,
    )
  )
    return {
      kind: 'instance',
      type: self.type.replace(/Hook$/, 'Connection'),
      call: self.type.endsWith('Hook') ? { ...self.call } : self.call,
    };
  return silent.test(last) ? none : undefined;
}
