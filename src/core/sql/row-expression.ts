import { plainText } from '../template/mask/plain-text.ts';
import { lex } from './lex/lexer.ts';
import type { SqlExpression } from './model/expression.ts';
import { walkInside } from './model/walk.ts';
import { readSql } from './read-sql.ts';

/** SQL of PostgreSQL that is one value of a row, with the columns and functions that it names. */
export interface RowExpression {
  readonly sql: string;
  readonly columns: readonly string[];
  readonly calls: readonly string[];
}

const lead = 'select (';

/**
 * Takes a text for one expression over bare columns of one table: no query in it, nothing whose value differs between two
 * looks at a row. What only a database knows (whether a column or a function is there, and of which type) is not asked.
 */
export function rowExpression(text: string): { readonly value: RowExpression } | { readonly wrong: string } {
  const sql = text.trim();
  if (/\{\{|\{%|\{#/.test(sql))
    return { wrong: `"${sql}" holds a template; write SQL over columns of the table alone` };
  const { tokens, problems } = lex(plainText(sql), 'postgres');
  const other = tokens.find(
    ({ kind, text: word }, index) =>
      kind === 'terminator' || (kind === 'word' && (querying.has(word) || (index === 0 && leading.has(word)))),
  );
  if (other !== undefined) return { wrong: `"${other.text}" has no place in an expression over columns of one table` };
  const parameter = tokens.find(({ kind }) => kind === 'parameter');
  if (parameter !== undefined) return { wrong: `"${parameter.text}" has no value here; write SQL over columns alone` };
  const notOne = { wrong: `"${sql}" is not one SQL expression` };
  if (problems.length > 0 || !isBalanced(tokens.map(({ kind, text: word }) => (kind === 'operator' ? word : ''))))
    return notOne;
  const [statement, more] = readSql(plainText(`${lead}${sql}\n)`), 'postgres').statements;
  const [item, second] = statement?.query?.select ?? [];
  if (statement === undefined || more !== undefined || item === undefined || second !== undefined) return notOne;
  const { expression } = item;
  // What the brackets hold beside one expression is read as theirs.
  if (expression.start < lead.length || hasGap(expression)) return notOne;
  const [call] = statement.nondeterministic;
  if (call !== undefined)
    return { wrong: `${call.name} has another value in each run, so that no row would keep its interval` };
  const window = inside(expression).find((one) => one.kind === 'star' || (one.kind === 'call' && one.window));
  if (window !== undefined) return { wrong: `"${sql}" looks at more than one row` };
  const columns = columnsIn(expression);
  const qualified = columns.find(({ qualifier }) => qualifier !== undefined);
  if (qualified !== undefined)
    return { wrong: `write ${qualified.name} without ${qualified.qualifier}. before it: there is one table only` };
  if (columns.length === 0) return { wrong: `"${sql}" names no column of the table` };
  const calls = inside(expression).flatMap((one) => (one.kind === 'call' ? [one.name] : []));
  return { value: { sql, columns: namesOf(columns), calls: [...new Set(calls)] } };
}

/** Words by which more than one row would be looked at; as names of columns they stand in quotes. */
const querying: ReadonlySet<string> = new Set(['select', 'with', 'values', 'table', 'union', 'over']);

/** What a list of columns may begin with. */
const leading: ReadonlySet<string> = new Set(['distinct', 'all']);

function isBalanced(words: readonly string[]): boolean {
  const open: string[] = [];
  for (const word of words) {
    if (word === '(' || word === '[') open.push(word);
    if ((word === ')' && open.pop() !== '(') || (word === ']' && open.pop() !== '[')) return false;
  }
  return open.length === 0;
}

function inside(expression: SqlExpression): readonly SqlExpression[] {
  const found: SqlExpression[] = [];
  walkInside(expression, (one) => {
    found.push(one);
  });
  return found;
}

/** Whether an operand is missing: `a +`. */
const hasGap = (expression: SqlExpression): boolean =>
  inside(expression).some(({ kind, start, end }) => kind === 'opaque' && end <= start);

const namesOf = (columns: readonly Column[]): readonly string[] => [...new Set(columns.map(({ name }) => name))];

type Column = Extract<SqlExpression, { kind: 'column' }>;

/** Without the field of `extract(year from …)`, which is no column. */
function columnsIn(expression: SqlExpression): readonly Column[] {
  const all = inside(expression);
  const fields = new Set(
    all.flatMap((one) => (one.kind === 'call' && one.name === 'extract' ? one.arguments.slice(0, 1) : [])),
  );
  return all.flatMap((one) => (one.kind === 'column' && !fields.has(one) ? [one] : []));
}
