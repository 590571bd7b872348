import type { Pipeline, Task } from '../../pipeline/model/model.ts';
import { locate } from '../../text/mapped-text.ts';
import { isZone } from '../../time/zones/zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { DeclaredTask } from '../facts/declared-facts.ts';
import { type DeclaredSources, noSources } from '../facts/declared-sources.ts';
import type { ReadFact, SliceFact, TaskFacts, WriteFact } from '../facts/facts.ts';
import { openUnknowns } from '../facts/open-unknowns.ts';
import type { TableNaming } from '../facts/table-naming.ts';
import { type ChosenWindow, chooseWindow } from '../queries/choose-window.ts';
import { type TableRead, tableReads } from '../queries/table-reads.ts';
import { type ViewDefinition, viewDefinition } from '../queries/view-definition.ts';
import { sampleIntervals } from '../times/sample-intervals.ts';
import { forReads } from '../times/sql-context.ts';
import { namedTable } from '../writes/table-of-statement.ts';
import { emptiesPartition, type TaskStatement, taskStatements } from '../writes/task-statements.ts';
import { deletesAll } from '../writes/task-writes.ts';
import { accessReads } from './access-facts.ts';
import { withDeclaredReads, withDeclaredWrites } from './declared-window.ts';
import { inletReads } from './outlet-facts.ts';
import { withSnapshots } from './snapshot-reads.ts';
import { taskUnknowns } from './task-unknowns.ts';
import { undeclaredWrites } from './undeclared-writes.ts';
import type { KnownTablesOfWorkspace } from './workspace-tables.ts';

/** The statements of a task and what they and its calls write, before what a person declared. */
export interface WrittenByTask {
  readonly statements: readonly TaskStatement[];
  readonly writes: ReturnType<typeof undeclaredWrites>;
}

/** Reads, windows, writes and slices of one task; what a person declared beats what its SQL says. `written`: where it is known already. */
export function taskFacts(
  task: Task,
  pipeline: Pipeline,
  tables: KnownTablesOfWorkspace,
  declared: DeclaredTask | undefined,
  sources: DeclaredSources = noSources,
  written?: WrittenByTask,
): TaskFacts {
  const statements = written?.statements ?? taskStatements(task, pipeline.zone, () => sampleIntervals(pipeline));
  const { writes: inferred, internal } = written?.writes ?? undeclaredWrites(task, statements, tables);
  const writes = withDeclaredWrites(inferred, declared?.writes ?? [], tables.same, zoneOf(pipeline));
  const found = [...readFacts(statements, tables, internal, writes), ...accessReads(task, tables)];
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
  return { task: task.id, reads, writes, unknowns: openUnknowns(unknowns, declared, tables.same), problems: [] };
}

function readFacts(
  statements: readonly TaskStatement[],
  tables: KnownTablesOfWorkspace,
  internal: ReadonlySet<string>,
  writes: readonly WriteFact[],
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
    const reads = readsOf(item, known);
    for (const { table: named, ranges, through } of reads) {
      const meant = namedTable(named, through === undefined ? item : { ...item, context: through.context });
      if (meant === undefined || internal.has(named.name) || emptied.has(named.name)) continue;
      const { name: table, naming } = meant;
      const source = through === undefined ? sql.source : undefined;
      const chosen = chooseWindow(table, ranges, tables.slicedBy(table), source);
      const { window, windowAt } = naming === undefined ? chosen : ofNamed(naming, chosen, tables.slicedBy(table));
      const own = writes.find((write) => tables.same(write.table, table));
      if (own !== undefined && window.kind === 'range' && isOwnSlice(window, own.slice)) continue;
      const key = JSON.stringify([table, naming?.parts, { ...window, at: undefined }]);
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

/** A refresh reads what its materialised view is made of, whole. */
function readsOf({ statement, sql, context }: TaskStatement, tables: KnownTablesOfWorkspace): readonly TableRead[] {
  const { kind, target } = statement;
  if (kind !== 'refresh' || target === undefined) {
    if (viewDefinition(statement, sql) !== undefined) return [];
    const forRead = forReads(context, sql);
    const typeOf = (table: string, column: string) => tables.typeOf(table, column) ?? tables.storedType(table, column);
    return tableReads(statement, forRead, forRead.mayBeMoments ? { ...tables, typeOf } : tables);
  }
  const made = tables.materializedOf(target.name);
  if (made === undefined) return [];
  const reads = tableReads({ ...statement, kind: 'select', query: made.query }, made.context, tables);
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
function isOwnSlice(window: Extract<ReadFact['window'], { kind: 'range' }>, slice: SliceFact): boolean {
  const column = slice.kind === 'range' ? slice.column : slice.kind === 'own-table' ? '' : undefined;
  if ((slice.kind !== 'range' && slice.kind !== 'own-table') || column !== window.column) return false;
  const [lo, ...otherLo] = window.lo;
  const [hi, ...otherHi] = window.hi;
  if (otherLo.length > 0 || otherHi.length > 0) return false;
  return JSON.stringify([lo, hi]) === JSON.stringify([slice.lo, slice.hi]);
}

const zoneOf = ({ zone }: Pipeline): ZoneName => (isZone(zone) ? zone : 'UTC');
