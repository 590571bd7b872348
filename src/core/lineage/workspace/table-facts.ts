import type { TaskId } from '../../pipeline/model/model.ts';
import { keepSame, sameItems } from '../../pipeline/workspace/memo.ts';
import type { TaskFacts } from '../facts/facts.ts';
import type { TableFacts } from '../facts/workspace-facts.ts';
import type { TableNames } from './find-table.ts';
import type { TableDefinition } from './table-definitions.ts';

/** What was found of all tasks that run on a schedule, and how tables are spelled. */
export interface TableSources {
  readonly facts: Iterable<TaskFacts>;
  readonly definitions: ReadonlyMap<string, TableDefinition>;
  readonly names: TableNames;
  /** How many times each spelling is used. */
  readonly spelled: ReadonlyMap<string, number>;
}

/** Every table that is defined, written or read, sorted by name. Those of `before` are kept where nothing changed. */
export function tableFacts(
  { facts, definitions, names, spelled }: TableSources,
  before: ReadonlyMap<string, TableFacts>,
): ReadonlyMap<string, TableFacts> {
  const writers = new Map<string, Set<TaskId>>();
  const readers = new Map<string, Set<TaskId>>();
  for (const { task, reads, writes } of facts) {
    for (const { table } of writes) join(writers, names(table), task);
    for (const { table } of reads) join(readers, names(table), task);
  }
  const mostUsed = new Map<string, string>();
  for (const [spelling, times] of spelled) {
    const table = names(spelling);
    const known = mostUsed.get(table);
    if (known === undefined || times > (spelled.get(known) ?? 0)) mostUsed.set(table, spelling);
  }
  const tables = [...new Set([...definitions.keys(), ...writers.keys(), ...readers.keys()])].sort();
  const found = new Map(
    tables.map((table): [string, TableFacts] => {
      const { columns, keys, partitionedBy, createdAt } = definitions.get(table) ?? undefinedTable;
      const [written, read] = [[...(writers.get(table) ?? [])], [...(readers.get(table) ?? [])]];
      const name = mostUsed.get(table) ?? table;
      return [table, { name, columns, keys, partitionedBy, createdAt, writers: written, readers: read }];
    }),
  );
  return keepSame(before, found, isSame);
}

const undefinedTable: TableDefinition = { columns: [], keys: [], partitionedBy: [], createdAt: undefined };

function join(lists: Map<string, Set<TaskId>>, table: string, task: TaskId): void {
  const known = lists.get(table);
  if (known === undefined) lists.set(table, new Set([task]));
  else known.add(task);
}

const isSame = (a: TableFacts, b: TableFacts): boolean =>
  a.name === b.name &&
  a.columns === b.columns &&
  a.keys === b.keys &&
  a.partitionedBy === b.partitionedBy &&
  a.createdAt === b.createdAt &&
  sameItems(a.writers, b.writers) &&
  sameItems(a.readers, b.readers);
