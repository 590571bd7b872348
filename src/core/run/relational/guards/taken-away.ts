import { isStagingName } from '../../../lineage/facts/table-roles.ts';
import { ledgerSchema } from '../../../warehouse/dialects/postgres/ledger/ledger-schema-sql.ts';
import { lastingRelationsSql } from '../../../warehouse/dialects/postgres/slice/attached-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';

interface Relation {
  readonly name: string;
  /** `table`, `materialized view`. */
  readonly kind: string;
  readonly columns: readonly string[];
}

/** All tables and views of the database by oid: one that is made anew has another. */
export type Relations = ReadonlyMap<string, Relation>;

const mostNamed = 5;

export async function lastingRelations(session: Session): Promise<Relations> {
  const { rows } = await session.query(lastingRelationsSql, [`{${ledgerSchema},information_schema}`]);
  return new Map(
    rows.map(([oid, name, kind, columns]) => [
      String(oid),
      { name: String(name), kind: String(kind), columns: JSON.parse(columns ?? '[]') as string[] },
    ]),
  );
}

/**
 * Says what a task has taken away beside rows of its slices; `undefined`: nothing. Staging tables are there to go, and what
 * is made again under its name is not gone.
 */
export function takenAway(before: Relations, after: Relations): string | undefined {
  const names = new Set([...after.values()].map(({ name }) => name));
  const said = [...before].flatMap(([oid, { name, kind, columns }]): string[] => {
    if (isStagingName(name)) return [];
    const now = after.get(oid);
    if (now === undefined) return names.has(name) ? [] : [`drops the ${kind} ${name}`];
    const lost = columns.filter((column) => !now.columns.includes(column));
    return [
      ...(now.name === name || names.has(name) ? [] : [`names the ${kind} ${name} ${now.name}`]),
      // One that has another name may be renamed, and have its values still.
      ...(lost.length > columns.length - now.columns.length || now.columns.length >= columns.length
        ? []
        : [`drops ${lost.join(', ')} of ${name}`]),
    ];
  });
  if (said.length === 0) return undefined;
  const more = said.length > mostNamed ? `, and ${said.length - mostNamed} more of this kind` : '';
  return `The task ${said.slice(0, mostNamed).join(', ')}${more}: an undo puts back rows of its slices, and none of that.`;
}
