import type { Pipeline, Task } from '../pipeline/model.ts';
import { locate } from '../text/mapped-text.ts';
import type { Problem } from '../text/span.ts';
import { isZone } from '../time/zone.ts';
import { chooseWindow } from './choose-window.ts';
import type { DeclaredTask } from './declared-facts.ts';
import { withDeclaredReads, withDeclaredWrites } from './declared-window.ts';
import type { ReadFact, SliceFact, TaskFacts, WriteFact } from './facts.ts';
import { openUnknowns } from './open-unknowns.ts';
import { type TableColumns, tableReads } from './table-reads.ts';
import { deletesAll, type TaskStatement, taskStatements, taskWrites } from './task-writes.ts';

/** What the rest of the workspace knows about tables, by name as written. */
export interface KnownTablesOfWorkspace extends TableColumns {
  /** Columns by which tasks of the workspace cut the table into slices. */
  slicedBy(table: string): readonly string[];
  /** True when two names mean one table. */
  same(a: string, b: string): boolean;
}

/** Reads, windows, writes and slices of one task; what a person declared beats what its SQL says. */
export function taskFacts(
  task: Task,
  pipeline: Pipeline,
  tables: KnownTablesOfWorkspace,
  declared: DeclaredTask | undefined,
): TaskFacts {
  const statements = taskStatements(task, pipeline.zone);
  const { writes: inferredWrites, internal } = taskWrites(statements, tables);
  const writes = withDeclaredWrites(inferredWrites, declared?.writes ?? [], tables.same);
  const inferredReads = readFacts(statements, tables, internal, writes);
  const reads = withDeclaredReads(
    inferredReads,
    declared?.reads ?? [],
    tables.same,
    (table) => tables.slicedBy(table)[0] ?? '',
    isZone(pipeline.zone) ? pipeline.zone : 'UTC',
  );
  return {
    task: task.id,
    reads,
    writes,
    unknowns: openUnknowns([], declared, tables.same),
    problems: templatedNames(statements),
  };
}

function readFacts(
  statements: readonly TaskStatement[],
  tables: KnownTablesOfWorkspace,
  internal: ReadonlySet<string>,
  writes: readonly WriteFact[],
): readonly ReadFact[] {
  const found = new Map<string, ReadFact>();
  const emptied = new Set<string>();
  for (const { statement, sql, context } of statements) {
    for (const { table, ranges } of tableReads(statement, context, tables)) {
      if (table.templated || internal.has(table.name) || emptied.has(table.name)) continue;
      const window = chooseWindow(table.name, ranges, tables.slicedBy(table.name), sql.source);
      const own = writes.find((write) => tables.same(write.table, table.name));
      if (own !== undefined && window.kind === 'range' && isOwnSlice(window, own.slice)) continue;
      const key = JSON.stringify([table.name, { ...window, at: undefined }]);
      if (found.has(key)) continue;
      found.set(key, { table: table.name, window, provenance: 'sql', at: locate(sql.source, table) });
    }
    // From here on the table holds what this run put there.
    const remakes = statement.kind === 'truncate' || (statement.kind === 'create_table_as' && !statement.ifNotExists);
    if (remakes || deletesAll(statement)) for (const target of statement.targets) emptied.add(target.name);
  }
  return [...found.values()];
}

/** A task that reads exactly the rows that it rewrites depends on no other interval of its own. */
function isOwnSlice(window: Extract<ReadFact['window'], { kind: 'range' }>, slice: SliceFact): boolean {
  if (slice.kind !== 'range' || slice.column !== window.column) return false;
  const [lo, ...otherLo] = window.lo;
  const [hi, ...otherHi] = window.hi;
  if (otherLo.length > 0 || otherHi.length > 0) return false;
  return JSON.stringify([lo, hi]) === JSON.stringify([slice.lo, slice.hi]);
}

function templatedNames(statements: readonly TaskStatement[]): readonly Problem[] {
  const found = new Map<string, Problem>();
  for (const { statement, sql } of statements) {
    for (const table of [...statement.targets, ...statement.reads]) {
      if (!table.templated || found.has(table.name)) continue;
      const text = sql.source.text.slice(table.start, table.end);
      const message = `The table ${text} is only known when the task runs, so it takes no part in lineage; declare it.`;
      found.set(table.name, { message, at: locate(sql.source, table), severity: 'info' });
    }
  }
  return [...found.values()];
}
