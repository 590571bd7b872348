import { namePart, nameParts } from '../../sql/model/name-parts.ts';
import { viewDefinitionsSql, viewsBehindSql } from '../dialects/postgres/view-definitions-sql.ts';
import type { Session } from '../port/ports.ts';

/** A view or materialized view as it is defined now. */
export interface ViewDefinition {
  /** `schema.name`. */
  readonly view: string;
  /** Its query, every name in it with its schema. */
  readonly query: string;
  /** Equal for equal definitions, as far as {@link sameDefinition} can tell. */
  readonly definition: string;
}

const savepoint = 'backfill_views';

/**
 * The views among these names, as a statement would look them up, and all views that they read in turn; by name. The
 * session is in a transaction, and is left as it was. Throws {@link WarehouseError}.
 */
export async function viewDefinitions(session: Session, names: readonly string[]): Promise<readonly ViewDefinition[]> {
  if (names.length === 0) return [];
  const parts = JSON.stringify([...new Set(names)].map(nameParts));
  const oids = (await session.query(viewsBehindSql, [parts])).rows.map(([oid]) => oid);
  if (oids.length === 0) return [];
  await session.query(`savepoint ${savepoint}`);
  await session.query(`select pg_catalog.set_config('search_path', '', true)`);
  const { rows } = await session.query(viewDefinitionsSql, [`{${oids.join(',')}}`]);
  await session.query(`rollback to savepoint ${savepoint}`);
  await session.query(`release savepoint ${savepoint}`);
  return rows.map(([schema, name, query, definition]) => ({
    view: `${namePart(schema ?? '')}.${namePart(name ?? '')}`,
    query: query ?? '',
    definition: definition ?? '',
  }));
}

/** Whether two definitions are the same; `undefined`: servers of two versions wrote them. */
export function sameDefinition(a: string, b: string): boolean | undefined {
  const [version, other] = [a, b].map((text) => text.slice(0, text.indexOf(' ')));
  return version === other ? a === b : undefined;
}
