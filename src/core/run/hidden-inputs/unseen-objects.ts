import type { NameInText } from '../../sql/lex/names-in-text.ts';
import { namedObjectsSql, writingObjectsSql } from '../../warehouse/dialects/postgres/unseen-reads-sql.ts';
import type { Session, WarehouseDescription } from '../../warehouse/port/ports.ts';
import type { Target } from '../tables/target.ts';

/** A function as the catalog has it. */
export interface FunctionObject {
  readonly oid: string;
  readonly name: string;
  readonly volatility: 'i' | 's' | 'v';
  /** The server's own. */
  readonly builtIn: boolean;
  readonly language: string;
  /** Its body and the defaults of its arguments; null where that is not SQL. */
  readonly text: string | null;
  /** Its own search_path as it was set; null: that of the session. */
  readonly path: string | null;
}

export interface RelationObject {
  readonly schema: string;
  readonly name: string;
  /** As in `pg_class.relkind`. */
  readonly kind: string;
}

/** What the server runs by itself when rows of some tables are written. */
export interface WritingObjects {
  /** What gives values to columns, and what rows are checked and told apart by. */
  readonly expressions: readonly string[];
  readonly triggers: readonly {
    readonly after: boolean;
    readonly condition: string | null;
    readonly function: FunctionObject;
  }[];
  /** Rules or row security, which are not read. */
  readonly opaque: boolean;
  /** Operators and casts (null) of the user's own whose functions are SQL, wherever they are used. */
  readonly operators: readonly { readonly operator: string | null; readonly function: FunctionObject }[];
  /** What the user’s own domains let through; `kept`: a column of the tables is of one. */
  readonly domains: readonly { readonly domain: string; readonly check: string; readonly kept: boolean }[];
  /** Dictionaries of text search of the user's own are made of files that no catalog has. */
  readonly filedDictionaries: boolean;
}

export async function writingObjects(
  session: Session,
  targets: readonly Target[],
  server: WarehouseDescription,
): Promise<WritingObjects> {
  const tables = targets.flatMap(({ relation }) => relation?.table.storage ?? []);
  const { rows } = await session.query(writingObjectsSql(keepsParsedBodies(server)), [`{${tables.join(',')}}`]);
  const [expressions, triggers, opaque, operators, domains, filed] = rows[0] ?? [];
  return {
    expressions: JSON.parse(expressions ?? '[]') as WritingObjects['expressions'],
    triggers: JSON.parse(triggers ?? '[]') as WritingObjects['triggers'],
    opaque: opaque === 't',
    operators: JSON.parse(operators ?? '[]') as WritingObjects['operators'],
    domains: JSON.parse(domains ?? '[]') as WritingObjects['domains'],
    filedDictionaries: filed === 't',
  };
}

/**
 * Functions and, with `tables`, relations that the names of a text may stand for. A name without a schema is looked up in
 * every schema of the path, not only in the first that has it.
 */
export async function namedObjects(
  session: Session,
  names: readonly NameInText[],
  { path, tables }: { readonly path: readonly string[] | undefined; readonly tables: boolean },
  server: WarehouseDescription,
): Promise<{ readonly functions: readonly FunctionObject[]; readonly relations: readonly RelationObject[] }> {
  const asked = new Map<string, object>();
  const ask = (form: 'call' | 'field' | 'table', schema: string | undefined, name: string | undefined): void => {
    const one = { form, schema: schema ?? null, name, path: path ?? null };
    asked.set(JSON.stringify(one), one);
  };
  for (const { parts, called, ofValue, inserted } of names) {
    const [last, before, first] = parts.toReversed();
    if (called) ask('call', before, last);
    else if (ofValue || before !== undefined) ask('field', undefined, last);
    if (!tables || called || ofValue || inserted) continue;
    ask('table', parts[1] === undefined ? undefined : parts[0], parts[1] ?? last);
    if (first !== undefined) ask('table', before, last);
  }
  if (asked.size === 0) return { functions: [], relations: [] };
  const { rows } = await session.query(namedObjectsSql(keepsParsedBodies(server)), [
    JSON.stringify([...asked.values()]),
  ]);
  const [functions, relations] = rows[0] ?? [];
  return {
    functions: JSON.parse(functions ?? '[]') as FunctionObject[],
    relations: JSON.parse(relations ?? '[]') as RelationObject[],
  };
}

/** Since 14 a function may be kept as the server has read it, with no text of its own. */
const keepsParsedBodies = ({ serverVersion }: WarehouseDescription): boolean =>
  Number.parseInt(serverVersion, 10) >= 14;
