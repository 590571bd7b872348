import {
  changedColumn,
  isDated,
  type ReadFact,
  type ReadWindow,
  type SliceFact,
  type TaskFacts,
  type WriteFact,
} from '../../lineage/facts/facts.ts';
import { isScheduled } from '../../lineage/facts/is-scheduled.ts';
import { isShared } from '../../lineage/facts/table-naming.ts';
import { staysInside } from '../../lineage/facts/window-range.ts';
import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import { isSameInEveryRun } from '../../lineage/tasks/run-dependence.ts';
import { sampleIntervals } from '../../lineage/times/sample-intervals.ts';
import { inDatabaseOf } from '../../lineage/workspace/in-database-of.ts';
import { namesOfWorkspace } from '../../lineage/workspace/names-of-workspace.ts';
import { earlierTasks, type IsEarlier, onlyPasses, orderEdges } from '../../lineage/workspace/order-edges.ts';
import type { Pipeline, Task, TaskId } from '../../pipeline/model/model.ts';
import { createMemo, oncePer } from '../../pipeline/workspace/memo.ts';
import { cutOut, guardSpans } from '../../sql/names/slice-guard.ts';
import type { Span } from '../../text/span.ts';
import { exactTime } from '../../time/expressions/evaluate-time.ts';
import { limitedGrid } from '../../time/intervals/limited-grid.ts';
import { makeGrid } from '../../time/intervals/make-grid.ts';
import { isZone } from '../../time/zones/zone.ts';
import type { OrderedBehind, ParentRead, PlannableTask } from '../model/plan-request.ts';
import { refilledTables } from './refilled-tables.ts';
import { rowsInTurn } from './rows-in-turn.ts';
import { type RunStages, type RunTable, runStages } from './run-stages.ts';
import { isOfOtherRuns, turnsAtStages } from './shared-stages.ts';
import { sharesAsOf } from './shares-as-of.ts';
import { sourceReads } from './source-reads.ts';
import { type TouchedTable, tablesOfIntervals } from './tables-of-intervals.ts';
import { unmadeReads } from './unmade-reads.ts';

/**
 * The tasks of a workspace as the planner sees them: grids, windows on the tasks that write what they read, and
 * explicit edges where no table joins two tasks. `digest` hashes text; the same code gives the same hash, whether a
 * database was asked or not: `coded` are the facts of the files alone.
 */
