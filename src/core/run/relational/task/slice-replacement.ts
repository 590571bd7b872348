import { lex } from '../../../sql/lex/lexer.ts';
import type { Token } from '../../../sql/lex/token.ts';
import { lastNamePart, nameParts } from '../../../sql/model/name-parts.ts';
import type { Statement } from '../../../sql/model/statement.ts';
import { readSql } from '../../../sql/read-sql.ts';
import { plainText } from '../../../template/mask/plain-text.ts';
import { quoteIdentifier } from '../../../warehouse/dialects/postgres/quote.ts';
import { unqualified } from '../../jobs/render-statements.ts';
import type { JobSlice, RenderedStatement } from '../../unit/unit-job.ts';

/** A task that empties its slice and fills it with the rows of one query, and does nothing else. */
export interface SliceReplacement {
  /** The statement that empties the slice: DELETE or TRUNCATE. */
  readonly clear: RenderedStatement;
  readonly fill: RenderedStatement;
  /** The target as the statements name it: folded, without quotes, parts joined by dots. */
  readonly target: string;
  /** Columns that the INSERT names, in its order; `undefined`: those of the table, by place, and perhaps not all. */
  readonly columns: readonly string[] | undefined;
  /** The query with its common tables, as written: what the slice is filled with. */
  readonly select: string;
}

/**
 * Recognises a replacement in the statements of a unit as they are sent (without the task's BEGIN and COMMIT), in the
 * SQL of PostgreSQL: a DELETE of exactly the one slice, or of the whole table where that is the slice, then an
 * INSERT … SELECT into the same table. `undefined` for all else, and wherever the query names the target: what it reads
 * there is the slice after the DELETE. A query that reads the target through a view or a function does not show it here.
 */
export function sliceReplacement(
  statements: readonly RenderedStatement[],
  slices: readonly JobSlice[],
): SliceReplacement | undefined {
  const [clear, fill, ...more] = statements;
  const [slice, ...others] = slices;
  if (clear === undefined || fill === undefined || slice === undefined) return undefined;
  if (more.length > 0 || others.length > 0) return undefined;
  const cleared = readOne(clear.text);
  const filled = readOne(fill.text);
  if (cleared === undefined || filled === undefined) return undefined;
  const target = filled.statement.target?.name;
  if (target === undefined || cleared.statement.target?.name !== target || !isNamed(target, slice.table)) {
    return undefined;
  }
  if (!clearsExactly(cleared, slice, target)) return undefined;
  const rows = rowsOf(filled);
  return rows && { clear, fill, target, ...rows };
}

/** Fills another table of the same columns with the rows that the slice would be filled with. */
export const fillSql = (table: string, { columns, select }: Pick<SliceReplacement, 'columns' | 'select'>): string =>
  `insert into ${table}${columns === undefined ? '' : ` (${columns.map(quoteIdentifier).join(', ')})`} ${select}`;

/** A text that is one statement, all of it understood. */
interface ReadText {
  readonly text: string;
  readonly statement: Statement;
  readonly tokens: readonly Token[];
}

function readOne(text: string): ReadText | undefined {
  const masked = plainText(text);
  const { tokens, problems } = lex(masked, 'postgres');
  const code = tokens.filter(({ kind }) => kind !== 'terminator');
  const { statements } = readSql(masked, 'postgres');
  const [statement] = statements;
  if (problems.length > 0 || statement === undefined || statements.length > 1) return undefined;
  return statement.modifying.length > 0 ? undefined : { text, statement, tokens: code };
}

/** One of the names may lack its schema. */
const isNamed = (written: string, table: string): boolean =>
  written === table || written.endsWith(`.${table}`) || table.endsWith(`.${written}`);

function clearsExactly({ text, statement, tokens }: ReadText, slice: JobSlice, target: string): boolean {
  const predicate = slice.predicate;
  const whole = predicate === undefined && slice.from === undefined && slice.to === undefined;
  if (statement.kind === 'truncate') {
    // RESTART IDENTITY, CASCADE and further tables are more than the rows of the slice.
    const name = nameEnd(tokens, wordAt(tokens, 1) === 'table' ? 2 : 1);
    return whole && name === tokens.length;
  }
  if (statement.kind !== 'delete' || wordAt(tokens, 1) !== 'from') return false;
  let at = nameEnd(tokens, 2);
  if (at === undefined) return false;
  if (at === tokens.length) return whole;
  if (wordAt(tokens, at) === 'as') at++;
  if (statement.targetAlias !== undefined) at++;
  const condition = tokens[at + 1];
  const last = tokens.at(-1);
  if (wordAt(tokens, at) !== 'where' || predicate === undefined) return false;
  if (condition === undefined || last === undefined || hasWord(tokens, 'returning', 'current', 'using')) return false;
  const names = new Set([nameParts(target).join('.'), lastNamePart(target)]);
  if (statement.targetAlias !== undefined) names.add(statement.targetAlias);
  const own = unqualified(text.slice(condition.start, last.end), names, 'postgres');
  return statement.nondeterministic.length === 0 && sameCode(own, predicate);
}

