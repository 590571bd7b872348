import type {
  DatabaseDefinitions,
  DatabaseRelation,
  DatabaseRoutine,
} from '../../pipeline/model/database-definitions.ts';
import { type NamedInSql, namedInBody } from '../../sql/calls/named-in-sql.ts';
import { nameParts } from '../../sql/model/name-parts.ts';
import { definitionsSql, resolveNamesSql } from '../dialects/postgres/definitions-sql.ts';
import type { Session } from '../port/ports.ts';

interface RelationRow {
  readonly sort: 'relation';
  /** `r` or `p` and its oid: each catalog counts for itself. */
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly hasPolicies: boolean;
  readonly parts: readonly string[] | null;
  readonly bounds: DatabaseRelation['bounds'] | null;
  readonly columns: readonly string[];
  readonly types: readonly string[];
  readonly keys: readonly (readonly string[])[] | null;
  readonly partialKeys: DatabaseRelation['partialKeys'] | null;
  readonly notNull: readonly string[] | null;
  readonly filled: readonly string[] | null;
  readonly numbered: readonly string[] | null;
  readonly emptiedWith: readonly string[] | null;
  readonly query: string | null;
  readonly redirected: boolean | null;
  readonly needs: readonly string[];
}

interface RoutineRow {
  readonly sort: 'routine';
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly language: string;
  readonly volatility: string;
  readonly source: string;
  readonly definition: string | null;
  /** The search path that it sets for itself. */
  readonly path: string | null;
  readonly parameters: DatabaseRoutine['parameters'];
  readonly needs: readonly string[];
}

/** A name as it was asked for, what it means, and nothing else that has it. */
type Meanings = ReadonlyMap<string, readonly string[]>;

/** Routines that call routines beyond this are not followed. */
const maxRounds = 12;

/**
 * Looks up what a workspace names in a database, and what views, policies and routines name there in turn. Reads the
 * catalog only. The session is in a transaction under the settings that the tasks run with, and is left without a
 * search path. Throws {@link WarehouseError}.
 */
export async function readDefinitions(session: Session, named: NamedInSql): Promise<DatabaseDefinitions> {
  const set = `select pg_catalog.current_setting('search_path'), pg_catalog.current_setting('TimeZone')`;
  const [given] = (await session.query(set)).rows;
  const path = given?.[0] ?? '';
  const timeZone = given?.[1] ?? undefined;
  const rows = new Map<string, RelationRow | RoutineRow>();
  const bodies = new Map<string, { readonly named: NamedInSql; readonly path: string }>();
  const meant = new Map<string, Meanings>();

  let open: readonly { readonly named: NamedInSql; readonly path: string }[] = [{ named, path }];
  for (let round = 0; open.length > 0 && round < maxRounds; round++) {
    const ids = new Set<string>();
    for (const { path: own, named: names } of joinedByPath(open)) {
      const found = await resolve(session, own, names);
      meant.set(own, new Map([...(meant.get(own) ?? []), ...found]));
      for (const list of found.values()) for (const id of list) if (!rows.has(id)) ids.add(id);
    }
    const fresh = ids.size === 0 ? [] : await define(session, [...ids]);
    open = fresh.flatMap((row) => {
      if (rows.has(row.id)) return [];
      rows.set(row.id, row);
      const text = row.sort === 'routine' ? bodyOf(row) : undefined;
      if (row.sort !== 'routine' || text === undefined) return [];
      const body = { named: namedInBody(text, row.language), path: row.path ?? path };
      bodies.set(row.id, body);
      return [body];
    });
  }

  const namesOf = (ids: Iterable<string>, sort: RelationRow['sort'] | RoutineRow['sort']): readonly string[] => [
    ...new Set([...ids].flatMap((id) => (rows.get(id)?.sort === sort ? (rows.get(id)?.name ?? []) : []))),
  ];
  const asRelation = (row: RelationRow): DatabaseRelation => ({
    name: row.name,
    kind: relationKinds[row.kind] ?? 'table',
    columns: row.columns,
    types: row.types,
    ...(row.kind === 'r' || row.kind === 'p'
      ? {
          keys: row.keys ?? [],
          ...(row.partialKeys == null ? {} : { partialKeys: row.partialKeys }),
          notNull: row.notNull ?? [],
          filled: row.filled ?? [],
          numbered: row.numbered ?? [],
          ...(row.emptiedWith == null ? {} : { emptiedWith: row.emptiedWith }),
        }
      : {}),
    query: row.query?.replace(/;\s*$/, ''),
    ...(row.redirected === true && { redirected: true as const }),
    reads: namesOf(row.needs, 'relation'),
    calls: namesOf(row.needs, 'routine'),
    parts: row.parts ?? [],
    ...(row.bounds == null ? {} : { bounds: row.bounds }),
    hasPolicies: row.hasPolicies,
  });
  const asRoutine = (row: RoutineRow): DatabaseRoutine => {
    const body = bodies.get(row.id);
    const meanings = meant.get(body?.path ?? path);
    const used = [...(body?.named.relations ?? []).map(relationKey), ...(body?.named.routines ?? []).map(routineKey)];
    const ids = [...row.needs, ...used.flatMap((key) => meanings?.get(key) ?? [])];
    const text = bodyOf(row);
    return {
      name: row.name,
      kind: row.kind === 'p' ? 'procedure' : 'function',
      language: row.language,
      volatility: row.volatility === 'i' ? 'immutable' : row.volatility === 's' ? 'stable' : 'volatile',
      parameters: row.parameters,
      body: text,
      reads: namesOf(ids, 'relation'),
      calls: namesOf(ids, 'routine'),
      isRead: text !== undefined && (row.language === 'sql' || !/\bexecute\b/i.test(text)),
    };
  };

  const relations = new Map<string, DatabaseRelation>();
  const routines = new Map<string, readonly DatabaseRoutine[]>();
  const own = new Map<string, RoutineRow[]>();
  for (const row of rows.values()) {
    if (row.sort === 'relation') relations.set(row.name, asRelation(row));
    else own.set(row.name, [...(own.get(row.name) ?? []), row]);
  }
  for (const [name, same] of own) routines.set(name, same.map(asRoutine));
  for (const name of named.relations) {
    const [row] = meaning(meant.get(path), relationKey(name), rows);
    const known = row && relations.get(row.name);
    if (known !== undefined) relations.set(name, known);
  }
  for (const name of named.routines) {
    const found = meaning(meant.get(path), routineKey(name), rows);
    if (found.length > 0)
      routines.set(
        name,
        found.flatMap((row) => (row.sort === 'routine' ? asRoutine(row) : [])),
      );
  }
  return { relations, routines, ...(timeZone !== undefined && { timeZone }) };
}

