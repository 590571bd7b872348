import type { Task } from '../../pipeline/model/model.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { locate, type MappedText } from '../../text/mapped-text.ts';
import type { SourceSpan } from '../../text/span.ts';
import type { TableFacts } from '../facts/workspace-facts.ts';
import type { PartialKey } from '../queries/table-columns.ts';
import { type TablePart, tablePart } from '../queries/table-parts.ts';
import { materializedDefinition, type ViewDefinition, viewDefinition } from '../queries/view-definition.ts';
import { partitionParent } from '../writes/task-statements.ts';
import type { TableNames } from './find-table.ts';

/** A table as its definitions say, by its name in the workspace. */
export interface TableDefinition {
  readonly columns: TableFacts['columns'];
  readonly keys: TableFacts['keys'];
  /** Left out where there is none. */
  readonly partialKeys?: readonly PartialKey[];
  readonly partitionedBy: TableFacts['partitionedBy'];
  /** Partitions whose days are known; left out where there is none. */
  readonly parts?: readonly TablePart[];
  readonly createdAt: SourceSpan | undefined;
  /** Set for a view: the last definition of it. */
  readonly view?: ViewDefinition | undefined;
  /** Set for a materialised view. */
  readonly materialized?: ViewDefinition | undefined;
}

/** A statement that says something about how a table is made, with the text that it stands in. */
export interface DefiningStatement {
  readonly table: string;
  readonly statement: Statement;
  readonly source: MappedText;
  readonly view: ViewDefinition | undefined;
  readonly materialized: ViewDefinition | undefined;
  /** Set where it makes a partition of the table. */
  readonly part?: TablePart;
}

/** CREATE TABLE, CREATE VIEW, unique indexes and ALTER TABLE of a task, in their order. */
export const definingStatements = (task: Task): readonly DefiningStatement[] =>
  task.sql.flatMap((sql) =>
    sql.reading.statements.flatMap((statement) => {
      const { target, temporary, definitions, keys, partialKey } = statement;
      if (target === undefined || target.templated || temporary) return [];
      const view = viewDefinition(statement, sql);
      const materialized = materializedDefinition(statement, sql);
      const isView = view !== undefined || materialized !== undefined;
      const says = definitions.length > 0 || keys.length > 0 || partialKey !== undefined;
      if (!creates(statement) && !isView && !says) return [];
      const own: DefiningStatement = { table: target.name, statement, source: sql.source, view, materialized };
      const parent = creates(statement) ? partitionParent(sql.source.text, statement) : undefined;
      const part = parent && tablePart(target.name, sql.source.text.slice(statement.start, statement.end));
      return part ? [own, { ...own, table: parent, part }] : [own];
    }),
  );

const creates = ({ kind }: Statement): boolean => kind === 'create_table' || kind === 'create_table_as';

/** The statements of each table, by its name in the workspace. */
export function byTable(
  statements: Iterable<DefiningStatement>,
  names: TableNames,
): ReadonlyMap<string, readonly DefiningStatement[]> {
  const found = new Map<string, DefiningStatement[]>();
  for (const one of statements) {
    const table = names(one.table);
    const known = found.get(table);
    if (known === undefined) found.set(table, [one]);
    else known.push(one);
  }
  return found;
}

/** One table's statements together; a table that is made twice keeps its first definition. */
export function tableDefinition(statements: readonly DefiningStatement[]): TableDefinition {
  let known: TableDefinition = { columns: [], keys: [], partitionedBy: [], createdAt: undefined };
  for (const { statement, source, view, materialized, part } of statements) {
    if (part !== undefined) {
      known = { ...known, parts: [...(known.parts ?? []), part] };
      continue;
    }
    if (view !== undefined || materialized !== undefined) {
      known = { ...known, view, materialized };
      continue;
    }
    const { partialKey } = statement;
    if (partialKey !== undefined) {
      const where = source.text.slice(partialKey.where.start, partialKey.where.end);
      known = { ...known, partialKeys: [...(known.partialKeys ?? []), { columns: partialKey.columns, where }] };
    }
    const more = statement.definitions
      .filter((column) => !known.columns.some((other) => other.name === column.name))
      .map(({ name, type, notNull, primaryKey, generated, numbered, hasDefault }) => ({
        name,
        type,
        notNull: notNull || primaryKey,
        ...(generated || hasDefault ? { isFilled: true as const } : {}),
        ...(numbered ? { isNumbered: true as const } : {}),
      }));
    if (!creates(statement) && more.length === 0 && statement.keys.length === 0) continue;
    if (creates(statement) && known.createdAt !== undefined) continue;
    const createdAt = creates(statement) ? (locate(source, statement.head) ?? known.createdAt) : known.createdAt;
    const partitionedBy = creates(statement) ? statement.partitionedBy : known.partitionedBy;
    const keys = [...known.keys, ...statement.keys];
    known = { ...known, columns: [...known.columns, ...more], keys, partitionedBy, createdAt };
  }
  return known;
}
