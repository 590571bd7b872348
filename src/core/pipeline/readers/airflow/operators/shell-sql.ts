import { maskTemplate } from '../../../../template/mask/mask.ts';
import { sliceText } from '../../../python/values/text-value.ts';
import type { TextValue } from '../../../python/values/value.ts';
import { shellWords, type ShellWord as Word } from './shell-words.ts';

/** A client of a database that takes SQL as an argument. */
interface SqlClient {
  /** Flags that SQL follows, as `-c SQL` or `--command=SQL`; none where SQL is the last word. */
  readonly flags: readonly string[];
  /** Name of the engine, as hooks have it. */
  readonly engine: string;
  /** The word behind the name of the program, where it has subcommands. */
  readonly command?: string;
}

const clients: Readonly<Record<string, SqlClient>> = {
  psql: { flags: ['-c', '--command'], engine: 'Postgres' },
  mysql: { flags: ['-e', '--execute'], engine: 'MySql' },
  mariadb: { flags: ['-e', '--execute'], engine: 'MySql' },
  snowsql: { flags: ['-q', '--query'], engine: 'Snowflake' },
  duckdb: { flags: ['-c'], engine: 'DuckDB' },
  trino: { flags: ['--execute'], engine: 'Trino' },
  presto: { flags: ['--execute'], engine: 'Trino' },
  hive: { flags: ['-e'], engine: 'Spark' },
  beeline: { flags: ['-e'], engine: 'Spark' },
  'spark-sql': { flags: ['-e'], engine: 'Spark' },
  bq: { flags: [], engine: 'BigQuery', command: 'query' },
};

/** Arguments with which the SQL is not all that happens: a script, or a table that takes the result. */
const hidesMore =
  /^(?:-f|--file|-i|--init-file|-o|--output|-L|--log-file|--destination_table|--append_table|--replace|--flagfile)(?:=|$)/;

export interface ShellSql {
  readonly texts: readonly TextValue[];
  readonly engine: string;
  /** Each text is a transaction of its own. */
  readonly apart: boolean;
}

/**
 * The SQL of a shell command that does nothing else than to send literal SQL with a client of a database:
 * `psql "$DSN" -c "delete from t"`. `undefined` for every other command; nothing of the shell is carried out.
 */
export function shellSql(command: TextValue): ShellSql | undefined {
  const { text } = command.mapped;
  const words = shellWords(text, maskTemplate(text, command.holes).holes);
  if (words === undefined) return undefined;
  const plain = (word: Word | undefined): string =>
    (word ?? []).map(({ start, end }) => text.slice(start, end)).join('');
  const isSetting = (word: Word): boolean => /^\w+=/.test(plain(word));
  const begin = words.findIndex((word) => !isSetting(word));
  const [program, ...rest] = words.slice(Math.max(begin, 0));
  const client = clients[plain(program).replace(/^.*\//, '')];
  if (client === undefined || rest.some((word) => hidesMore.test(plain(word)))) return undefined;
  if (client.command !== undefined && !rest.some((word) => plain(word) === client.command)) return undefined;
  const given = client.flags.length === 0 ? rest.slice(-1) : afterFlags(rest, client.flags, plain);
  const texts = given.map((word) => literalOf(command, word));
  return texts.length > 0 && texts.every((one) => one !== undefined)
    ? {
        texts,
        engine: client.engine,
        apart: texts.length > 1 && !rest.some((word) => /^(?:-1|--single-transaction)$/.test(plain(word))),
      }
    : undefined;
}

function afterFlags(words: readonly Word[], flags: readonly string[], plain: (word: Word) => string): Word[] {
  return words.flatMap((word, index) => {
    if (flags.includes(plain(word))) return words[index + 1] === undefined ? [] : [words[index + 1] as Word];
    const [head, ...value] = word;
    const joined = head !== undefined && head.quote === '' && flags.some((flag) => plain([head]) === `${flag}=`);
    return joined ? [value] : [];
  });
}

/** SQL in one pair of quotes, in which the shell changes nothing. */
function literalOf(command: TextValue, word: Word): TextValue | undefined {
  const [only, ...others] = word;
  if (only === undefined || others.length > 0 || only.quote === '') return undefined;
  const sql = sliceText(command, only.start, only.end);
  return only.quote === '"' && /[$`\\!]/.test(maskTemplate(sql.mapped.text, sql.holes).text) ? undefined : sql;
}
