import type { DatabaseRelation } from '../../pipeline/model/database-definitions.ts';
import { columnType } from '../columns/column-type.ts';
import type { TableFacts } from '../facts/workspace-facts.ts';
import type { PartialKey } from '../queries/table-columns.ts';
import type { TablePart } from '../queries/table-parts.ts';
import type { ViewDefinition } from '../queries/view-definition.ts';
import type { KnownTablesOfWorkspace } from '../tasks/workspace-tables.ts';
import { storedKeys, storedParts } from './database-tables.ts';
import type { TableNames } from './find-table.ts';
import type { TableDefinition } from './table-definitions.ts';

/** What the workspace knows about the table that a name means. */
export interface KnownTable {
  /** Its name in the workspace: two names mean one table when this is equal. */
  readonly table: string;
  /** Empty where no definition is at hand. */
  readonly columns: TableFacts['columns'];
  readonly keys: TableFacts['keys'];
  readonly partialKeys: readonly PartialKey[];
  /** What it is in the database, where that was asked. */
  readonly stored: DatabaseRelation | undefined;
  readonly partitionedBy: readonly string[];
  readonly parts: readonly TablePart[];
  /** The columns by which tasks cut it into slices. */
  readonly cutBy: readonly string[];
  readonly view: ViewDefinition | undefined;
  readonly materialized: ViewDefinition | undefined;
}

/** Which table a name means, with what is known about it; to be asked as `tableOf` by memos. */
export type TableLookup = { readonly tableOf: (name: string) => KnownTable };

/** Makes lookups whose answers are the objects of the lookup before where they mean the same. */
export function createTableLookups(): (
  names: TableNames,
  definitions: ReadonlyMap<string, TableDefinition>,
  cutBy: ReadonlyMap<string, readonly string[]>,
  stored?: ReadonlyMap<string, DatabaseRelation>,
) => TableLookup {
  let latest: ReadonlyMap<string, KnownTable> = new Map();
  return (names, definitions, cutBy, stored) => {
    const before = latest;
    const now = new Map<string, KnownTable>();
    latest = now;
    return {
      tableOf(name) {
        const table = names(name);
        const asked = now.get(table);
        if (asked !== undefined) return asked;
        const definition = definitions.get(table) ?? {};
        const {
          columns = none,
          keys = none,
          partialKeys = none,
          partitionedBy = none,
          parts = none,
        }: Partial<TableDefinition> = definition;
        const { view, materialized }: Partial<TableDefinition> = definition;
        const fresh: KnownTable = {
          table,
          columns,
          keys,
          partialKeys,
          stored: stored?.get(table),
          partitionedBy,
          parts,
          cutBy: cutBy.get(table) ?? none,
          view,
          materialized,
        };
        const known = before.get(table);
        const same =
          known?.columns === columns &&
          known.keys === keys &&
          known.partialKeys === partialKeys &&
          known.stored === fresh.stored &&
          known.partitionedBy === partitionedBy &&
          known.parts === parts &&
          known.cutBy === fresh.cutBy &&
          known.view === view &&
          known.materialized === materialized;
        const kept = same ? known : fresh;
        now.set(table, kept);
        return kept;
      },
    };
  };
}

const none: readonly never[] = [];

/** All that a task's facts may ask, answered from one question: which table a name as written means. */
export function knownTables(tableOf: (name: string) => KnownTable): KnownTablesOfWorkspace {
  const column = (table: string, name: string) => tableOf(table).columns.find((one) => one.name === name);
  return {
    has(table, name) {
      const { columns, cutBy } = tableOf(table);
      if (columns.length > 0) return columns.some((one) => one.name === name);
      // A table whose definition is not at hand has at least the columns that it is cut by.
      return cutBy.includes(name) ? true : undefined;
    },
    typeOf: (table, name) => columnType(column(table, name)?.type),
    writtenType(table, name) {
      const { stored } = tableOf(table);
      return (column(table, name)?.type ?? stored?.types[stored.columns.indexOf(name)])?.toLowerCase();
    },
    storedType(table, name) {
      const { columns, stored } = tableOf(table);
      return columns.length > 0 ? undefined : columnType(stored?.types[stored.columns.indexOf(name)]);
    },
    columnsOf(table) {
      const { columns } = tableOf(table);
      return columns.length === 0 ? undefined : columns.map((one) => one.name);
    },
    keysOf(table) {
      const { columns, keys, partialKeys, stored } = tableOf(table);
      return (stored && storedKeys(stored)) ?? { columns, keys, ...(partialKeys.length === 0 ? {} : { partialKeys }) };
    },
    partsOf(table) {
      const { parts, stored } = tableOf(table);
      return parts.length > 0 || stored === undefined ? parts : storedParts(stored);
    },
    emptiedWith: (table) => tableOf(table).stored?.emptiedWith ?? none,
    slicedBy: (table) => tableOf(table).cutBy,
    partitionedBy: (table) => tableOf(table).partitionedBy,
    viewOf: (table) => tableOf(table).view,
    materializedOf: (table) => tableOf(table).materialized,
    same: (a, b) => tableOf(a).table === tableOf(b).table,
  };
}
