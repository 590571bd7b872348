import type { TaskFacts, Unknown } from '../../lineage/facts/facts.ts';
import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import { type TableNames, tableNames } from '../../lineage/workspace/find-table.ts';
import type { TaskId } from '../../pipeline/model/model.ts';

/** What a person is asked to fill in; everything else of a draft is known or a fair start. */
export const toFillIn = undefined;

export interface DraftRead {
  readonly table: string | typeof toFillIn;
  /** Time column of the window; left out where nothing says it. */
  readonly column: string | undefined;
}

export interface DraftWrite {
  readonly table: string | typeof toFillIn;
  /** Left out where the whole table is written. */
  readonly column: string | typeof toFillIn;
  /** What an interval owns, in the words of `backfill.yaml`; left out for what lies in the interval. */
  readonly slice?: string | undefined;
}

/** An entry of `backfill.yaml` that settles what is not known of a task, once what is left open in it is filled in. */
export interface DeclarationDraft {
  readonly task: TaskId;
  /** Every table has to be listed, because code of the task is not followed. */
  readonly complete: boolean;
  readonly reads: readonly DraftRead[];
  readonly writes: readonly DraftWrite[];
  /** Of its DAG, where nothing else is unknown: folders in which its template files are. */
  readonly searchPath?: { readonly dag: string; readonly folders: readonly string[] };
}

/** The draft for a task; empty lists where nothing is unknown. `names` are those of the workspace's tables. */
export function draftDeclaration(
  task: TaskId,
  facts: WorkspaceFacts,
  names: TableNames = tableNames(facts.tables.keys()),
): DeclarationDraft {
  const { unknowns = [] } = facts.facts.get(task) ?? {};
  const tablesOf = (about: Unknown['about']): readonly string[] => [
    ...new Set(unknowns.flatMap((one) => (one.about === about && one.table !== undefined ? [one.table] : []))),
  ];
  const found = unknowns.filter(({ searchPath }) => searchPath !== undefined);
  const dag = facts.tasks.get(task)?.pipeline.id;
  if (found.length > 0 && found.length === unknowns.length && dag !== undefined) {
    const folders = [...new Set(found.flatMap(({ searchPath = [] }) => searchPath))];
    return { task, complete: false, reads: [], writes: [], searchPath: { dag, folders } };
  }
  const complete = unknowns.some(({ about }) => about === 'tables' || about === 'table-name');
  const reads = tablesOf('window').map((table) => ({ table, column: sliceColumn(table, facts, names) }));
  const writes = tablesOf('slice').map((table) => ({
    table,
    column: sliceColumn(table, facts, names) ?? timeColumn(table, facts, names),
  }));
  const open = { table: toFillIn, column: undefined };
  return {
    task,
    complete,
    reads: complete && reads.length === 0 ? [open] : reads,
    writes: complete && writes.length === 0 ? [open] : writes,
  };
}

/** The column by which tasks of the workspace cut a table, where they agree. */
function sliceColumn(table: string, facts: WorkspaceFacts, names: TableNames): string | undefined {
  const writers = facts.tables.get(names(table))?.writers ?? [];
  const columns = new Set(
    writers.flatMap((id) => columnsCut(facts.facts.get(id), (name) => names(name) === names(table))),
  );
  return columns.size === 1 ? [...columns][0] : undefined;
}

const columnsCut = (facts: TaskFacts | undefined, isTable: (name: string) => boolean): readonly string[] =>
  (facts?.writes ?? []).flatMap(({ table, slice }) =>
    isTable(table) && slice.kind === 'range' && slice.cut === undefined ? [slice.column] : [],
  );

/** The only column of the table's definition that holds a time. */
function timeColumn(table: string, facts: WorkspaceFacts, names: TableNames): string | undefined {
  const { columns = [] } = facts.tables.get(names(table)) ?? {};
  const times = columns.filter(({ type }) => /^(date|datetime|timestamp)/i.test(type));
  return times.length === 1 ? times[0]?.name : undefined;
}
