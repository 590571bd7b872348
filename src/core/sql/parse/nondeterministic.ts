import type { Token } from '../lex/token.ts';
import { isClockLiteral } from '../model/clock-literal.ts';
import type { DialectName } from '../model/dialect-name.ts';
import type { Statement } from '../model/statement.ts';

type Call = Statement['nondeterministic'][number];
type Family = Call['family'];

const names = (family: Family, text: string): [string, Family][] =>
  text
    .trim()
    .split(/\s+/)
    .map((name) => [name, family]);

/** Functions of all dialects whose result differs between runs. A name that only one dialect has is no other's built-in. */
const families: ReadonlyMap<string, Family> = new Map([
  ...names(
    'clock',
    `now clock_timestamp statement_timestamp transaction_timestamp timeofday current_date current_time current_timestamp
     current_datetime current_timezone_timestamp localtime localtimestamp getdate getutcdate sysdate systimestamp sysdatetime
     curdate curtime utc_date utc_time utc_timestamp today get_current_time get_current_timestamp`,
  ),
  ...names(
    'random',
    `random random_normal rand randn randstr uniform gen_random_uuid gen_random_bytes uuid_generate_v1 uuid_generate_v1mc
     uuid_generate_v4 uuidv4 uuidv7 uuid uuid_short uuid_string generate_uuid newid newsequentialid shuffle`,
  ),
  ...names(
    'sequence',
    `nextval currval lastval setval txid_current pg_current_xact_id monotonically_increasing_id seq1 seq2 seq4 seq8
     last_insert_id`,
  ),
]);

/** Only without arguments: with one they are a function of it. */
const clockWithoutArguments = new Set(['unix_timestamp', 'uuid_string']);

/** Calls without brackets, by dialect where the word is no keyword everywhere. */
const bare = new Set([
  'current_date',
  'current_time',
  'current_timestamp',
  'localtime',
  'localtimestamp',
  'current_datetime',
]);
const bareIn: Readonly<Record<string, ReadonlySet<DialectName>>> = {
  sysdate: new Set(['redshift', 'ansi', 'snowflake']),
  systimestamp: new Set(['ansi']),
  utc_date: new Set(['mysql']),
  utc_time: new Set(['mysql']),
  utc_timestamp: new Set(['mysql']),
};

/** Every word that may be such a call; all others are passed by at once. */
const candidates: ReadonlySet<string> = new Set([
  ...families.keys(),
  ...clockWithoutArguments,
  ...bare,
  ...Object.keys(bareIn),
  'age',
]);

/** Names that only some dialects have as a function of their own. */
const onlyIn: Readonly<Record<string, ReadonlySet<DialectName>>> = {
  today: new Set(['duckdb']),
  uniform: new Set(['snowflake']),
  shuffle: new Set(['spark', 'trino']),
  current_datetime: new Set(['bigquery']),
};

const notBefore = new Set(['as', 'function', 'procedure', 'macro', 'into', 'update', 'table', 'from', 'join']);

/**
 * Calls in tokens `[from, to)` whose result differs between runs. Strings, comments, columns, aliases and functions of
 * a schema of the user's own never count. The span is the whole call.
 */
export function nondeterministicCalls(
  tokens: readonly Token[],
  from: number,
  to: number,
  match: Int32Array,
  dialect: DialectName,
): readonly Call[] {
  const calls: Call[] = [];
  for (let index = from; index < to; index++) {
    const here = tokens[index];
    if (here === undefined) continue;
    const moment = here.kind === 'string' ? clockLiteralAt(tokens, index, dialect) : undefined;
    if (moment !== undefined) calls.push(moment);
    if (here.kind !== 'word' || !candidates.has(here.text)) continue;
    const call = callAt(tokens, index, to, match, dialect);
    if (call !== undefined) calls.push(call);
  }
  return calls;
}

/** `date 'today'`, `'yesterday'::date`, `CAST('now' AS timestamptz)`. */
function clockLiteralAt(tokens: readonly Token[], index: number, dialect: DialectName): Call | undefined {
  const here = tokens[index];
  if (here === undefined) return undefined;
  // `timestamp with time zone 'now'`
  let first = index - 1;
  if (tokens[first]?.text === 'zone') while (zoneWords.has(tokens[first]?.text ?? '')) first--;
  const [before, behind, type] = [tokens[first], tokens[index + 1], tokens[index + 2]];
  const call = (start: number, end: number): Call => ({ name: `'${here.text}'`, family: 'clock', start, end });
  if (before?.kind === 'word' && isClockLiteral(here.text, before.text, dialect)) return call(before.start, here.end);
  if (type?.kind !== 'word' || !isClockLiteral(here.text, type.text, dialect)) return undefined;
  return behind?.text === '::' || behind?.text === 'as'
    ? call(here.start, behind.text === 'as' ? here.end : type.end)
    : undefined;
}

const zoneWords = new Set(['with', 'without', 'time', 'zone']);

function callAt(
  tokens: readonly Token[],
  index: number,
  to: number,
  match: Int32Array,
  dialect: DialectName,
): Call | undefined {
  const here = tokens[index];
  if (here === undefined) return undefined;
  const name = here.text;
  const previous = tokens[index - 1];
  const next = index + 1 < to ? tokens[index + 1] : undefined;
  const dotted = previous?.kind === 'operator' && previous.text === '.';
  if (name === 'nextval' && dotted && dialect === 'snowflake') {
    const start = tokens[index - 2]?.start ?? here.start;
    return { name, family: 'sequence', start, end: here.end };
  }
  const called = next?.kind === 'operator' && next.text === '(';
  const family = called ? calledFamily(tokens, index, to, match, dialect) : bareFamily(name, dialect);
  if (family === undefined || next?.text === '.') return undefined;
  if (previous?.kind === 'word' && notBefore.has(previous.text) && !(called && previous.text === 'from'))
    return undefined;
  if (dotted && tokens[index - 2]?.text !== 'pg_catalog') return undefined;
  const start = dotted ? (tokens[index - 2]?.start ?? here.start) : here.start;
  const close = called ? Math.min(match[index + 1] ?? to, to - 1) : index;
  return { name, family, start, end: tokens[close]?.end ?? here.end };
}

function calledFamily(
  tokens: readonly Token[],
  index: number,
  to: number,
  match: Int32Array,
  dialect: DialectName,
): Family | undefined {
  const name = tokens[index]?.text ?? '';
  const close = match[index + 1] ?? to;
  const empty = close === index + 2;
  if (clockWithoutArguments.has(name)) return !empty ? undefined : name === 'uuid_string' ? 'random' : 'clock';
  // `age(t)` counts from the current date, `age(a, b)` does not.
  if (name === 'age' && dialect === 'postgres')
    return !empty && !hasComma(tokens, index + 2, close, match) ? 'clock' : undefined;
  return onlyIn[name]?.has(dialect) === false ? undefined : families.get(name);
}

function hasComma(tokens: readonly Token[], from: number, to: number, match: Int32Array): boolean {
  for (let index = from; index < to; index++) {
    const here = tokens[index];
    if (here?.kind !== 'operator') continue;
    if (here.text === ',') return true;
    if (here.text === '(') index = match[index] ?? index;
  }
  return false;
}

const bareFamily = (name: string, dialect: DialectName): Family | undefined =>
  (bare.has(name) && onlyIn[name]?.has(dialect) !== false) || bareIn[name]?.has(dialect) === true ? 'clock' : undefined;
