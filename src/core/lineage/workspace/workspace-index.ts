import type { DatabaseDefinitions } from '../../pipeline/model/database-definitions.ts';
import type { Pipeline, Task, TaskId } from '../../pipeline/model/model.ts';
import type { WorkspaceReading } from '../../pipeline/model/workspace-reading.ts';
import { createMemo, keepSame, oncePer, sameItems } from '../../pipeline/workspace/memo.ts';
import type { Problem } from '../../text/span.ts';
import { makeGrid } from '../../time/intervals/make-grid.ts';
import { postgresZone } from '../../time/zones/postgres-zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { DeclaredFacts, DeclaredTask } from '../facts/declared-facts.ts';
import { type DeclaredSources, noSources } from '../facts/declared-sources.ts';
import type { TaskFacts } from '../facts/facts.ts';
import { isScheduled } from '../facts/is-scheduled.ts';
import type { TableFacts, WorkspaceFacts } from '../facts/workspace-facts.ts';
import { withDeclaredWrites } from '../tasks/declared-window.ts';
import { factsOfBranches } from '../tasks/facts-of-branches.ts';
import { taskFacts, type WrittenByTask } from '../tasks/task-facts.ts';
import { undeclaredWrites } from '../tasks/undeclared-writes.ts';
import { withCascades } from '../tasks/with-cascades.ts';
import { declaredBehind } from '../tasks/written-views.ts';
import { sampleIntervals } from '../times/sample-intervals.ts';
import { routineCalls } from '../writes/routine-calls.ts';
import { taskStatements } from '../writes/task-statements.ts';
import { databaseName, storedTables, withDatabaseViews } from './database-tables.ts';
import { type TableNames, tableNames } from './find-table.ts';
import { byTable, type DefiningStatement, definingStatements, tableDefinition } from './table-definitions.ts';
import { tableFacts } from './table-facts.ts';
import { createTableLookups, knownTables, type TableLookup } from './table-lookup.ts';
import { namedTables, type Spellings, spellings } from './tables-of-task.ts';

/** Joins a workspace by its tables, again and again while people edit it. */
export interface WorkspaceIndex {
  /**
   * The facts of the workspace as it was read now: always equal to those of a new index. Facts of a task or a table
   * that did not change are the same objects as before. `database`: what the one that it is run on has beside the files.
   */
  update(
    reading: WorkspaceReading,
    declared: DeclaredFacts,
    sources?: DeclaredSources,
    database?: DatabaseDefinitions,
  ): WorkspaceFacts;
}

interface Owned {
  readonly task: Task;
  readonly pipeline: Pipeline;
}

/** A column by which a task cuts a table into slices; the table as written. */
interface Cut {
  readonly table: string;
  readonly column: string;
}

/**
 * An index with a memory. What a task's facts were made from is asked by the names of tables, so they stand until the
 * task, its declaration or one of those tables changes.
 */
export function createWorkspaceIndex(): WorkspaceIndex {
  const namedIn = oncePer(namedTables);
  const definingIn = oncePer(definingStatements);
  const definitionOf = oncePer(tableDefinition);
  const ticksOf = oncePer(uncertainTicks);
  const cutsOf = createMemo<Task, TableLookup, TaskCuts>();
  const routinesOf = createMemo<Task, Record<string, never>, Task>();
  const factsOf = createMemo<Task, TableLookup, TaskFacts>();
  const uncut = createTableLookups();
  const complete = createTableLookups();
  let spelled: Spellings = { counts: new Map(), apart: new Set() };
  let names: TableNames = tableNames([]);
  let asked: DatabaseDefinitions | undefined;
  let defining: ReadonlyMap<string, readonly DefiningStatement[]> = new Map();
  let slicedBy: ReadonlyMap<string, readonly string[]> = new Map();
  let tables: ReadonlyMap<string, TableFacts> = new Map();

  /** A task with what it calls of the database; the same object where that is nothing. */
  const withRoutines = (task: Task, database: DatabaseDefinitions | undefined): Task =>
    database === undefined
      ? task
      : routinesOf(task, [database], {}, () => {
          const asked = routineCalls(task, database);
          if (asked.length === 0) return task;
          // What the database has is what runs, whatever the files say.
          const names = new Set(asked.map(({ name }) => name));
          return { ...task, routines: [...(task.routines ?? []).filter(({ name }) => !names.has(name)), ...asked] };
        });

  const cutsIn = ({ task, pipeline }: Owned, said: DeclaredTask | undefined, lookup: TableLookup): TaskCuts => {
    const zone = sessionZoneOf(asked);
    return cutsOf(task, [pipeline, said, zone], lookup, (tables) => taskCuts(task, pipeline, tables, said, zone));
  };

  /** Writes come first, because the window of a read depends on how its table is cut. */
  const sliceColumns = (tasks: Iterable<Owned>, declared: DeclaredFacts, lookup: TableLookup) => {
    const found = new Map<string, string[]>();
    for (const one of tasks) {
      if (!isScheduled(one.pipeline)) continue;
      for (const { table, column } of cutsIn(one, declared.get(one.task.id), lookup).cuts) {
        const known = found.get(names(table));
        if (known === undefined) found.set(names(table), [column]);
        else if (!known.includes(column)) known.push(column);
      }
    }
    return keepSame(slicedBy, found, sameItems);
  };

  return {
    update(reading, declared, sources = noSources, database) {
      const pipelines = reading.files.flatMap((file) => file.pipelines);
      const tasks = new Map<TaskId, Owned>();
      for (const pipeline of pipelines)
        for (const task of pipeline.tasks) tasks.set(task.id, { task: withRoutines(task, database), pipeline });
      const owned = [...tasks.values()];

      const before = spelled;
      spelled = spellings(
        owned.map(({ task }) => namedIn(task)),
        declared,
        sources,
        storedNames(database),
      );
      const { counts, apart } = spelled;
      if (!sameKeys(before.counts, counts) || !sameKeys(before.apart, apart) || database !== asked) {
        const inDatabase = database === undefined ? undefined : databaseName(database);
        const folded = (name: string): string => (apart.has(name) ? name : name.toLowerCase());
        names = tableNames(
          [...counts.keys()].map((name) => folded(inDatabase?.(name) ?? name)),
          inDatabase,
        );
      }
      asked = database;
      const stated = owned.flatMap(({ task }) => definingIn(task));
      defining = keepSame(defining, byTable(stated, names), sameItems);
      const stands = new Map([...defining].map(([table, statements]) => [table, definitionOf(statements)] as const));
      const definitions = database === undefined ? stands : withDatabaseViews(stands, database, names);
      const stored = database && storedTables(database, names);
      const beforeCuts = uncut(names, definitions, new Map(), stored);
      slicedBy = sliceColumns(owned, declared, beforeCuts);

      const zone = sessionZoneOf(database);
      const lookup = complete(names, definitions, slicedBy, stored);
      const facts = new Map<TaskId, TaskFacts>();
      const scheduled: TaskFacts[] = [];
      for (const { task, pipeline } of owned) {
        const said = declared.get(task.id);
        const written = isScheduled(pipeline) ? cutsIn({ task, pipeline }, said, beforeCuts).written : undefined;
        const found = factsOf(task, [pipeline, said, sources, written, zone], lookup, ({ tableOf }) =>
          factsOfBranches(task, (way) =>
            taskFacts(way, pipeline, knownTables(tableOf), said, sources, way === task ? written : undefined, zone),
          ),
        );
        facts.set(task.id, found);
        if (isScheduled(pipeline)) scheduled.push(found);
      }
      tables = tableFacts({ facts: scheduled, definitions, names, spelled: counts }, tables);
      const problems = [
        ...unknownDeclarations(tasks, declared),
        ...unreadSources(sources, facts.values(), names),
        ...pipelines.flatMap(ticksOf),
        ...[...facts.values()].flatMap((one) => one.problems),
      ];
      return { pipelines, tasks, facts, tables, sources, problems, text: reading.text, ...(database && { database }) };
    },
  };
}

