import type { MaskedText } from '../../template/mask/masked-text.ts';
import type { DialectName } from '../model/dialect-name.ts';
import type { SqlReading, Statement } from '../model/statement.ts';
import { readSql } from '../read-sql.ts';
import { callsInSql } from './calls-in-sql.ts';

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
  const routines = new Set(callsInSql(masked, dialect).map(({ name }) => name));
  return { relations: [...relations], routines: [...routines] };
}

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
