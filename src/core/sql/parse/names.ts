import type { Token } from '../lex/token.ts';
import type { DialectName } from '../model/dialect-name.ts';
import { namePart } from '../model/name-parts.ts';
import type { TableReference } from '../model/table-reference.ts';
import { type Cursor, commaList, done, isName, operator, skipOne, spanFrom, token, within, word } from './cursor.ts';
import { isGrammar } from './is-grammar.ts';

/** Dialects that do not tell quoted names apart by case. */
const foldsQuoted: ReadonlySet<DialectName> = new Set(['redshift', 'spark', 'duckdb', 'trino']);

/** A part of a name as the product compares it. */
export function nameOf(here: Token, dialect: DialectName): string {
  if (here.kind !== 'quoted' || here.holes.length > 0) return here.text;
  if (foldsQuoted.has(dialect)) return here.text.toLowerCase();
  // An unquoted Snowflake name is stored in upper case: "ORDERS" and orders are one table.
  if (dialect === 'snowflake' && here.text === here.text.toUpperCase()) return here.text.toLowerCase();
  return here.text;
}

/** The same of a table: what is quoted with a dot in it is one name, but for BigQuery, which quotes whole paths. */
export function tablePart(here: Token, dialect: DialectName): string {
  const name = nameOf(here, dialect);
  return here.kind === 'quoted' && here.holes.length === 0 && dialect !== 'bigquery' ? namePart(name) : name;
}

/** `a.b.c`, `proj-x.set.t` of BigQuery, `IDENTIFIER('a.b')` of Snowflake. `undefined`, at the same place, when no name stands here. */
export function readTableName(c: Cursor): TableReference | undefined {
  const first = token(c);
  if (first === undefined || !isName(first)) return undefined;
  if (first.text === 'identifier' && operator(c, 1) === '(') return readIdentifierCall(c, first);
  const parts: string[] = [];
  let templated = false;
  while (!done(c)) {
    const here = token(c);
    if (here === undefined) break;
    if (!isName(here) && !(parts.length > 0 && (operator(c) === '*' || isNumbered(c, 0)))) break;
    let part = tablePart(here, c.dialect);
    templated ||= here.holes.length > 0 || /\$[{(]/.test(here.text);
    c.index++;
    part += readDashes(c, here);
    part += readTouching(c, () => {
      templated = true;
    });
    parts.push(part);
    if (operator(c) === '..') {
      // `db..table`: the default schema.
      parts.push('');
      c.index++;
    } else if (operator(c) === '.' && (isName(token(c, 1)) || isNumbered(c, 1))) c.index++;
    else if (operator(c) === '.' && operator(c, 1) === '*') break;
    else break;
  }
  return { name: withoutVersion(parts.join('.'), c.dialect), templated, ...spanFrom(c, first.start) };
}

/** The table that a statement makes or fills; DuckDB takes a string for its name too. */
export function readTargetName(c: Cursor): TableReference | undefined {
  const here = token(c);
  if (c.dialect !== 'duckdb' || here?.kind !== 'string') return readTableName(c);
  c.index++;
  return { name: here.text.toLowerCase(), templated: false, start: here.start, end: here.end };
}

/** BigQuery: a table may be named by digits alone, `events.20240101`. */
const isNumbered = (c: Cursor, ahead: number): boolean =>
  c.dialect === 'bigquery' && token(c, ahead)?.kind === 'number' && /^\d+$/.test(token(c, ahead)?.text ?? '');

/** Delta: a version or time clings to the name, `people@v3`. */
const withoutVersion = (name: string, dialect: DialectName): string =>
  dialect === 'spark' ? name.replace(/@(?:v\d+|\d{17})$/, '') : name;

/** The rest of a BigQuery name with dashes (`my-project`). */
function readDashes(c: Cursor, start: Token): string {
  let text = '';
  let last = start;
  while (c.dialect === 'bigquery' && operator(c) === '-') {
    const dash = token(c);
    const next = token(c, 1);
    if (dash?.start !== last.end || next?.start !== dash.end || (next.kind !== 'word' && next.kind !== 'number')) break;
    text += `-${next.text}`;
    last = next;
    c.index += 2;
  }
  return text;
}

/** Pieces of one name that template expressions separate. */
function readTouching(c: Cursor, onTemplate: () => void): string {
  let text = '';
  for (;;) {
    const before = c.tokens[c.index - 1];
    const here = token(c);
    if (here === undefined || before === undefined || here.start !== before.end) return text;
    if (here.kind !== 'word' && here.kind !== 'number' && here.kind !== 'hole') return text;
    if (here.holes.length === 0 && before.holes.length === 0) return text;
    text += here.text;
    onTemplate();
    c.index++;
  }
}

function readIdentifierCall(c: Cursor, first: Token): TableReference {
  c.index++;
  const argument = within(c, () => {
    const only = c.end - c.index === 1 ? token(c) : undefined;
    c.index = c.end;
    return only;
  });
  const known = argument?.kind === 'string';
  return {
    name: known ? argument.text.toLowerCase() : 'identifier(…)',
    templated: !known,
    ...spanFrom(c, first.start),
  };
}

/** The last part of the column path that stands here (`t.n` → `n`); steps over it. */
export function readColumnName(c: Cursor): string | undefined {
  let name: string | undefined;
  while (!done(c)) {
    const here = token(c);
    if (here === undefined || !isName(here)) break;
    name = nameOf(here, c.dialect);
    c.index++;
    if (!(operator(c) === '.' && isName(token(c, 1)))) break;
    c.index++;
  }
  return name;
}

/** `(a, b desc, c(10))` → names. An entry that is an expression, as in a key, is given as its text: `lower(a)`. */
export function readColumnList(c: Cursor): string[] {
  if (operator(c) !== '(') return [];
  return within(c, () =>
    commaList(c, () => {
      const from = c.index;
      const name = readColumnName(c);
      const plain = name !== undefined && (operator(c) !== '(' || token(c, 1)?.kind === 'number');
      const nameEnd = c.index;
      while (!done(c) && operator(c) !== ',') skipOne(c);
      if (plain || c.index === from) return name;
      return c.tokens
        .slice(from, name === undefined ? c.index : Math.min((c.match[nameEnd] ?? c.end) + 1, c.index))
        .map(({ text }) => text)
        .join('');
    }),
  );
}

export function readAlias(c: Cursor, reserved: ReadonlySet<string>): Token | undefined {
  const explicit = word(c) === 'as';
  const here = token(c, explicit ? 1 : 0);
  if (here === undefined) return undefined;
  if (explicit && isFromClause(c)) {
    // `SELECT a AS FROM t`: the alias is still to be typed.
    c.index++;
    return undefined;
  }
  const usable =
    here.kind === 'quoted' ||
    (here.kind === 'word' && (explicit || !isGrammar(c, reserved))) ||
    (here.kind === 'hole' && here.content === undefined) ||
    (explicit && here.kind === 'string');
  if (!usable) return undefined;
  c.index += explicit ? 2 : 1;
  return here;
}

/** DuckDB: `name: expression`, `alias: table`. */
export function readPrefixAlias(c: Cursor): Token | undefined {
  const here = token(c);
  if (c.dialect !== 'duckdb' || here === undefined || !isName(here) || operator(c, 1) !== ':') return undefined;
  c.index += 2;
  return here;
}

/** At AS: a FROM with its table behind it is no alias, though Postgres would take the word as one. */
function isFromClause(c: Cursor): boolean {
  if (word(c, 1) !== 'from' || word(c, 2) === 'from') return false;
  return isName(token(c, 2)) || operator(c, 2) === '(';
}