/** The cuts of one task, and what it writes where that does not depend on those of others. */
interface TaskCuts {
  readonly cuts: readonly Cut[];
  readonly written: WrittenByTask | undefined;
}

function taskCuts(
  task: Task,
  pipeline: Pipeline,
  { tableOf }: TableLookup,
  declared: DeclaredTask | undefined,
  zone: ZoneName | undefined,
): TaskCuts {
  let asksCuts = false;
  const known = knownTables((name) => {
    const { cutBy, ...table } = tableOf(name);
    return {
      ...table,
      get cutBy() {
        asksCuts = true;
        return cutBy;
      },
    };
  });
  const statements = withCascades(
    taskStatements(task, pipeline.zone, () => sampleIntervals(pipeline)),
    known,
  );
  const writes = undeclaredWrites(task, statements, known, zone);
  const cuts = withDeclaredWrites(writes.writes, declaredBehind(declared?.writes ?? [], known), known.same).flatMap(
    ({ table, slice }) => (slice.kind === 'range' ? [{ table, column: slice.column }] : []),
  );
  return { cuts, written: asksCuts ? undefined : { statements, writes } };
}

/** The zone that the database gives its sessions, where it was asked and days of it are known. */
const sessionZoneOf = (database: DatabaseDefinitions | undefined): ZoneName | undefined =>
  database?.timeZone === undefined ? undefined : postgresZone(database.timeZone);

/** What the database has, by its own names. */
const storedNames = (database: DatabaseDefinitions | undefined): readonly string[] =>
  database === undefined ? [] : [...new Set(database.relations.values())].map(({ name }) => name);

type Keyed = Pick<ReadonlyMap<string, unknown>, 'size' | 'keys' | 'has'>;

const sameKeys = (a: Keyed, b: Keyed): boolean => a.size === b.size && [...a.keys()].every((key) => b.has(key));

/** What the file alone cannot say about the intervals of a pipeline. */
function uncertainTicks({ id, schedule, anchor, at }: Pipeline): readonly Problem[] {
  const made = makeGrid(schedule.value, anchor);
  if (made.grid === undefined || made.caveat === undefined) return [];
  const message = `The intervals of ${id} are not certain: ${made.caveat}.`;
  return [{ message, at: schedule.at ?? at, severity: 'info' }];
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

/** A slip in the name of a source would leave it undeclared without a word. */
function unreadSources(sources: DeclaredSources, facts: Iterable<TaskFacts>, names: TableNames): readonly Problem[] {
  if (sources.size === 0) return [];
  const read = new Set(
    [...facts].flatMap(({ reads }) => reads.map(({ table, snapshot }) => names(snapshot?.source ?? table))),
  );
  return [...sources.keys()]
    .filter((table) => !read.has(names(table)))
    .map((table) => ({
      message: `backfill.yaml declares the source ${table}, but no task of the workspace reads a table of that name.`,
      at: undefined,
      severity: 'warning',
    }));
}
