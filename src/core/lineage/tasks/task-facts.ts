import type { Pipeline, Task } from '../../pipeline/model/model.ts';
import { locate } from '../../text/mapped-text.ts';
import type { TimeExpression } from '../../time/expressions/time-expression.ts';
import { isZone } from '../../time/zones/zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { DeclaredTask } from '../facts/declared-facts.ts';
import { type DeclaredSources, noSources } from '../facts/declared-sources.ts';
import type { ReadFact, ReadWindow, SliceFact, TaskFacts, WriteFact } from '../facts/facts.ts';
import { openUnknowns } from '../facts/open-unknowns.ts';
import type { TableNaming } from '../facts/table-naming.ts';
import { type ChosenWindow, chooseWindow } from '../queries/choose-window.ts';
import { type TableRead, tableReads } from '../queries/table-reads.ts';
import { type ViewDefinition, viewDefinition } from '../queries/view-definition.ts';
import { sampleIntervals } from '../times/sample-intervals.ts';
import { forReads, forWrites } from '../times/sql-context.ts';
import type { TimeReading } from '../times/time-readings.ts';
import { widestReading } from '../times/widest-reading.ts';
import { namedTable } from '../writes/table-of-statement.ts';
import { emptiesPartition, type TaskStatement, taskStatements } from '../writes/task-statements.ts';
import { deletesAll } from '../writes/task-writes.ts';
import { accessReads } from './access-facts.ts';
import { cutsByZone } from './cuts-by-zone.ts';
import { withDeclaredReads, withDeclaredWrites } from './declared-window.ts';
import { inletReads } from './outlet-facts.ts';
import { withSnapshots } from './snapshot-reads.ts';
import { taskUnknowns } from './task-unknowns.ts';
import { undeclaredWrites, withStoredTypes } from './undeclared-writes.ts';
import { withCascades } from './with-cascades.ts';
import type { KnownTablesOfWorkspace } from './workspace-tables.ts';
import { declaredBehind } from './written-views.ts';

/** The statements of a task and what they and its calls write, before what a person declared. */
export interface WrittenByTask {
  readonly statements: readonly TaskStatement[];
  readonly writes: ReturnType<typeof undeclaredWrites>;
}

/**
 * Reads, windows, writes and slices of one task; what a person declared beats what its SQL says. `written`: where it is
 * known already; `database`: the zone of sessions there, where it was asked.
 */
export function taskFacts(
  task: Task,
  pipeline: Pipeline,
  tables: KnownTablesOfWorkspace,
  declared: DeclaredTask | undefined,
  sources: DeclaredSources = noSources,
  written?: WrittenByTask,
  database?: ZoneName,
): TaskFacts {
  const statements =
    written?.statements ??
    withCascades(
      taskStatements(task, pipeline.zone, () => sampleIntervals(pipeline)),
      tables,
    );
  const { writes: inferred, internal } = written?.writes ?? undeclaredWrites(task, statements, tables, database);
  const writes = withDeclaredWrites(
    inferred,
    declaredBehind(declared?.writes ?? [], tables),
    tables.same,
    zoneOf(pipeline),
  );
  const found = [...readFacts(statements, tables, internal, writes, database), ...accessReads(task, tables)];
  const inlets = inletReads(task, tables).filter((one) => !found.some(({ table }) => tables.same(table, one.table)));
  const named = withDeclaredReads(
    [...found, ...inlets],
    declared?.reads ?? [],
    tables.same,
    (table) => tables.slicedBy(table)[0] ?? '',
    zoneOf(pipeline),
  );
  const reads = withSnapshots(named, { task, statements, writes }, sources, tables);
  const unknowns = taskUnknowns(task, pipeline, statements, { reads, writes, internal }, tables);
  const zones = zonesOfReads(statements, database);
  const known = { reads, writes, ...(zones && { readZones: zones }) };
  // What the database says of its own zone is said of it where a run is planned.
  const problems = database === undefined ? cutsByZone(writes, task.sql, tables) : [];
  return { task: task.id, ...known, unknowns: openUnknowns(unknowns, declared, tables.same), problems };
}

/** Those that all statements were read for. */
const zonesOfReads = (
  statements: readonly TaskStatement[],
  database: ZoneName | undefined,
): readonly ZoneName[] | undefined => {
  const [first, ...others] = statements.map(({ context, sql }) => forReads(context, sql, database).zones);
  return first?.filter((zone) => others.every((zones) => zones.includes(zone)));
};

