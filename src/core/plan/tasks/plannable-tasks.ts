import type { ReadFact, ReadWindow, SliceFact, TaskFacts, WriteFact } from '../../lineage/facts/facts.ts';
import { isScheduled } from '../../lineage/facts/is-scheduled.ts';
import { isShared } from '../../lineage/facts/table-naming.ts';
import { staysInside } from '../../lineage/facts/window-range.ts';
import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import { sampleIntervals } from '../../lineage/times/sample-intervals.ts';
import { tableNames } from '../../lineage/workspace/find-table.ts';
import { earlierTasks, type IsEarlier, onlyPasses, orderEdges } from '../../lineage/workspace/order-edges.ts';
import type { Pipeline, Task, TaskId } from '../../pipeline/model/model.ts';
import { createMemo, oncePer } from '../../pipeline/workspace/memo.ts';
import { cutOut, guardSpans } from '../../sql/slice-guard.ts';
import type { Span } from '../../text/span.ts';
import { makeGrid } from '../../time/intervals/make-grid.ts';
import { isZone } from '../../time/zones/zone.ts';
import type { ParentRead, PlannableTask } from '../model/plan-request.ts';
import { runScopedTables } from './run-scoped-tables.ts';
import { sourceReads } from './source-reads.ts';
import { type TouchedTable, tablesOfIntervals } from './tables-of-intervals.ts';

/**
 * The tasks of a workspace as the planner sees them: grids, windows on the tasks that write what they read, and
 * explicit edges where no table joins two tasks. `digest` hashes text; the same code gives the same hash.
 */
export function plannableTasks(facts: WorkspaceFacts, digest: (text: string) => string): PlannableTask[] {
  const names = tableNames(facts.tables.keys());
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
  const isEarlier: IsEarlier = (task, than) => {
    const pipeline = facts.tasks.get(than)?.pipeline;
    return pipeline !== undefined && earlierOf(pipeline)(task, than);
  };
  const scoped = runScopedTables(facts, names, isEarlier);
  const touched = tablesOfIntervals(writers.keys());
  const touchedBy = ({ table, window }: ReadFact): readonly TouchedTable[] =>
    writers.has(names(table)) ? [{ table, window }] : touched({ table: names(table), window });
  const readsOf = (id: TaskId, reads: readonly ReadFact[]): readonly ParentRead[] =>
    reads.flatMap(touchedBy).flatMap(({ table, window }) =>
      (writers.get(names(table)) ?? [])
        .filter((writer) => !(staysInside(window) && isEarlier(id, writer.id)))
        .map((writer): ParentRead => {
          const found = { parent: writer.id, table: writer.write.table };
          const sameRun = scoped.isReadInRun(writer.id, id, table);
          if (sameRun) return { ...found, window: ownInterval, sameRun };
          return isEarlier(id, writer.id) ? { ...found, window, earlierRuns: true } : { ...found, window };
        }),
    );

  const joined = new Map<TaskId, readonly ParentRead[]>();
  for (const [id, { reads }] of facts.facts) {
    const owner = facts.tasks.get(id);
    joined.set(id, owner === undefined || !isScheduled(owner.pipeline) ? [] : readsOf(id, reads));
  }
  // What a task reads of the runs before says nothing of the order within a run.
  const reads = (a: TaskId, b: TaskId): boolean =>
    (joined.get(a) ?? []).some((read) => read.parent === b && read.earlierRuns !== true);
  const isJoined = (a: TaskId, b: TaskId): boolean => reads(a, b) || reads(b, a);
  const after = new Map<TaskId, PlannableTask['after'][number][]>();
  for (const { parent, child, shift } of orderEdges(facts)) {
    if (isJoined(parent, child)) continue;
    const known = after.get(child);
    if (known === undefined) after.set(child, [{ parent, shift }]);
    else known.push({ parent, shift });
  }

  const sourcesOf = sourceReads(facts, names, (table) => (writers.get(names(table)) ?? []).map(({ id }) => id));
  const tasks: PlannableTask[] = [];
  for (const [id, { task, pipeline }] of facts.tasks) {
    const own = facts.facts.get(id);
    const writes = own?.writes ?? [];
    if (onlyPasses(task) && writes.length === 0) continue;
    const past = task.dependsOnPast ? [{ parent: id, shift: undefined }] : [];
    const usedBy = scoped.users.get(id);
    const sources = own === undefined ? [] : sourcesOf(task, own);
    const deleter = deleterFor(id, writes, isEarlier, (table) => writers.get(names(table)) ?? []);
    tasks.push({
      id,
      zone: isZone(pipeline.zone) ? pipeline.zone : 'UTC',
      ...gridOf(pipeline),
      zeroWidth: usesEmptyBounds(task, pipeline),
      reads: joined.get(id) ?? [],
      after: [...(after.get(id) ?? []), ...past],
      writes,
      ...(sources.length > 0 ? { sources } : {}),
      ...(isLastRunWinning(task, pipeline, writes) || scoped.writers.has(id) ? { lastRunWins: true } : {}),
      ...(usedBy === undefined ? {} : { usedBy }),
      ...(deleter === undefined ? {} : { pairedWith: deleter }),
      executor: task.executor,
      codeHash: hashes(own ?? task, [task, digest], {}, () => digest(codeText(task, writes, own?.reads ?? []))),
    });
  }
  return tasks;
}

