import type { TaskSql } from '../pipeline/model.ts';
import type { Statement } from '../sql/statement.ts';
import { locate, type MappedText } from '../text/mapped-text.ts';
import type { SourceSpan } from '../text/span.ts';
import type { ColumnType } from './column-range.ts';
import type { TableNames } from './table-names.ts';
import type { TableColumns } from './table-reads.ts';
import type { TableFacts } from './workspace-facts.ts';

/** A table as its definitions say, by its name in the workspace. */
export interface TableDefinition {
  readonly columns: TableFacts['columns'];
  readonly keys: TableFacts['keys'];
  readonly createdAt: SourceSpan | undefined;
}

/** A statement with the text that it stands in. */
export interface LocatedStatement {
  readonly statement: Statement;
  readonly source: MappedText;
}

export const locatedStatements = (sql: TaskSql): readonly LocatedStatement[] =>
  sql.reading.statements.map((statement) => ({ statement, source: sql.source }));

/** Collects CREATE TABLE, unique indexes and ALTER TABLE; a table that is made twice keeps its first definition. */
export function tableDefinitions(
  statements: readonly LocatedStatement[],
  names: TableNames,
): ReadonlyMap<string, TableDefinition> {
  const found = new Map<string, TableDefinition>();
  const empty: TableDefinition = { columns: [], keys: [], createdAt: undefined };
  for (const { statement, source } of statements) {
    const { target, kind, definitions, keys } = statement;
    if (target === undefined || target.templated || statement.temporary) continue;
    const name = names(target.name);
    const known = found.get(name) ?? empty;
    const creates = kind === 'create_table' || kind === 'create_table_as';
    const more = definitions
      .filter((column) => !known.columns.some((other) => other.name === column.name))
      .map(({ name: columnName, type, notNull, primaryKey }) => ({
        name: columnName,
        type,
        notNull: notNull || primaryKey,
      }));
    if (!creates && more.length === 0 && keys.length === 0) continue;
    if (creates && known.createdAt !== undefined) continue;
    const createdAt = creates ? (locate(source, statement.head) ?? known.createdAt) : known.createdAt;
    found.set(name, { columns: [...known.columns, ...more], keys: [...known.keys, ...keys], createdAt });
  }
  return found;
}

/** Answers about columns by a table's name as written. */
export function tableColumns(definitions: ReadonlyMap<string, TableDefinition>, names: TableNames): TableColumns {
  const of = (table: string): TableDefinition['columns'] | undefined => {
    const columns = definitions.get(names(table))?.columns;
    return columns === undefined || columns.length === 0 ? undefined : columns;
  };
  return {
    has: (table, column) => of(table)?.some((one) => one.name === column),
    typeOf: (table, column) => columnType(of(table)?.find((one) => one.name === column)?.type),
    columnsOf: (table) => of(table)?.map((column) => column.name),
  };
}

function columnType(type: string | undefined): ColumnType {
  if (type === undefined) return undefined;
  if (/^date\b(?!time)/.test(type) && !type.includes('[')) return 'date';
  if (/^timestamptz|^timestamp.* with (local )?time zone|^timestamp_(tz|ltz)/.test(type)) return 'timestamptz';
  return /^(timestamp|datetime)/.test(type) ? 'timestamp' : undefined;
}
