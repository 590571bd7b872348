import type { Task } from '../../pipeline/model/model.ts';
import type { TaskStatement } from '../writes/task-statements.ts';
import { type TaskWrites, taskWrites } from '../writes/task-writes.ts';
import { accessWrites, withAccessWrites } from './access-facts.ts';
import { outletWrites } from './outlet-facts.ts';
import type { KnownTablesOfWorkspace } from './workspace-tables.ts';

/** What a task writes by its SQL, by calls and by its outlets, before what a person declared. */
export function undeclaredWrites(
  task: Task,
  statements: readonly TaskStatement[],
  tables: KnownTablesOfWorkspace,
): TaskWrites {
  const { writes: inSql, internal } = taskWrites(statements, tables);
  const writes = withAccessWrites(inSql, accessWrites(task, tables), tables.same);
  const isWritten = (table: string): boolean => writes.some((write) => tables.same(write.table, table));
  return { writes: [...writes, ...outletWrites(task, tables).filter(({ table }) => !isWritten(table))], internal };
}