/** What an edit of another file leaves as it is. */
const earlierOf = oncePer(earlierTasks);
const hashes = createMemo<TaskFacts | Task, Record<string, never>, string>();
const gridOf = oncePer((pipeline: Pipeline): Pick<PlannableTask, 'grid' | 'noGrid'> => {
  const made = makeGrid(pipeline.schedule.value, pipeline.anchor);
  return made.grid === undefined ? { grid: undefined, noGrid: made.reason } : { grid: made.grid, noGrid: undefined };
});

const ownInterval: ReadWindow = {
  kind: 'range',
  column: '',
  lo: [{ anchor: 'start', steps: [] }],
  hi: [{ anchor: 'end', steps: [] }],
};

/** Under a schedule whose data intervals are empty, a task that uses their bounds reads and writes nothing. */
function usesEmptyBounds(task: Task, pipeline: Pipeline): boolean {
  const schedule = pipeline.schedule.value;
  if (schedule.kind !== 'cron' && schedule.kind !== 'delta') return false;
  if (schedule.intervals !== 'zero-width') return false;
  return task.sql.some(({ masked }) =>
    masked.holes.some(
      ({ source, value }) => value.kind === 'time' && (value.time.anchor === 'end' || source.includes('data_interval')),
    ),
  );
}

/**
 * A whole table that is rewritten as of an interval, or that of several intervals by each of them: the newest has to be
 * the last to run.
 */
const isLastRunWinning = (task: Task, pipeline: Pipeline, writes: readonly WriteFact[]): boolean =>
  writes.some(
    ({ slice, mode }) =>
      mode === 'full_replace' &&
      (slice.kind === 'whole-table' || (slice.kind === 'own-table' && isShared(slice, sampleIntervals(pipeline)))),
  ) && task.sql.some(({ masked }) => masked.holes.some(({ value }) => value.kind === 'time'));

/** The task of the same pipeline that empties the slice which this one only adds to. */
function deleterFor(
  id: TaskId,
  writes: readonly WriteFact[],
  isEarlier: IsEarlier,
  writersOf: (table: string) => readonly { id: TaskId; write: WriteFact }[],
): TaskId | undefined {
  for (const { table, mode } of writes) {
    if (mode !== 'append') continue;
    const deleter = writersOf(table).find(
      (other) =>
        isEarlier(other.id, id) && (other.write.mode === 'delete+insert' || other.write.mode === 'full_replace'),
    );
    if (deleter !== undefined) return deleter.id;
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