export function plannableTasks(
  facts: WorkspaceFacts,
  digest: (text: string) => string,
  coded: WorkspaceFacts = facts,
): PlannableTask[] {
  const names = namesOfWorkspace(facts);
  const isEarlier: IsEarlier = (task, than) => {
    const pipeline = facts.tasks.get(than)?.pipeline;
    return pipeline !== undefined && earlierOf(pipeline)(task, than);
  };
  const { refillsOf, isLost } = refilledTables(facts, names, isEarlier);
  const writers = new Map<string, { id: TaskId; write: WriteFact }[]>();
  for (const [id, { writes }] of facts.facts) {
    const owner = facts.tasks.get(id);
    if (owner === undefined || !isScheduled(owner.pipeline)) continue;
    for (const write of writes) {
      const table = names(write.table);
      const known = writers.get(table);
      if (known === undefined) writers.set(table, [{ id, write }]);
      else known.push({ id, write });
    }
  }
  const staged = new Map<WorkspaceFacts, RunStages>();
  const stagesOf = (id: TaskId): RunStages => {
    const here = inDatabaseOf(facts, id);
    const known = staged.get(here) ?? runStages(here, names, isEarlier);
    staged.set(here, known);
    return known;
  };
  const writersOf = (table: string, by: TaskId) =>
    (writers.get(names(table)) ?? []).filter(({ id }) => inDatabaseOf(facts, by).facts.has(id));
  const refreshing = fullRefreshes(facts, names, stagesOf);
  const behindAtTable = rowsInTurn(facts, names, isEarlier, (id) => refreshing.has(id));
  const touched = tablesOfIntervals(writers.keys(), facts.database);
  const touchedBy = ({ table, window }: ReadFact): readonly TouchedTable[] => touched({ table: names(table), window });
  const readsOf = (id: TaskId, reads: readonly ReadFact[]): readonly ParentRead[] =>
    reads.flatMap(touchedBy).flatMap(({ table, window }) =>
      writersOf(table, id)
        .filter((writer) => {
          if (isOfOtherRuns(facts, stagesOf(id), names(table), id, writer.id)) return false;
          if (!isEarlier(id, writer.id)) return true;
          // What comes later in the run cannot have been read in it.
          return !staysInside(window) && stagesOf(id).readInRun(writer.id, id, table) === undefined;
        })
        .map((writer): ParentRead => {
          const found = { parent: writer.id, table: writer.write.table };
          const inRun = stagesOf(id).readInRun(writer.id, id, table);
          if (inRun === undefined) {
            return isEarlier(id, writer.id) ? { ...found, window, earlierRuns: true } : { ...found, window };
          }
          const empties = inRun.filling.length > 0 && inRun.emptying.includes(writer.id);
          return { ...found, window: ownInterval, sameRun: empties ? 'emptied' : 'filled' };
        }),
    );

  const joined = new Map<TaskId, readonly ParentRead[]>();
  for (const [id, { reads }] of facts.facts) {
    const owner = facts.tasks.get(id);
    const emptied = refillsOf(id).map(
      ({ parent, table }): ParentRead => ({ parent, table, window: anything, refills: true }),
    );
    joined.set(id, owner === undefined || !isScheduled(owner.pipeline) ? [] : [...readsOf(id, reads), ...emptied]);
  }
  // What a task reads of the runs before says nothing of the order within a run.
  const reads = (a: TaskId, b: TaskId): boolean =>
    (joined.get(a) ?? []).some((read) => read.parent === b && read.earlierRuns !== true);
  const isJoined = (a: TaskId, b: TaskId): boolean => reads(a, b) || reads(b, a);
  const after = new Map<TaskId, OrderedBehind[]>();
  const ordered = new Map<TaskId, OrderedBehind[]>();
  const pipelineOf = (id: TaskId): Pipeline | undefined => facts.tasks.get(id)?.pipeline;
  for (const { parent, child, shift } of orderEdges(facts)) {
    const both = isJoined(parent, child);
    const inRun = both && pipelineOf(parent) === pipelineOf(child);
    const edge: OrderedBehind = { parent, shift, ...(inRun ? { inRun } : {}) };
    for (const edges of both ? [ordered] : [ordered, after]) {
      const known = edges.get(child);
      if (known === undefined) edges.set(child, [edge]);
      else known.push(edge);
    }
  }

  const turnsOf = turnsAtStages(facts, stagesOf, (id) => [
    ...(joined.get(id) ?? []).map(({ parent }) => parent),
    ...(ordered.get(id) ?? []).map(({ parent }) => parent),
  ]);
  const sourcesOf = sourceReads(facts, names, (table) => (writers.get(names(table)) ?? []).map(({ id }) => id));
  const unmadeOf = unmadeReads(facts, names, (table) => touched({ table, window: anything }).length > 0);
  const tasks: PlannableTask[] = [];
  for (const [id, { task, pipeline }] of facts.tasks) {
    const own = facts.facts.get(id);
    const writes = own?.writes ?? [];
    if (onlyPasses(task) && writes.length === 0) continue;
    const past = task.dependsOnPast ? [{ parent: id, shift: undefined }] : [];
    const shared = stagesOf(id)
      .of(id)
      .filter(({ dated }) => dated);
    const users = shared.flatMap((one) => (one.first === id ? [...one.emptying, ...one.filling, ...one.using] : []));
    const usedBy = [...new Set([...users, ...behindAtTable(id)])].filter((user) => user !== id);
    const ownStages = new Set(shared.flatMap(({ stage, table }) => (stage ? [table] : [])));
    const isRefilled = ({ table, empties, mode }: WriteFact): boolean =>
      empties === true &&
      (mode === 'full_replace' ||
        writersOf(table, id).some((other) => other.write.empties !== true && isEarlier(id, other.id)));
    const passing = writes.filter(
      (write) => (isRefilled(write) && !isLost(id, write)) || ownStages.has(names(write.table)),
    );
    const pickedBy = stagesOf(id).slicesOf(id);
    const snapshot =
      stagesOf(id).snapshotOf(id) ?? (ownStages.size === 0 && isSnapshot(task, pipeline, own) ? [] : undefined);
    const sources = own === undefined ? [] : sourcesOf(task, own);
    const unmade = own === undefined ? [] : unmadeOf(task, own);
    const deleter = deleterFor(id, writes, isEarlier, {
      writersOf: (table) => writersOf(table, id),
      emptying: (table) =>
        stagesOf(id)
          .of(id)
          .find((one) => one.table === names(table))?.emptying ?? [],
    });
    tasks.push({
      id,
      zone: isZone(pipeline.zone) ? pipeline.zone : 'UTC',
      ...gridWithin(pipeline, task),
      ...(pipeline.unloadable === undefined ? {} : { unloadable: pipeline.unloadable }),
      zeroWidth: usesEmptyBounds(task, pipeline, own),
      reads: joined.get(id) ?? [],
      after: [...(after.get(id) ?? []), ...past],
      ...(ordered.has(id) ? { ordered: ordered.get(id) ?? [] } : {}),
      writes,
      ...(sources.length > 0 ? { sources } : {}),
      ...(unmade.length > 0 ? { unmade } : {}),
      ...(pickedBy === undefined ? {} : { pickedBy }),
      ...(refreshing.has(id) ? { fullRefresh: true } : snapshot === undefined ? {} : { lastRunWins: snapshot }),
      ...(usedBy.length === 0 ? {} : { usedBy }),
      ...(turnsOf(id).length === 0 ? {} : { turns: turnsOf(id) }),
      ...(passing.length === 0 ? {} : { stages: passing.map(({ table }) => table) }),
      ...(deleter === undefined ? {} : { pairedWith: deleter }),
      executor: task.executor,
      codeHash: codeHash(coded.tasks.get(id)?.task ?? task, coded.facts.get(id), digest),
    });
  }
  return tasks;
}