function rowsOf({ text, statement, tokens }: ReadText): Pick<SliceReplacement, 'columns' | 'select'> | undefined {
  if (statement.kind !== 'insert' || statement.conflict !== undefined || statement.query === undefined)
    return undefined;
  const target = statement.target?.name;
  if (target === undefined || statement.reads.some(({ name }) => isNamed(name, target))) return undefined;
  const insert = tokens.findIndex(
    (_, index) => wordAt(tokens, index) === 'insert' && wordAt(tokens, index + 1) === 'into',
  );
  const behindName = nameEnd(tokens, insert + 2);
  if (insert < 0 || behindName === undefined) return undefined;
  const list = columnList(tokens, behindName);
  const query = list?.end ?? behindName;
  const [first, start, end] = [tokens[0], tokens[query], tokens.at(-1)];
  if (first === undefined || start === undefined || end === undefined) return undefined;
  const withBefore = insert > 0;
  const opens = queryWords.has(tokens.slice(query).find((token) => !isOperator(token, '('))?.text ?? '');
  if (!opens || (withBefore && wordAt(tokens, query) === 'with')) return undefined;
  if (hasWord(tokens, 'returning') || locksRows(tokens) || hasPair(tokens, 'on', 'conflict')) return undefined;
  const common = withBefore ? text.slice(first.start, tokens[insert]?.start) : '';
  return { columns: list?.names, select: common + text.slice(start.start, end.end) };
}

const queryWords = new Set(['select', 'with']);

const wordAt = (tokens: readonly Token[], index: number): string | undefined =>
  tokens[index]?.kind === 'word' ? tokens[index]?.text : undefined;

const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'quoted';

const isOperator = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'operator' && token.text === text;

/** Where the dotted name that begins at a token ends; `undefined` where none does, or where ONLY stands before it. */
function nameEnd(tokens: readonly Token[], from: number): number | undefined {
  if (!isName(tokens[from]) || (wordAt(tokens, from) === 'only' && !isOperator(tokens[from + 1], '.')))
    return undefined;
  let at = from + 1;
  while (isOperator(tokens[at], '.') && isName(tokens[at + 1])) at += 2;
  return at;
}

/** `(a, b)`, plain names only: a part of a column (`a.x`, `a[1]`) is no column. */
function columnList(tokens: readonly Token[], open: number): { names: readonly string[]; end: number } | undefined {
  if (!isOperator(tokens[open], '(')) return undefined;
  const names: string[] = [];
  for (let at = open + 1; ; at += 2) {
    const name = tokens[at];
    if (name === undefined || !isName(name)) return undefined;
    names.push(name.text);
    if (isOperator(tokens[at + 1], ')')) return { names, end: at + 2 };
    if (!isOperator(tokens[at + 1], ',')) return undefined;
  }
}

const hasWord = (tokens: readonly Token[], ...words: readonly string[]): boolean =>
  tokens.some((_, index) => words.includes(wordAt(tokens, index) ?? ''));

const hasPair = (tokens: readonly Token[], first: string, ...seconds: readonly string[]): boolean =>
  tokens.some((_, index) => wordAt(tokens, index) === first && seconds.includes(wordAt(tokens, index + 1) ?? ''));

/** `FOR UPDATE` and its kin: rows of another table would be locked by what only looks. */
const locksRows = (tokens: readonly Token[]): boolean => hasPair(tokens, 'for', 'update', 'share', 'no', 'key');

/** The same tokens; white space and comments do not count. */
function sameCode(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) =>
    lex(plainText(text), 'postgres').tokens.map(({ kind, text: folded, start, end }) =>
      kind === 'word' ? folded : text.slice(start, end),
    ),
  );
  return JSON.stringify(left) === JSON.stringify(right);
}
