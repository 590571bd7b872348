import { lex } from '../../sql/lex/lexer.ts';
import type { Token } from '../../sql/lex/token.ts';
import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { FromItem } from '../../sql/model/expression.ts';
import { nameParts } from '../../sql/model/name-parts.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { TableReference } from '../../sql/model/table-reference.ts';
import { walkQueries } from '../../sql/model/walk.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import type { Span } from '../../text/span.ts';
import { dottedName } from './render-statements.ts';

/** What is read instead of a source. */
export interface Substitute {
  /** The source by every name that statements have for it. */
  readonly of: readonly string[];
  /** What stands in FROM instead of the name: another name, or a query in brackets. */
  readonly sql: string;
}

export interface Substituted {
  readonly text: string;
  /** Those that came to be read. */
  readonly replaced: ReadonlySet<Substitute>;
  /** The first place that names a source where nothing can stand instead of it. */
  readonly outOfReach: Span | undefined;
}

type TableItem = Extract<FromItem, { kind: 'table' }>;
type Edit = Span & { readonly text: string };

/**
 * A rendered statement that reads substitutes instead of sources. Only the names of tables in FROM, JOIN and USING are
 * replaced, at their tokens; a table without an alias keeps its own name as one, so that what is qualified by it still
 * means it. The definition of a lasting view or routine is left as it is: it outlives the interval.
 */
export function substituteTables(text: string, dialect: DialectName, substitutes: readonly Substitute[]): Substituted {
  const masked = plainText(text);
  const { statements } = readSql(masked, dialect);
  const { tokens } = lex(masked, dialect);
  const edits: Edit[] = [];
  const replaced = new Set<Substitute>();
  let outOfReach: Span | undefined;
  const read = (statement: Statement, items: ReadonlyMap<number, TableItem>): void => {
    for (const table of statement.reads) {
      const substitute = substitutes.find(({ of }) => of.includes(table.name));
      if (substitute === undefined) continue;
      const item = items.get(table.start);
      if (item === undefined) outOfReach ??= table;
      else {
        edits.push(...editsOf(table, item, substitute, text, tokens));
        replaced.add(substitute);
      }
    }
    for (const inner of statement.modifying) read(inner, items);
    // A body is a string of its own, in which quotes are written otherwise.
    for (const inner of statement.body) read(inner, new Map());
  };
  for (const statement of statements) if (!outlives(statement)) read(statement, fromTables(statement));

  const unique = [...new Map(edits.map((edit) => [edit.start, edit])).values()].sort((a, b) => a.start - b.start);
  let result = '';
  let at = 0;
  for (const edit of unique) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return { text: result + text.slice(at), replaced, outOfReach };
}

const outlives = ({ kind, temporary }: Statement): boolean =>
  kind === 'create_procedure' || (kind === 'create_view' && !temporary);

/** Every table of FROM, JOIN and USING by the place of its name; common tables are none. */
function fromTables(statement: Statement): ReadonlyMap<number, TableItem> {
  const found = new Map(statement.modifying.flatMap((inner) => [...fromTables(inner)]));
  const add = (from: readonly FromItem[]): void => {
    for (const item of from) if (item.kind === 'table' && item.cte === undefined) found.set(item.table.start, item);
  };
  add(statement.from);
  walkQueries(statement, (query) => add(query.from));
  return found;
}

function editsOf(
  table: TableReference,
  item: TableItem,
  { sql }: Substitute,
  text: string,
  tokens: readonly Token[],
): readonly Edit[] {
  const { start, end, name } = table;
  if (item.alias !== undefined) return [{ start, end, text: sql }];
  const own = tokens.filter((token) => token.start >= start && token.end <= end);
  const last = own.at(-1) ?? table;
  const replaced = { start, end, text: `${sql} as ${text.slice(last.start, last.end)}` };
  const parts = nameParts(name).length;
  return parts === 1 ? [replaced] : [replaced, ...unqualifying(table, parts, tokens)];
}

/** `raw.customers.id` is no column of something called `customers`: the schema goes. */
function unqualifying({ name, start }: TableReference, parts: number, tokens: readonly Token[]): readonly Edit[] {
  const edits: Edit[] = [];
  for (let index = 0; index < tokens.length; ) {
    const dotted = dottedName(tokens, index);
    const first = dotted[0];
    const last = dotted[parts - 1];
    const goesOn = dotted.length > parts || tokens[index + 2 * parts - 1]?.text === '.';
    const isName =
      dotted
        .slice(0, parts)
        .map(({ text }) => text)
        .join('.') === name;
    if (first !== undefined && last !== undefined && first.start !== start && isName && goesOn) {
      edits.push({ start: first.start, end: last.start, text: '' });
    }
    index += Math.max(1, 2 * dotted.length - 1);
  }
  return edits;
}