/** What an edit of another file leaves as it is. */
const earlierOf = oncePer(earlierTasks);
const hashes = createMemo<TaskFacts | Task, Record<string, never>, string>();
const codeHash = (task: Task, facts: TaskFacts | undefined, digest: (text: string) => string): string =>
  hashes(facts ?? task, [task, digest], {}, () => digest(codeText(task, facts?.writes ?? [], facts?.reads ?? [])));
const gridOf = oncePer((pipeline: Pipeline): Pick<PlannableTask, 'grid' | 'noGrid'> => {
  const made = makeGrid(pipeline.schedule.value, pipeline.anchor);
  return made.grid === undefined ? { grid: undefined, noGrid: made.reason } : { grid: made.grid, noGrid: undefined };
});

/** The grid of a task: of its pipeline, without the runs in which the task has no part. */
function gridWithin(pipeline: Pipeline, { dates }: Task): Pick<PlannableTask, 'grid' | 'noGrid'> {
  const all = gridOf(pipeline);
  if (dates === undefined || all.grid === undefined) return all;
  return { ...all, grid: limitedGrid(all.grid, dates.first, dates.last) };
}

const anything: ReadWindow = { kind: 'unbounded' };

const ownInterval: ReadWindow = {
  kind: 'range',
  column: '',
  lo: [{ anchor: 'start', steps: [] }],
  hi: [{ anchor: 'end', steps: [] }],
};

/**
 * Under a schedule whose data intervals are empty, a task reads and writes nothing between their bounds. One that names a day
 * by either of them has that day; where no range is known, only one that uses both is taken to mean what lies between.
 */
function usesEmptyBounds(task: Task, pipeline: Pipeline, facts: TaskFacts | undefined): boolean {
  const schedule = pipeline.schedule.value;
  if (schedule.kind !== 'cron' && schedule.kind !== 'delta') return false;
  if (schedule.intervals !== 'zero-width') return false;
  const ranges = [
    ...(facts?.writes ?? []).flatMap(({ slice }) =>
      slice.kind === 'range' ? [[[slice.lo], [slice.hi]] as const] : [],
    ),
    ...(facts?.reads ?? []).flatMap(({ window }) => (window.kind === 'range' ? [[window.lo, window.hi] as const] : [])),
  ];
  const times = task.sql.flatMap(({ masked }) =>
    masked.holes.flatMap(({ source, value }) => (value.kind === 'time' ? [{ source, anchor: value.time.anchor }] : [])),
  );
  const isBound = times.some(({ source, anchor }) => anchor === 'end' || source.includes('data_interval'));
  if (ranges.length === 0) return isBound && new Set(times.map(({ anchor }) => anchor)).size > 1;
  const moments = sampleIntervals(pipeline);
  return (
    isBound &&
    ranges.some(([lo, hi]) =>
      moments.some((moment) => lo.some((from) => hi.some((to) => exactTime(from, moment) >= exactTime(to, moment)))),
    )
  );
}

/**
 * A whole table that is rewritten as of an interval, or what several intervals share by each of them: the newest has to be
 * the last to run.
 */
const isSnapshot = (task: Task, pipeline: Pipeline, facts: TaskFacts | undefined): boolean =>
  (facts?.writes ?? []).some(({ slice, mode, empties }) => {
    if (empties === true) return false;
    if (slice.kind === 'range') return sharesAsOf(slice, mode, facts?.reads ?? [], sampleIntervals(pipeline));
    if (mode !== 'full_replace') return false;
    return slice.kind === 'whole-table' || (slice.kind === 'own-table' && isShared(slice, sampleIntervals(pipeline)));
  }) && task.sql.some(({ masked }) => masked.holes.some(({ value }) => value.kind === 'time'));

