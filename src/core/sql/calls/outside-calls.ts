import { plainText } from '../../template/mask/plain-text.ts';
import { lex } from '../lex/lexer.ts';
import type { Token } from '../lex/token.ts';

/** Something that a text does and that no ROLLBACK of its transaction takes back. */
export interface OutsideCall {
  /** The function as it is called, in lower case unless quoted, without its schema; `COPY`. */
  readonly name: string;
  /** In words, with the name as its subject: `writes a file`. */
  readonly does: string;
}

const named = (names: string, does: string) => names.split(' ').map((name) => [name, does] as const);

const elsewhere = 'sends SQL over a connection of its own';
const web = 'calls a web service';
const file = 'writes a file of the server';
const job = 'has work done in the background';
const server = 'acts on the server itself';
const stream = 'acts on replication';

/** Functions of the server and of extensions, by name. What is only undone by chance (sequences that move on) is not here. */
const outside: ReadonlyMap<string, string> = new Map([
  ...named('dblink dblink_exec dblink_send_query dblink_open', elsewhere),
  ...named('oracle_execute mysql_fdw_exec duckdb_execute', elsewhere),
  ...named('setval', 'sets a sequence, which does not go back'),
  ...named('lo_export pg_file_write pg_file_unlink pg_file_rename', file),
  ...named('http http_get http_post http_put http_patch http_delete http_head', web),
  ...named('query_export_to_s3 lambda_invoke', 'writes outside of the server'),
  ...named('pg_background_launch pg_background_launch_v2 pg_background_submit_v2', job),
  ...named('pg_terminate_backend pg_cancel_backend', 'ends the work of other sessions'),
  ...named('pg_reload_conf pg_rotate_logfile pg_switch_wal pg_create_restore_point pg_promote', server),
  ...named('pg_stat_reset pg_stat_reset_shared pg_stat_statements_reset', 'resets statistics of the server'),
  ...named('pg_logical_emit_message pg_logical_slot_get_changes pg_logical_slot_get_binary_changes', stream),
  ...named('pg_create_logical_replication_slot pg_create_physical_replication_slot', stream),
  ...named('pg_drop_replication_slot pg_replication_slot_advance pg_replication_origin_advance', stream),
  ...named('autonomous_publish', 'sends a message to a broker'),
]);

/** Where the name alone says too little, by the schema that these extensions always have. */
const outsideSchemas: ReadonlyMap<string, string> = new Map([
  ['cron', job],
  ['aws_s3', 'writes outside of the server'],
  ['aws_lambda', web],
  ['utl_file', file],
  ['dbms_pipe', 'sends a message to other sessions'],
  ['dbms_alert', 'sends a message to other sessions'],
  ['amqp', 'sends a message to a broker'],
  ['net', web],
]);

/** In a string that is run as SQL, in whatever pieces it is put together. */
const inString = new RegExp(`\\b(${[...outside.keys()].join('|')})\\s*\\(`, 'gi');
const copyInString = /\bcopy\b[\s\S]*?(?:\bto\s+(?:program\b|'|%L)|\bfrom\s+program\b)/i;

/**
 * What a text of SQL or PL/pgSQL calls, by name, that no rollback takes back. `dynamic`: strings in it are run as SQL, so
 * that what is named in them counts.
 */
export function outsideCalls(text: string, dynamic: boolean): readonly OutsideCall[] {
  const { tokens } = lex(plainText(text), 'postgres');
  const found = new Map<string, string>();
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token;
    if (token.kind === 'string') {
      if (!dynamic) continue;
      for (const [, name = ''] of token.text.matchAll(inString))
        found.set(name.toLowerCase(), outside.get(name.toLowerCase()) ?? '');
      if (copyInString.test(token.text)) found.set('COPY', file);
      continue;
    }
    if (token.kind === 'word' && token.text === 'copy') {
      const does = copies(tokens, index);
      if (does !== undefined) found.set('COPY', does);
    }
    if (!isName(token) || !isOpen(tokens[index + 1])) continue;
    const schema = isDot(tokens[index - 1]) ? tokens[index - 2]?.text : undefined;
    const does = (schema !== undefined && outsideSchemas.get(schema)) || outside.get(token.text);
    if (does === undefined || (token.text === 'dblink' && onlyAsks(tokens, index))) continue;
    found.set(token.text, does);
  }
  return [...found].map(([name, does]) => ({ name, does }));
}

/** `COPY … TO` a file or a program, or from a program; not to and from the client. */
function copies(tokens: readonly Token[], at: number): string | undefined {
  for (let index = at + 1, depth = 0; index < tokens.length; index++) {
    const { kind, text } = tokens[index] as Token;
    if (kind === 'terminator') return undefined;
    if (kind === 'operator' && (text === '(' || text === ')')) depth += text === '(' ? 1 : -1;
    if (depth > 0 || kind !== 'word' || (text !== 'to' && text !== 'from')) continue;
    const behind = tokens[index + 1];
    if (behind?.kind === 'word' && behind.text === 'program') return 'runs a program on the server';
    return text === 'to' && (behind?.kind === 'string' || behind?.kind === 'template-string') ? file : undefined;
  }
  return undefined;
}

/** What is sent is a text that begins like a query: the other side is read. */
function onlyAsks(tokens: readonly Token[], at: number): boolean {
  const strings: string[] = [];
  for (let index = at + 1, depth = 0; index < tokens.length; index++) {
    const { kind, text } = tokens[index] as Token;
    if (kind === 'string') strings.push(text);
    if (kind === 'operator' && (text === '(' || text === ')')) depth += text === '(' ? 1 : -1;
    if (depth === 0) break;
  }
  return (
    strings.some((text) => /^[\s(]*(?:select|with|values|table)\b/i.test(text)) &&
    !strings.some((text) => /\b(?:insert|update|delete|merge|truncate|call|do|create|drop|alter|copy)\b/i.test(text))
  );
}

const isName = ({ kind }: Token): boolean => kind === 'word' || kind === 'quoted';
const isDot = (token: Token | undefined): boolean => token?.kind === 'operator' && token.text === '.';
const isOpen = (token: Token | undefined): boolean => token?.kind === 'operator' && token.text === '(';
