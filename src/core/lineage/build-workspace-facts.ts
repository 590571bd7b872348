import type { Pipeline, Task, TaskId } from '../pipeline/model.ts';
import type { WorkspaceReading } from '../pipeline/workspace-reading.ts';
import type { Problem } from '../text/span.ts';
import { makeGrid } from '../time/make-grid.ts';
import type { DeclaredFacts } from './declared-facts.ts';
import { withDeclaredWrites } from './declared-window.ts';
import type { TaskFacts, WriteFact } from './facts.ts';
import { locatedStatements, type TableDefinition, tableColumns, tableDefinitions } from './table-index.ts';
import { type TableNames, tableNames } from './table-names.ts';
import { type KnownTablesOfWorkspace, taskFacts } from './task-facts.ts';
import { taskStatements, taskWrites } from './task-writes.ts';
import type { TableFacts, WorkspaceFacts } from './workspace-facts.ts';

interface Owned {
  readonly task: Task;
  readonly pipeline: Pipeline;
}

/** Joins a workspace by its tables. Writes come first, because a read's window depends on how its table is cut. */
export function buildWorkspaceFacts(reading: WorkspaceReading, declared: DeclaredFacts): WorkspaceFacts {
  const pipelines = reading.files.flatMap((file) => file.pipelines);
  const tasks = new Map<TaskId, Owned>();
  for (const pipeline of pipelines) for (const task of pipeline.tasks) tasks.set(task.id, { task, pipeline });
  const statements = [...tasks.values()].flatMap(({ task }) => task.sql.flatMap(locatedStatements));
  const spelled = spellings(tasks, declared);
  const names = tableNames(spelled.keys());
  const definitions = tableDefinitions(statements, names);
  const columns = tableColumns(definitions, names);

  const slicedBy = new Map<string, string[]>();
  const same = (a: string, b: string): boolean => names(a) === names(b);
  for (const { task, pipeline } of tasks.values()) {
    if (!isScheduled(pipeline)) continue;
    const { writes } = taskWrites(taskStatements(task, pipeline.zone), columns);
    for (const write of withDeclaredWrites(writes, declared.get(task.id)?.writes ?? [], same))
      note(slicedBy, write, names);
  }
  const cut = (table: string): readonly string[] => slicedBy.get(names(table)) ?? [];
  const known: KnownTablesOfWorkspace = {
    ...columns,
    // A table whose definition is not at hand has at least the columns that it is cut by.
    has: (table, column) => columns.has(table, column) ?? (cut(table).includes(column) ? true : undefined),
    same,
    slicedBy: cut,
  };

  const facts = new Map<TaskId, TaskFacts>();
  for (const { task, pipeline } of tasks.values()) {
    facts.set(task.id, taskFacts(task, pipeline, known, declared.get(task.id)));
  }
  return {
    pipelines,
    tasks,
    facts,
    tables: tablesOf(tasks, facts, definitions, names, spelled),
    problems: [
      ...unknownDeclarations(tasks, declared),
      ...pipelines.flatMap(uncertainTicks),
      ...[...facts.values()].flatMap((one) => one.problems),
    ],
    text: reading.text,
  };
}

/** A stand-alone SQL file without a schedule is a script that somebody runs by hand: definitions, a seed, a repair. */
export const isScheduled = (pipeline: Pipeline): boolean =>
  pipeline.format !== 'sql-file' || pipeline.schedule.value.kind !== 'none';

/** What the file alone cannot say about the intervals of a pipeline. */
function uncertainTicks({ id, schedule, anchor, at }: Pipeline): readonly Problem[] {
  const made = makeGrid(schedule.value, anchor);
  if (made.grid === undefined || made.caveat === undefined) return [];
  const message = `The intervals of ${id} are not certain: ${made.caveat}.`;
  return [{ message, at: schedule.at ?? at, severity: 'info' }];
}

/** How many times each spelling of a table's name is used. */
function spellings(tasks: ReadonlyMap<TaskId, Owned>, declared: DeclaredFacts): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (name: string): void => {
    counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  };
  for (const { task } of tasks.values()) {
    for (const sql of task.sql) {
      for (const { target, targets, reads, temporary } of sql.reading.statements) {
        if (temporary) continue;
        const named = target === undefined || targets.includes(target) ? targets : [target, ...targets];
        for (const table of [...named, ...reads]) if (!table.templated) count(table.name);
      }
    }
  }
  for (const { reads, writes } of declared.values()) for (const { table } of [...reads, ...writes]) count(table);
  return counts;
}

function note(slicedBy: Map<string, string[]>, write: WriteFact, names: TableNames): void {
  if (write.slice.kind !== 'range') return;
  const table = names(write.table);
  const columns = slicedBy.get(table) ?? [];
  if (!columns.includes(write.slice.column)) slicedBy.set(table, [...columns, write.slice.column]);
}

function tablesOf(
  tasks: ReadonlyMap<TaskId, Owned>,
  facts: ReadonlyMap<TaskId, TaskFacts>,
  definitions: ReadonlyMap<string, TableDefinition>,
  names: TableNames,
  spelled: ReadonlyMap<string, number>,
): ReadonlyMap<string, TableFacts> {
  const writers = new Map<string, TaskId[]>();
  const readers = new Map<string, TaskId[]>();
  const tables = new Set<string>(definitions.keys());
  const join = (lists: Map<string, TaskId[]>, table: string, id: TaskId): void => {
    const list = lists.get(table) ?? [];
    if (!list.includes(id)) lists.set(table, [...list, id]);
    tables.add(table);
  };
  for (const [id, { reads, writes }] of facts) {
    const owner = tasks.get(id);
    if (owner === undefined || !isScheduled(owner.pipeline)) continue;
    for (const { table } of writes) join(writers, names(table), id);
    for (const { table } of reads) join(readers, names(table), id);
  }
  const mostUsed = new Map<string, string>();
  for (const spelling of spelled.keys()) {
    const table = names(spelling);
    const known = mostUsed.get(table);
    if (known === undefined || (spelled.get(spelling) ?? 0) > (spelled.get(known) ?? 0)) mostUsed.set(table, spelling);
  }
  return new Map(
    [...tables].sort().map((table) => {
      const { columns = [], keys = [], createdAt } = definitions.get(table) ?? {};
      const [written = [], read = []] = [writers.get(table), readers.get(table)];
      const name = mostUsed.get(table) ?? table;
      return [table, { name, columns, keys, createdAt, writers: written, readers: read }];
    }),
  );
}

function unknownDeclarations(tasks: ReadonlyMap<TaskId, Owned>, declared: DeclaredFacts): readonly Problem[] {
  return [...declared.keys()]
    .filter((id) => !tasks.has(id))
    .map((id) => ({
      message: `backfill.yaml declares ${id}, but no task of the workspace is called that.`,
      at: undefined,
      severity: 'warning',
    }));
}
