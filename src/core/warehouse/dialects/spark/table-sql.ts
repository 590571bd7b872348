import type { FileTable } from '../../port/file-table.ts';
import type { ResultSet } from '../../port/ports.ts';
import type { ColumnDescription } from '../../port/table-description.ts';
import { quoteIdentifier, quoteName } from './quote.ts';

export const describeTableSql = (parts: readonly string[]): string => `describe extended ${quoteName(parts)}`;

/** What DESCRIBE EXTENDED says: the columns, then titles with `#`, then names and values. */
export function fileTableOf({ rows }: ResultSet): FileTable {
  const end = rows.findIndex(([name]) => name === '' || name?.startsWith('#'));
  const columns = (end < 0 ? rows : rows.slice(0, end)).map(([name, type]) => columnOf(name ?? '', type ?? ''));
  const section = (title: string): typeof rows => {
    const from = rows.findIndex(([name]) => name === title);
    if (from < 0) return [];
    const rest = rows.slice(from + 1);
    const to = rest.findIndex(([name]) => name === '' || (name?.startsWith('# ') === true && name !== '# col_name'));
    return to < 0 ? rest : rest.slice(0, to);
  };
  const partitionedBy = section('# Partition Information').flatMap(([name]) =>
    name === undefined || name === null || name === '# col_name' ? [] : [name],
  );
  // What a table was cut by once stays in its list, as `void(…)`.
  const cutBy = section('# Partitioning').flatMap(([part, transform]) =>
    part?.startsWith('Part ') === true && transform && !transform.startsWith('void(') ? [transform] : [],
  );
  const details = new Map(section('# Detailed Table Information').map(([name, value]) => [name, value ?? '']));
  const { catalog, schema, name } = namedBy(details);
  const qualified = [...(catalog === undefined ? [] : [catalog]), schema, name].join('.');
  return {
    catalog,
    table: {
      oid: '',
      schema,
      name,
      qualified,
      columns,
      keys: [],
      storage: [],
      rowSecurity: false,
      triggers: false,
    },
    partitionedBy,
    cutBy,
    provider: (details.get('Provider') ?? '').toLowerCase(),
    kind: /view/i.test(details.get('Type') ?? '') ? 'view' : 'table',
    location: details.get('Location'),
    tracksPartitions: details.get('Partition Provider') === 'Catalog',
  };
}

/** Tables of Delta and Iceberg are told by one `Name`, with their catalog. */
function namedBy(details: ReadonlyMap<string | null | undefined, string>): {
  catalog: string | undefined;
  schema: string;
  name: string;
} {
  const [first = '', ...rest] = details.get('Name')?.split('.') ?? [];
  if (rest.length < 2)
    return { catalog: undefined, schema: details.get('Database') ?? '', name: details.get('Table') ?? '' };
  return {
    catalog: first === 'spark_catalog' ? undefined : first,
    schema: rest.slice(0, -1).join('.'),
    name: rest.at(-1) ?? '',
  };
}

const columnOf = (name: string, type: string): ColumnDescription => ({
  name,
  type,
  baseType: type.replace(/[(<].*$/s, ''),
  notNull: false,
  stable: [],
  textual: false,
  float: type === 'float' || type === 'double',
  equatable: !/^(?:map|variant)\b/.test(type),
  surrogate: false,
  computedFrom: [],
});

export const tableSql = (file: FileTable): string => besideSql(file, file.table.name);

/** A name in the schema of a table. */
export const besideSql = ({ catalog, table }: FileTable, name: string): string =>
  quoteName([...(catalog === undefined ? [] : [catalog]), ...table.schema.split('.'), name]);

/** What is cached of a table's files may be of before somebody else wrote them. */
export const refreshSql = (table: FileTable): string => `refresh table ${tableSql(table)}`;

/** Rows by the values of partition columns, as text: how many, then the values. */
export function countByColumnsSql(table: FileTable, columns: readonly string[]): string {
  const names = columns.map(quoteIdentifier);
  return `select cast(count(*) as string), ${names.map((name) => `cast(${name} as string)`).join(', ')} from ${tableSql(table)} group by ${names.join(', ')}`;
}

/** Rows by conditions, as text: how many each holds for. */
export const countByConditionsSql = (table: FileTable, conditions: readonly string[]): string =>
  `select ${conditions.map((condition) => `cast(count_if(${condition}) as string)`).join(', ')} from ${tableSql(table)} where ${conditions.map((condition) => `(${condition})`).join(' or ')}`;
