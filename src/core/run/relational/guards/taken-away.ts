import { isStagingName } from '../../../lineage/facts/table-roles.ts';
import { callsInSql } from '../../../sql/calls/calls-in-sql.ts';
import { withoutLeadingComments } from '../../../sql/lex/leading-comments.ts';
import { runsOwnCodeSql } from '../../../warehouse/dialects/postgres/effects/attached-sql.ts';
import {
  lastingDefinitionsSql,
  lastingRelationsSql,
  ownLocksSql,
} from '../../../warehouse/dialects/postgres/effects/definitions-sql.ts';
import { ledgerSchema } from '../../../warehouse/dialects/postgres/ledger/ledger-schema-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { Target } from '../../tables/target.ts';
import type { OpenUnit } from '../task/open-unit.ts';

interface Relation {
  readonly name: string;
  /** `table`, `materialized view`. */
  readonly kind: string;
  readonly columns: readonly string[];
  /** The rights on it, its columns and all else that is said of it, each as something that only tells whether it is the same. */
  readonly rights: string;
  readonly ofColumns: string;
  readonly rest: string;
  /** This transaction has made or altered it. */
  readonly own: boolean;
}

/** All tables and views of the database by oid: one that is made anew has another. */
type Relations = ReadonlyMap<string, Relation>;

/** Indexes, constraints, functions and the like. */
interface Definition {
  /** The table that it is on, by oid; on none where undefined. */
  readonly on: string | undefined;
  readonly what: string;
  readonly state: string;
  /** Held by who drops it. */
  readonly lock: string;
  readonly own: boolean;
}

interface Catalog {
  readonly relations: Relations;
  readonly definitions: readonly Definition[];
}

const mostNamed = 5;

/** With their columns only where the statements themselves may alter tables: of many tables that takes long. */
async function readCatalog(session: Session, withColumns: boolean, ownAge?: string): Promise<Catalog> {
  const schemas = `{${ledgerSchema},information_schema}`;
  const { rows } = await session.query(lastingRelationsSql(ownAge), [schemas, String(withColumns)]);
  const relations = rows.map(([oid, name, kind, columns, rights, ofColumns, rest, own]): [string, Relation] => [
    String(oid),
    {
      name: String(name),
      kind: String(kind),
      columns: JSON.parse(columns ?? '[]') as string[],
      rights: rights ?? '',
      ofColumns: ofColumns ?? '',
      rest: rest ?? '',
      own: own === 't',
    },
  ]);
  const definitions = (await session.query(lastingDefinitionsSql(ownAge), [schemas])).rows.map(
    ([on, what, state, lock, own]): Definition => ({
      on: on ?? undefined,
      what: String(what),
      state: String(state),
      lock: String(lock),
      own: own === 't',
    }),
  );
  return { relations: new Map(relations), definitions };
}

/** What is there before a task, to say afterwards what it took away; looked at where its statements may take something. */
export interface Watched extends Catalog {
  readonly withColumns: boolean;
}

/** What a task did to definitions, each as what it does (`drops the table a.b`). */
export interface Redefined {
  readonly changes: readonly string[];
  /** Its own tables that it made anew, which take the definitions of before with them. */
  readonly anew: readonly string[];
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
  return { ...(await readCatalog(session, withColumns)), withColumns };
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

/**
 * What a task has taken away, made or altered beside rows of its slices. What others do to the database meanwhile is none of
 * it: rows of the catalogs say which transaction wrote them, and who drops something holds its lock to the end. `own`: its
 * targets as they were found; `ownAge`: of what it wrote.
 */
export async function redefinedSince(
  session: Session,
  watched: Watched,
  own: readonly Target[],
  ownAge: string,
): Promise<Redefined> {
  const now = await readCatalog(session, watched.withColumns, ownAge);
  const locks = new Set((await session.query(ownLocksSql)).rows.map(([lock]) => String(lock)));
  const names = new Set(own.map(({ qualified }) => qualified));
  const there = new Map([...now.relations].map(([oid, { name }]) => [name, oid]));
  const anew = [...watched.relations].flatMap(([oid, { name }]) => {
    const other = there.get(name);
    return names.has(name) && other !== undefined && other !== oid ? [name] : [];
  });
  const changes = [
    ...changedRelations(watched.relations, now.relations, names, locks),
    ...changedDefinitions(watched, now, locks),
  ];
  return { changes, anew };
}

/** Of what a task redefined; `undefined`: nothing that its slices do not tell. */
export function redefinedInWords({ changes }: Redefined): string | undefined {
  if (changes.length === 0) return undefined;
  const more = changes.length > mostNamed ? `, and ${changes.length - mostNamed} more of this kind` : '';
  return `The task ${changes.slice(0, mostNamed).join(', ')}${more}: an undo puts back rows of its slices, and none of that.`;
}

/** Staging tables are there to go, and what is made again under its name is not gone. */
function changedRelations(
  before: Relations,
  after: Relations,
  own: ReadonlySet<string>,
  locks: ReadonlySet<string>,
): readonly string[] {
  const names = new Set([...after.values()].map(({ name }) => name));
  const known = new Set([...before.values()].map(({ name }) => name));
  const made = [...after].flatMap(([oid, { name, kind, own: isOwn }]) =>
    !isOwn || before.has(oid) || known.has(name) || own.has(name) || isStagingName(name)
      ? []
      : [`makes the ${kind} ${name}`],
  );
  const gone = [...before].flatMap(([oid, was]): string[] => {
    const { name, kind, columns } = was;
    if (isStagingName(name)) return [];
    const now = after.get(oid);
    if (now === undefined) return names.has(name) || !locks.has(`relation ${oid}`) ? [] : [`drops the ${kind} ${name}`];
    if (!now.own) return [];
    const lost = columns.filter((column) => !now.columns.includes(column));
    // One that has another name may be renamed, and have its values still.
    const drops = lost.length > columns.length - now.columns.length || now.columns.length >= columns.length ? [] : lost;
    return [
      ...(now.name === name || names.has(name) ? [] : [`names the ${kind} ${name} ${now.name}`]),
      ...(drops.length === 0 ? [] : [`drops ${drops.join(', ')} of ${name}`]),
      ...(now.ofColumns === was.ofColumns || drops.length > 0 ? [] : [`alters columns of ${name}`]),
      ...(now.rights === was.rights ? [] : [`alters the rights on ${name}`]),
      ...(now.rest === was.rest ? [] : [`alters the ${kind} ${name}`]),
    ];
  });
  return [...gone, ...made];
}

/** Of what stays in place: what goes or comes with its table is said of that one. */
function changedDefinitions(before: Catalog, after: Catalog, locks: ReadonlySet<string>): readonly string[] {
  const stays = ({ on }: Definition): boolean =>
    on === undefined ||
    (before.relations.has(on) && after.relations.has(on) && !isStagingName(before.relations.get(on)?.name ?? ''));
  const byName = ({ definitions }: Catalog) => new Map(definitions.filter(stays).map((one) => [one.what, one]));
  const [old, now] = [byName(before), byName(after)];
  return [
    ...[...old.values()].flatMap(({ what, state, lock }) => {
      const is = now.get(what);
      if (is === undefined) return locks.has(lock) ? [`drops ${what}`] : [];
      return is.state === state || !is.own ? [] : [`alters ${what}`];
    }),
    ...[...now.values()].flatMap(({ what, own }) => (old.has(what) || !own ? [] : [`makes ${what}`])),
  ];
}