const relationKinds: Readonly<Record<string, DatabaseRelation['kind']>> = {
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
};

const relationKey = (name: string): string => `relation ${name}`;
const routineKey = (name: string): string => `routine ${name}`;

const meaning = (
  meanings: Meanings | undefined,
  key: string,
  rows: ReadonlyMap<string, RelationRow | RoutineRow>,
): readonly (RelationRow | RoutineRow)[] => (meanings?.get(key) ?? []).flatMap((id) => rows.get(id) ?? []);

function joinedByPath(
  asked: readonly { readonly named: NamedInSql; readonly path: string }[],
): readonly { readonly named: NamedInSql; readonly path: string }[] {
  const paths = new Map<string, { relations: string[]; routines: string[] }>();
  for (const { named, path } of asked) {
    const known = paths.get(path) ?? { relations: [], routines: [] };
    known.relations.push(...named.relations);
    known.routines.push(...named.routines);
    paths.set(path, known);
  }
  return [...paths].map(([path, { relations, routines }]) => ({
    path,
    named: { relations: [...new Set(relations)], routines: [...new Set(routines)] },
  }));
}

const setPathSql = `select pg_catalog.set_config('search_path', $1, true)`;

async function resolve(session: Session, path: string, { relations, routines }: NamedInSql): Promise<Meanings> {
  if (relations.length + routines.length === 0) return new Map();
  await session.query(setPathSql, [path]);
  const parts = (names: readonly string[]): string =>
    JSON.stringify(Object.fromEntries(names.map((name) => [name, nameParts(name)])));
  const found = new Map<string, string[]>();
  for (const [sort, name, id] of (await session.query(resolveNamesSql, [parts(relations), parts(routines)])).rows) {
    const key = `${sort} ${name}`;
    found.set(key, [...(found.get(key) ?? []), String(id)]);
  }
  return found;
}

async function define(session: Session, ids: readonly string[]): Promise<readonly (RelationRow | RoutineRow)[]> {
  await session.query(setPathSql, ['']);
  const of = (catalog: 'r' | 'p') => `{${ids.flatMap((id) => (id.startsWith(catalog) ? id.slice(1) : [])).join(',')}}`;
  const { rows } = await session.query(definitionsSql, [of('r'), of('p')]);
  return rows.flatMap(([json]) => (json ? (JSON.parse(json) as RelationRow | RoutineRow) : []));
}

/** The text between the quotes, or what stands in SQL's own syntax behind the header. */
function bodyOf({ language, source, definition }: RoutineRow): string | undefined {
  if (language !== 'sql' && language !== 'plpgsql') return undefined;
  if (source !== '') return source;
  const own = /^ ?(?:BEGIN ATOMIC\s+([\s\S]*)END|RETURN\s+([\s\S]*))\s*$/m.exec(definition ?? '');
  return own === null ? undefined : (own[1] ?? `SELECT ${own[2]}`);
}
