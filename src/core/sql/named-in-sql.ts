import type { MaskedText } from '../template/mask/masked-text.ts';
import { lexInside } from './lex/lex-inside.ts';
import { lex } from './lex/lexer.ts';
import type { Token } from './lex/token.ts';
import type { DialectName } from './model/dialect-name.ts';
import type { SqlReading, Statement } from './model/statement.ts';
import { readSql } from './read-sql.ts';

/** Names that a text of SQL has for things of a database: in lower case unless quoted, parts joined by dots. */
export interface NamedInSql {
  /** Tables and views that its statements read or write. */
  readonly relations: readonly string[];
  /** Whatever stands before a bracket like a function, built-in ones included; more than it calls, never less. */
  readonly routines: readonly string[];
}

/** What a text names, the bodies in it included; nothing is looked up. `reading`: of that text, where it is at hand. */
export function namedInSql(
  masked: MaskedText,
  dialect: DialectName,
  { statements }: SqlReading = readSql(masked, dialect),
): NamedInSql {
  const relations = new Set<string>();
  const add = ({ reads, target, targets, modifying, body }: Statement): void => {
    const tables = target === undefined ? [...reads, ...targets] : [...reads, target, ...targets];
    for (const { name, templated } of tables) if (!templated) relations.add(name);
    for (const inner of [...modifying, ...body]) add(inner);
  };
  for (const statement of statements) add(statement);
  return { relations: [...relations], routines: [...calledIn(lex(masked, dialect).tokens, masked, dialect)] };
}

function calledIn(tokens: readonly Token[], masked: MaskedText, dialect: DialectName): ReadonlySet<string> {
  const called = new Set<string>();
  for (const [index, here] of tokens.entries()) {
    if (here.content !== undefined && masked.text[here.start] === '$') {
      for (const name of calledIn(lexInside(masked, here.content, false, dialect), masked, dialect)) called.add(name);
    }
    if (here.text !== '(' || here.kind !== 'operator') continue;
    const parts: string[] = [];
    for (let at = index - 1; isName(tokens[at]); at -= 2) {
      parts.unshift(tokens[at]?.text ?? '');
      if (tokens[at - 1]?.text !== '.') break;
    }
    if (parts.length > 0) called.add(parts.join('.'));
  }
  return called;
}

const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'quoted';

/** PL/pgSQL is read as the body of a DO: its blocks and control flow are none of SQL's. */
export function namedInBody(body: string, language: string): NamedInSql {
  return namedInSql(plain(language === 'plpgsql' ? asBlock(body) : body), 'postgres');
}

/** A body in PL/pgSQL as a statement that runs it. */
export function asBlock(body: string): string {
  let tag = '$backfill$';
  for (let n = 1; body.includes(tag); n++) tag = `$backfill${n}$`;
  return `DO ${tag}${body}${tag}`;
}

const plain = (text: string): MaskedText => ({ text, holes: [], tags: [], problem: undefined });
