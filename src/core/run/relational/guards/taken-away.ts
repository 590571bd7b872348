import { isStagingName } from '../../../lineage/facts/table-roles.ts';
import { callsInSql } from '../../../sql/calls/calls-in-sql.ts';
import { withoutLeadingComments } from '../../../sql/lex/leading-comments.ts';
import { ledgerSchema } from '../../../warehouse/dialects/postgres/ledger/ledger-schema-sql.ts';
import { lastingRelationsSql, runsOwnCodeSql } from '../../../warehouse/dialects/postgres/slice/attached-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { Target } from '../../tables/target.ts';
import type { OpenUnit } from '../task/open-unit.ts';

interface Relation {
  readonly name: string;
  /** `table`, `materialized view`. */
  readonly kind: string;
  readonly columns: readonly string[];
}

/** All tables and views of the database by oid: one that is made anew has another. */
type Relations = ReadonlyMap<string, Relation>;

const mostNamed = 5;

/** With their columns only where the statements themselves may alter tables: of many tables that takes long. */
async function lastingRelations(session: Session, withColumns: boolean): Promise<Relations> {
  const values = [`{${ledgerSchema},information_schema}`, String(withColumns)];
  const { rows } = await session.query(lastingRelationsSql, values);
  return new Map(
    rows.map(([oid, name, kind, columns]) => [
      String(oid),
      { name: String(name), kind: String(kind), columns: JSON.parse(columns ?? '[]') as string[] },
    ]),
  );
}

/** What is there before a task, to say afterwards what it took away; looked at where its statements may take something. */
export interface Watched {
  readonly relations: Relations;
  readonly withColumns: boolean;
}

/**
 * `always`: whatever the statements say. Not looked at for mere changes of rows that call no code of somebody's own: what
 * changes the catalog all the same is then found by that.
 */
export async function watchRelations(
  { session, plan, targets }: Pick<OpenUnit, 'session' | 'plan' | 'targets'>,
  always: boolean,
): Promise<Watched | undefined> {
  const withColumns = plan.altersTables;
  const isAsked = always || withColumns || !plan.statements.every(({ text }) => changesRows(text));
  if (!isAsked && !(await runsOwnCode(session, plan.statements, targets))) return undefined;
  return { relations: await lastingRelations(session, withColumns), withColumns };
}

const changesRows = (text: string): boolean => !/^[\s;]*(?:truncate|analyze)\b/i.test(withoutLeadingComments(text));

async function runsOwnCode(
  session: Session,
  statements: OpenUnit['plan']['statements'],
  targets: readonly Target[],
): Promise<boolean> {
  const names = new Set(
    statements.flatMap(({ text }) =>
      callsInSql({ text, holes: [], tags: [], problem: undefined }, 'postgres').map(({ name }) =>
        name.slice(name.lastIndexOf('.') + 1),
      ),
    ),
  );
  const oids = targets.flatMap(({ relation }) => relation?.table.storage ?? []);
  const values = [`{${[...names].map((name) => JSON.stringify(name)).join(',')}}`, `{${oids.join(',')}}`];
  return (await session.query(runsOwnCodeSql, values)).rows[0]?.[0] === 't';
}

export async function saidOfRelations(
  session: Session,
  { relations, withColumns }: Watched,
  own: readonly Target[],
): Promise<string | undefined> {
  const names = new Set(own.map(({ qualified }) => qualified));
  return changedRelations(relations, await lastingRelations(session, withColumns), names);
}

/**
 * Says what a task has taken away or made beside rows of its slices; `undefined`: nothing. Staging tables are there to go, and
 * what is made again under its name is not gone.
 */
function changedRelations(before: Relations, after: Relations, own: ReadonlySet<string>): string | undefined {
  const names = new Set([...after.values()].map(({ name }) => name));
  const known = new Set([...before.values()].map(({ name }) => name));
  const made = [...after].flatMap(([oid, { name, kind }]) =>
    before.has(oid) || known.has(name) || own.has(name) || isStagingName(name) ? [] : [`makes the ${kind} ${name}`],
  );
  const gone = [...before].flatMap(([oid, { name, kind, columns }]): string[] => {
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
  const said = [...gone, ...made];
  if (said.length === 0) return undefined;
  const more = said.length > mostNamed ? `, and ${said.length - mostNamed} more of this kind` : '';
  return `The task ${said.slice(0, mostNamed).join(', ')}${more}: an undo puts back rows of its slices, and none of that.`;
}
