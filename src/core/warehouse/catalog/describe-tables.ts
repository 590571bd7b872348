import { namePart } from '../../sql/model/name-parts.ts';
import { describeTablesSql, describeTypesSql, identifyTablesSql } from '../dialects/postgres/catalog-sql.ts';
import { quoteIdentifier, quoteTableName } from '../dialects/postgres/quote.ts';
import { stableValue, type TypeRow } from '../dialects/postgres/stable-value.ts';
import type { Session } from '../port/ports.ts';
import type { ColumnDescription, ColumnType, TableDescription } from '../port/table-description.ts';
import { WarehouseError } from '../port/warehouse-error.ts';

interface TableRow {
  readonly oid: string;
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
  readonly readable: boolean;
  readonly rowSecurity: boolean;
  readonly triggers: boolean;
  readonly populated: boolean;
  readonly storage: readonly string[];
  readonly keys: readonly (readonly string[])[];
  readonly columns:
    | readonly {
        readonly name: string;
        readonly type: string;
        readonly typeOid: string;
        readonly notNull: boolean;
        readonly surrogate: boolean;
        readonly computedFrom: readonly string[] | null;
      }[]
    | null;
}

const refusedKinds: Readonly<Record<string, string>> = {
  v: 'a view',
  f: 'a foreign table',
  S: 'a sequence',
  c: 'a composite type',
  i: 'an index',
  I: 'an index',
  t: 'a TOAST table',
};

/** Built-in types by oid, which never change. Types of the user's own do, and are asked for with every table. */
export type TypeCache = Map<string, TypeRow>;

/**
 * Describes target tables, in the order given. Throws {@link WarehouseError}: `missing` where there is no such table,
 * `permission` where it cannot be read, `other` where its rows are not its own (views, foreign tables).
 */
export async function describeTables(
  session: Session,
  names: readonly string[],
  types: TypeCache,
): Promise<readonly TableDescription[]> {
  const rows = await tableRows(session, names);
  return describeRows(
    session,
    rows.map((row, index) => usable(row, names[index] ?? '')),
    types,
  );
}

/** Anything that rows can be read of, views and foreign tables included; `undefined` for what cannot be. */
export async function describeReadable(
  session: Session,
  names: readonly string[],
  types: TypeCache,
): Promise<readonly (TableDescription | undefined)[]> {
  const rows = await tableRows(session, names);
  const readable = rows.flatMap((row) => (row?.readable && /^[rpvmf]$/.test(row.kind) ? [row] : []));
  const described = await describeRows(session, readable, types);
  return rows.map((row) => described.find(({ oid }) => oid === row?.oid));
}

async function describeRows(
  session: Session,
  tables: readonly TableRow[],
  types: TypeCache,
): Promise<readonly TableDescription[]> {
  const known = new Map(types);
  const unknown = new Set(
    tables.flatMap((table) => (table.columns ?? []).map((column) => column.typeOid)).filter((oid) => !types.has(oid)),
  );
  if (unknown.size > 0) {
    const result = await session.query(describeTypesSql, [`{${[...unknown].join(',')}}`]);
    for (const type of JSON.parse(result.rows[0]?.[0] ?? '[]') as TypeRow[]) {
      known.set(type.oid, type);
      if (type.builtIn) types.set(type.oid, type);
    }
  }
  return tables.map((table) => describe(table, known));
}

/** `schema.name` of each name, `undefined` where there is no such table. */
export const qualifyNames = async (
  session: Session,
  names: readonly string[],
): Promise<readonly (string | undefined)[]> =>
  (await identifyTables(session, names)).map((identity) => identity?.qualified);

/** `schema.name` and columns of each name, `undefined` where there is no such table. */
export async function identifyTables(
  session: Session,
  names: readonly string[],
): Promise<readonly ({ readonly qualified: string; readonly columns: readonly ColumnType[] } | undefined)[]> {
  const result = await session.query(identifyTablesSql, [quotedNames(names)]);
  return result.rows.map(([json]) => {
    if (!json) return undefined;
    const { schema, name, columns } = JSON.parse(json) as NamedRow;
    return { qualified: `${namePart(schema)}.${namePart(name)}`, columns: columns ?? [] };
  });
}

interface NamedRow {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly ColumnType[] | null;
}

async function tableRows(session: Session, names: readonly string[]): Promise<readonly (TableRow | undefined)[]> {
  const result = await session.query(describeTablesSql, [quotedNames(names)]);
  return result.rows.map(([json]) => (json ? (JSON.parse(json) as TableRow) : undefined));
}

/** As an array of the server. */
const quotedNames = (names: readonly string[]): string => {
  const quoted = names.map((name) => `"${quoteTableName(name).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
  return `{${quoted.join(',')}}`;
};

function usable(row: TableRow | undefined, name: string): TableRow {
  if (row === undefined) {
    throw new WarehouseError('missing', `The table ${name} does not exist.`, false, {
      sqlState: '42P01',
      hint: 'Create it first, or check the name and the search_path of the connection.',
    });
  }
  const refused = refusedKinds[row.kind];
  if (refused !== undefined) {
    throw new WarehouseError('other', `${row.schema}.${row.name} is ${refused}, not a table.`, false, {
      hint: 'Only rows of tables can be replaced and compared: name the table behind it as the target.',
    });
  }
  if (!row.readable) {
    throw new WarehouseError('permission', `The table ${row.schema}.${row.name} may not be read.`, false, {
      sqlState: '42501',
      hint: `GRANT SELECT ON ${quoteIdentifier(row.schema)}.${quoteIdentifier(row.name)} TO the user of this connection;`,
    });
  }
  return row;
}

function describe(row: TableRow, types: ReadonlyMap<string, TypeRow>): TableDescription {
  return {
    oid: row.oid,
    schema: row.schema,
    name: row.name,
    qualified: `${namePart(row.schema)}.${namePart(row.name)}`,
    columns: (row.columns ?? []).map((column): ColumnDescription => {
      const base = baseOf(column.typeOid, types);
      const { expressions, textual } = stableValue(column.typeOid, types);
      return {
        name: column.name,
        type: column.type,
        baseType: base?.short ?? column.type,
        notNull: column.notNull,
        stable: expressions,
        textual,
        float: base?.short === 'float4' || base?.short === 'float8',
        equatable: isEquatable(column.typeOid, types),
        surrogate: column.surrogate,
        computedFrom: column.computedFrom ?? [],
      };
    }),
    keys: row.keys,
    storage: row.storage,
    rowSecurity: row.rowSecurity,
    triggers: row.triggers,
    ...(row.kind === 'm' ? { materialized: row.populated ? ('filled' as const) : ('unfilled' as const) } : {}),
  };
}

/** Built-in types without `=`, and those whose `=` means something else, such as the same area. */
const unequatable = /^_?(?:json|xml|point|line|lseg|box|path|polygon|circle)$/;

/** No operator takes a domain over an enum as that enum. */
function isEquatable(oid: string, types: ReadonlyMap<string, TypeRow>): boolean {
  const base = baseOf(oid, types);
  if (base === undefined) return false;
  return !(base.builtIn && unequatable.test(base.short)) && (base.kind !== 'e' || base.oid === oid);
}

function baseOf(oid: string, types: ReadonlyMap<string, TypeRow>): TypeRow | undefined {
  const type = types.get(oid);
  return type?.kind === 'd' ? baseOf(type.base, types) : type;
}