function readFacts(
  statements: readonly TaskStatement[],
  tables: KnownTablesOfWorkspace,
  internal: ReadonlySet<string>,
  writes: readonly WriteFact[],
  database: ZoneName | undefined,
): readonly ReadFact[] {
  const found = new Map<string, ReadFact>();
  const emptied = new Set<string>();
  const local = localViews(statements);
  const temporary = new Set(
    statements.flatMap(({ statement }) => (statement.temporary && statement.target ? [statement.target.name] : [])),
  );
  const known: KnownTablesOfWorkspace = { ...tables, viewOf: (name) => local.get(name) ?? tables.viewOf(name) };
  for (const item of statements) {
    const { statement, sql } = item;
    // A view that is made reads nothing yet: who reads it reads its tables.
    const reads = readsOf(item, known, database);
    for (const { table: named, ranges, through, asSlice, mayBeBoundBy } of reads) {
      const meant = namedTable(named, through === undefined ? item : { ...item, context: through.context });
      if (meant === undefined || internal.has(named.name) || emptied.has(named.name)) continue;
      const { name: table, naming } = meant;
      const source = through === undefined ? sql.source : undefined;
      const chosen = chooseWindow(table, ranges, tables.slicedBy(table), source);
      const placed = naming === undefined ? chosen : ofNamed(naming, chosen, tables.slicedBy(table));
      const { windowAt } = placed;
      const window = placed.window.kind === 'unbounded' ? openWindow(mayBeBoundBy) : placed.window;
      const own = writes.find((write) => tables.same(write.table, table));
      // A slice that is written is cut by the zone of the session; the same words mean the same rows when read.
      const alike =
        asSlice === undefined ? window : chooseWindow(table, asSlice, tables.slicedBy(table), source).window;
      if (own !== undefined && alike.kind === 'range' && isOwnSlice(alike, own.slice, item)) continue;
      const key = JSON.stringify([table, naming?.parts, { ...window, at: undefined, mayBeBoundBy: undefined }]);
      const known = found.get(key);
      const view = through === undefined || temporary.has(through.view.name) ? {} : { through: through.view.name };
      if (known !== undefined) {
        found.set(key, { ...known, ...view });
        continue;
      }
      const place = {
        ...(naming === undefined ? {} : { naming }),
        ...(windowAt === undefined ? {} : { windowAt }),
        ...view,
      };
      found.set(key, { table, window, ...place, provenance: 'sql', at: locate(sql.source, through?.view ?? named) });
    }
    // From here on the table holds what this run put there.
    const remakes =
      (statement.kind === 'truncate' && !emptiesPartition(item)) ||
      (/^create_table(?:_as)?$/.test(statement.kind) && !statement.ifNotExists) ||
      statement.kind === 'drop' ||
      deletesAll(statement);
    if (remakes && !statement.conditional && (sql.conditions ?? []).length === 0)
      for (const target of statement.targets) emptied.add(target.name);
  }
  return [...found.values()];
}

/** Of a table that is named by the interval only the one of that name is read, whatever else is asked of its rows. */
function ofNamed({ period }: TableNaming, chosen: ChosenWindow, slicedBy: readonly string[]): ChosenWindow {
  const { window } = chosen;
  if (period === undefined || (window.kind === 'range' && slicedBy.includes(window.column))) return chosen;
  return { ...chosen, window: { kind: 'range', column: '', lo: [period.lo], hi: [period.hi] } };
}

/** `asSlice`: its ranges as a write of the same text has them, where a read takes more zones into account. */
type FoundRead = TableRead & { readonly asSlice?: TableRead['ranges'] };

const openWindow = (mayBeBoundBy: string | undefined): ReadWindow => ({
  kind: 'unbounded',
  ...(mayBeBoundBy === undefined ? {} : { mayBeBoundBy }),
});

/** A refresh reads what its materialised view is made of, whole. */
function readsOf(
  { statement, sql, context }: TaskStatement,
  tables: KnownTablesOfWorkspace,
  database: ZoneName | undefined,
): readonly FoundRead[] {
  const { kind, target } = statement;
  const forRead = forReads(context, sql, database);
  const typed = forRead.mayBeMoments ? withStoredTypes(tables) : tables;
  if (kind !== 'refresh' || target === undefined) {
    if (viewDefinition(statement, sql) !== undefined) return [];
    const reads = tableReads(statement, forRead, typed);
    if (!forRead.mayBeMoments) return reads;
    const plain = tableReads(statement, forWrites(context, sql, database), typed);
    return reads.map((read, index) => {
      const alike = plain[index];
      return alike?.table.start === read.table.start ? { ...read, asSlice: alike.ranges } : read;
    });
  }
  const made = tables.materializedOf(target.name);
  if (made === undefined) return [];
  const inside = { ...made.context, zones: forRead.zones, ...(forRead.mayBeMoments && { mayBeMoments: true }) };
  const reads = tableReads({ ...statement, kind: 'select', query: made.query }, inside, typed);
  return reads.map((read) => ({ ...read, through: read.through ?? { view: target, context: made.context } }));
}

/** Views that the task makes, temporary ones included. */
function localViews(statements: readonly TaskStatement[]): ReadonlyMap<string, ViewDefinition> {
  const views = new Map<string, ViewDefinition>();
  for (const { statement, sql } of statements) {
    const view = viewDefinition(statement, sql);
    if (statement.target !== undefined && view !== undefined) views.set(statement.target.name, view);
  }
  return views;
}

/** A task that reads exactly the rows that it rewrites depends on no other interval of its own. */
function isOwnSlice(
  window: Extract<ReadFact['window'], { kind: 'range' }>,
  slice: SliceFact,
  { context }: TaskStatement,
): boolean {
  const column = slice.kind === 'range' ? slice.column : slice.kind === 'own-table' ? '' : undefined;
  if ((slice.kind !== 'range' && slice.kind !== 'own-table') || column !== window.column) return false;
  const open = slice.kind === 'range' && slice.openZone !== undefined;
  if (!open && (window.lo.length > 1 || window.hi.length > 1)) return false;
  // A slice that may be of either zone is the widest of what the same words mean.
  const lo = widestReading({ readings: window.lo.map(anyZone), ...someTime }, 'lower', context.intervals);
  const hi = widestReading({ readings: window.hi.map(anyZone), ...someTime }, 'upper', context.intervals);
  return JSON.stringify([lo, hi]) === JSON.stringify([slice.lo, slice.hi]);
}

const someTime = { unit: undefined, naive: false } as const;
const anyZone = (time: TimeExpression): TimeReading => ({ time, zone: undefined });

const zoneOf = ({ zone }: Pipeline): ZoneName => (isZone(zone) ? zone : 'UTC');