/** Tasks that give the same tables in every run: by rows that they find by a key, or whole, alone or with the tasks that empty or fill the tables for them. */
function fullRefreshes(
  { tasks, facts }: WorkspaceFacts,
  names: (table: string) => string,
  stagesOf: (id: TaskId) => RunStages,
): ReadonlySet<TaskId> {
  const isSame = (id: TaskId): boolean => {
    const owner = tasks.get(id);
    return owner !== undefined && isSameInEveryRun(owner.task);
  };
  const found = new Set<TaskId>();
  for (const [id, { reads, writes }] of facts) {
    if (!isSame(id)) continue;
    if (writes.length === 0) {
      // What drops or makes a table for others is done once, as they are.
      const made = stagesOf(id).of(id);
      const isOnce = ({ dated, emptying, filling }: RunTable): boolean =>
        !dated && [...emptying, ...filling].every(isSame);
      if (made.length > 0 && reads.length === 0 && made.every(isOnce)) found.add(id);
      continue;
    }
    const own = new Set(writes.map(({ table }) => names(table)));
    if (reads.some(({ table }) => own.has(names(table)))) continue;
    const refreshed = writes.every((write) => {
      const { table } = write;
      // Whoever fills it again does so behind this one.
      if (write.cascaded === true) return true;
      // Rows that are found by their key are the same ones, however often they are put in.
      if (write.mode === 'merge' && write.again === undefined && !isDated(write.slice)) return true;
      const made = stagesOf(id)
        .of(id)
        .find((one) => one.table === names(table) && !one.using.includes(id));
      return made !== undefined && !made.dated && [...made.emptying, ...made.filling].every(isSame);
    });
    if (refreshed) found.add(id);
  }
  return found;
}

/** The task of the same pipeline that empties the slice which this one only adds to. */
function deleterFor(
  id: TaskId,
  writes: readonly WriteFact[],
  isEarlier: IsEarlier,
  tables: {
    readonly writersOf: (table: string) => readonly { id: TaskId; write: WriteFact }[];
    /** Tasks that empty the table in each run, before it is filled or when it has been read. */
    readonly emptying: (table: string) => readonly TaskId[];
  },
): TaskId | undefined {
  for (const write of writes) {
    const { table, mode } = write;
    if (mode !== 'append' && changedColumn(write) === undefined) continue;
    const deleter = tables
      .writersOf(table)
      .find(
        (other) => isEarlier(other.id, id) && ['delete', 'delete+insert', 'full_replace'].includes(other.write.mode),
      );
    const found = deleter?.id ?? tables.emptying(table)[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What decides the rows that a task writes: its templates as written, its parameters, where it writes, and what it reads instead. */
function codeText(task: Task, writes: readonly WriteFact[], reads: readonly ReadFact[]): string {
  const guards = task.sql.map(({ masked, reading }) => guardSpans(masked.text, reading.statements));
  const sql = task.sql.map(({ source, pythonHoles, parameters }, index) => ({
    text: cutOut(source.text, guards[index] ?? [])
      .replace(/\r\n?/g, '\n')
      .replace(/[ \t]+$/gm, '')
      .replace(/[\s;]+$/, ''),
    holes: pythonHoles.map(({ source: expression, value }) => [expression, value]),
    ...(parameters === undefined ? {} : { parameters: parameters.values }),
  }));
  const targets = writes.map(({ table, slice, mode, key }) => [table, placed(slice, guards), mode, key]);
  const snapshots = reads.flatMap(({ snapshot }) => (snapshot === undefined ? [] : [snapshot.snapshots]));
  const session = task.session && {
    database: task.session.database?.value,
    settings: task.session.settings.map(({ name, value }) => [name, value]),
  };
  const whole = { sql, targets, params: task.params, session, ...(snapshots.length > 0 ? { snapshots } : {}) };
  return JSON.stringify(whole, pythonData);
}

/** Whole numbers and dicts of Python, which JSON does not have. */
const pythonData = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}n` : value instanceof Map ? [...value] : value;

/** A slice with the place of its predicate in a text without its guard. */
function placed(slice: SliceFact, guards: readonly (readonly Span[])[]): SliceFact {
  if (slice.kind !== 'range' || slice.predicate === undefined) return slice;
  const { sqlIndex, start, end } = slice.predicate;
  const before = (guards[sqlIndex] ?? []).filter((span) => span.end <= start);
  const cut = before.reduce((length, span) => length + span.end - span.start, 0);
  return { ...slice, predicate: { sqlIndex, start: start - cut, end: end - cut } };
}
