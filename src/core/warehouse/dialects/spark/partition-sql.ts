import type { FileTable, PartitionSpec } from '../../port/file-table.ts';
import type { ResultSet } from '../../port/ports.ts';
import { quoteIdentifier, quoteLiteral } from './quote.ts';
import { tableSql } from './table-sql.ts';

/** How a folder is named whose column is NULL. */
const nullName = '__HIVE_DEFAULT_PARTITION__';

export const showPartitionsSql = (table: FileTable): string => `show partitions ${tableSql(table)}`;

/** Rows of SHOW PARTITIONS, `day=2026-11-01/country=DE`; what a folder cannot be named by is written as `%3A`. */
export const partitionsOf = ({ rows }: ResultSet): readonly PartitionSpec[] =>
  rows.map(([path]) =>
    Object.fromEntries(
      (path ?? '').split('/').map((part) => {
        const at = part.indexOf('=');
        const value = unescaped(part.slice(at + 1));
        return [unescaped(part.slice(0, at)), value === nullName ? null : value];
      }),
    ),
  );

const unescaped = (text: string): string =>
  text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** A partition as one word, and the name of a folder; not always the one that Spark would give it. */
export const partitionPath = (spec: PartitionSpec): string =>
  Object.entries(spec)
    .map(([name, value]) => `${escaped(name)}=${value === null ? nullName : escaped(value)}`)
    .join('/');

const escaped = (text: string): string =>
  text.replace(/[^\w. -]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** `PARTITION (day = '2026-11-01')`: Spark casts the texts to the columns' types. */
export const partitionClause = (spec: PartitionSpec): string =>
  `partition (${Object.entries(spec)
    .map(([name, value]) => `${quoteIdentifier(name)} = ${value === null ? 'null' : quoteLiteral(value)}`)
    .join(', ')})`;

/** Rows of one partition, as a condition. */
export const partitionPredicate = (spec: PartitionSpec): string =>
  Object.entries(spec)
    .map(([name, value]) => `${quoteIdentifier(name)} ${value === null ? 'is null' : `= ${quoteLiteral(value)}`}`)
    .join(' and ');

export const describePartitionSql = (table: FileTable, spec: PartitionSpec): string =>
  `describe extended ${tableSql(table)} ${partitionClause(spec)}`;

/** The folder of a partition, from what DESCRIBE says of it; `# Storage Information` behind has that of the table. */
export function partitionLocation({ rows }: ResultSet): string | undefined {
  const from = rows.findIndex(([name]) => name === '# Detailed Partition Information');
  return rows.slice(from + 1).find(([name]) => name === 'Location')?.[1] ?? undefined;
}

export const addPartitionSql = (table: FileTable, spec: PartitionSpec, location: string): string =>
  `alter table ${tableSql(table)} add if not exists ${partitionClause(spec)} location ${quoteLiteral(location)}`;

export const setLocationSql = (table: FileTable, spec: PartitionSpec, location: string): string =>
  `alter table ${tableSql(table)} ${partitionClause(spec)} set location ${quoteLiteral(location)}`;

/** Of a managed table this deletes the files of the partition's folder. */
export const dropPartitionSql = (table: FileTable, spec: PartitionSpec): string =>
  `alter table ${tableSql(table)} drop if exists ${partitionClause(spec)}`;

/** What transforms of Iceberg come to; one that stands for no time (a bucket) is left out, so that partitions are then told less finely. */
const transforms: Readonly<Record<string, (column: string) => string>> = {
  years: (column) => `year(${column})`,
  months: (column) => `date_format(${column}, 'yyyy-MM')`,
  days: (column) => `date(${column})`,
  hours: (column) => `date_format(${column}, 'yyyy-MM-dd HH')`,
};

/** In which partition a row is, as a number, where partitions cannot be listed; `undefined`: there are none. */
export function partitionHashSql({ partitionedBy, cutBy }: FileTable): string | undefined {
  const parts = (cutBy.length > 0 ? cutBy : partitionedBy).flatMap((part) => {
    const [, name = '', column = ''] = /^(\w+)\((\w+)\)$/.exec(part) ?? [];
    if (name !== '') return transforms[name.toLowerCase()]?.(quoteIdentifier(column)) ?? [];
    return part.includes('(') ? [] : quoteIdentifier(part);
  });
  return parts.length === 0 ? undefined : `xxhash64(${parts.flatMap((part) => [`isnull(${part})`, part]).join(', ')})`;
}
