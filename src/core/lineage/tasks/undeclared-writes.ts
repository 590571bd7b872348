import type { Task } from '../../pipeline/model/model.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import { forWrites } from '../times/sql-context.ts';
import type { TaskStatement } from '../writes/task-statements.ts';
import { type TaskWrites, taskWrites } from '../writes/task-writes.ts';
import { accessWrites, withAccessWrites } from './access-facts.ts';
import { outletWrites } from './outlet-facts.ts';
import { markedCascades } from './with-cascades.ts';
import type { KnownTablesOfWorkspace } from './workspace-tables.ts';
import { throughViews } from './written-views.ts';

/** What a task writes by its SQL, by calls and by its outlets, before what a person declared. `database`: the zone of sessions there. */
export function undeclaredWrites(
  task: Task,
  statements: readonly TaskStatement[],
  tables: KnownTablesOfWorkspace,
  database?: ZoneName,
): TaskWrites {
  const { items, typed } = forWriting(statements, tables, database);
  const { writes: inSql, internal } = taskWrites(items, typed);
  const writes = withAccessWrites(inSql, accessWrites(task, tables), tables.same);
  const isWritten = (table: string): boolean => writes.some((write) => tables.same(write.table, table));
  const all = [...writes, ...outletWrites(task, tables).filter(({ table }) => !isWritten(table))];
  return { writes: markedCascades(throughViews(all, tables), items, tables), internal };
}

/** Statements and tables as the rows are told by that they write: in the zone of their session, by the types of the database too. */
export function forWriting(
  statements: readonly TaskStatement[],
  tables: KnownTablesOfWorkspace,
  database: ZoneName | undefined,
): { readonly items: readonly TaskStatement[]; readonly typed: KnownTablesOfWorkspace } {
  const items = statements.map((item) => ({ ...item, context: forWrites(item.context, item.sql, database) }));
  if (!items.some(({ context }) => context.mayBeMoments)) return { items, typed: tables };
  return { items, typed: withStoredTypes(tables) };
}

/** A type that no file says is the database's. */
export const withStoredTypes = (tables: KnownTablesOfWorkspace): KnownTablesOfWorkspace => ({
  ...tables,
  typeOf: (table, column) => tables.typeOf(table, column) ?? tables.storedType(table, column),
});
