import type { Task } from '../../pipeline/model/model.ts';
import { maskTemplate } from '../../template/mask/mask.ts';
import type { CalendarOffset } from '../../time/zones/calendar.ts';
import type { DeclaredSnapshots, DeclaredSource, DeclaredSources } from '../facts/declared-sources.ts';
import type { ReadFact, ReadWindow, WriteFact } from '../facts/facts.ts';
import { tableName } from '../writes/table-of-statement.ts';
import type { TaskStatement } from '../writes/task-statements.ts';
import type { KnownTablesOfWorkspace } from './workspace-tables.ts';

/**
 * Reads with those of sources that have snapshots turned to the snapshots, which a run reads instead. A task that makes
 * the source or its snapshots itself reads the source, and so does one whose statements are not sent from here.
 */
export function withSnapshots(
  reads: readonly ReadFact[],
  { task, statements, writes }: { task: Task; statements: readonly TaskStatement[]; writes: readonly WriteFact[] },
  sources: DeclaredSources,
  tables: KnownTablesOfWorkspace,
): readonly ReadFact[] {
  const kept = [...sources.values()].flatMap((source) =>
    source.snapshots === undefined ? [] : [{ source, snapshots: source.snapshots }],
  );
  if (kept.length === 0 || task.executor.kind !== 'warehouse') return reads;
  const turned = reads.map((read): ReadFact => {
    const found = kept.find(({ source }) => tables.same(source.table, read.table));
    if (found === undefined) return read;
    const { source, snapshots } = found;
    const writesSource = writes.some(({ table }) => tables.same(table, source.table));
    if (writesSource || makesSnapshots(snapshots, statements, writes, tables)) return read;
    return {
      table: snapshots.table.toLowerCase(),
      window: snapshots.column === undefined ? read.window : dateWindow(snapshots.column, snapshots.date),
      provenance: 'declared',
      at: read.at,
      snapshot: {
        source: source.table,
        of: namesOf(source, statements, tables),
        through: read.through,
        snapshots,
        columns: snapshots.columns.length > 0 ? snapshots.columns : tables.columnsOf(source.table),
      },
    };
  });
  return [...new Map(turned.map((read) => [JSON.stringify([read.table, { ...read.window, at: 0 }]), read])).values()];
}

/** Whether a task writes the snapshots of a source: it reads the source as it is now, whatever its interval. */
export function makesSnapshots(
  { table }: DeclaredSnapshots,
  statements: readonly TaskStatement[],
  writes: readonly WriteFact[],
  tables: Pick<KnownTablesOfWorkspace, 'same'>,
): boolean {
  const written = withoutSpace(table);
  return (
    writes.some((write) => tables.same(write.table, table)) ||
    statements.some(({ statement, context }) =>
      statement.targets.some(({ start, end }) => withoutSpace(context.text.slice(start, end)) === written),
    )
  );
}

const withoutSpace = (text: string): string => text.replace(/\s+/g, '').toLowerCase();

/** The source by every name that the statements have for it. */
function namesOf(
  source: DeclaredSource,
  statements: readonly TaskStatement[],
  tables: KnownTablesOfWorkspace,
): readonly string[] {
  const names = statements.flatMap((item) => item.statement.reads.flatMap((table) => tableName(table, item) ?? []));
  return [...new Set(names)].filter((name) => tables.same(name, source.table));
}

const oneDay: CalendarOffset = { months: 0, days: 1, ms: 0 };

/** The day of a snapshot, where its date is a time that can be told from the interval. */
function dateWindow(column: string, date: string): ReadWindow {
  const { holes } = maskTemplate(date, []);
  const [hole] = holes;
  const { value } = hole ?? {};
  const isWhole = hole !== undefined && hole.start === 0 && hole.end === date.length;
  if (!isWhole || value?.kind !== 'time' || value.zone !== undefined) {
    return { kind: 'unknown', reason: `the date of its snapshot is ${date}`, at: undefined };
  }
  const { anchor, steps } = value.time;
  const day = [...steps, { kind: 'floor' as const, unit: 'day' as const, zone: 'UTC' as const }];
  const next = [...day, { kind: 'shift' as const, offset: oneDay, zone: 'UTC' as const }];
  return { kind: 'range', column, lo: [{ anchor, steps: day }], hi: [{ anchor, steps: next }] };
}
